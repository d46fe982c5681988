import type { Module, ModuleContext } from '../../shared/module/function.ts';
import type { ConfigOf, PlatformConfig } from '../../shared/module/index.ts';
import type { notesSection } from './configuration.ts';
import { listeners, type NoteAdded } from './listeners.ts';
import { NoteRepository } from './repository.ts';
import { notesRoutes } from './routes.ts';
import { NoteService } from './service.ts';

type NotesConfig = PlatformConfig & ConfigOf<typeof notesSection>;

/** Builds the notes module. */
export function createNotesModule(context: ModuleContext<NotesConfig>): Module {
  const repository = new NoteRepository(context.table);
  const noteService = new NoteService({ ...context, repository });
  return {
    routes: notesRoutes({ noteService }, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      handle: ({ payload }, { uow }) => noteService.count(payload as NoteAdded, uow),
    })),
  };
}
