// In an application of its own: from 'svc-cloud/entities'.
import {
  type dynamicSection,
  recordsPort,
  recordWritesPort,
} from '../../functions/entities/index.ts';
import { bindPort, type Module, type ModuleContext } from '../../shared/module/function.ts';
import type { ConfigOf, PlatformConfig } from '../../shared/module/index.ts';
import type { notesSection } from './configuration.ts';
import { listeners, type NoteAdded } from './listeners.ts';
import { NoteRepository } from './repository.ts';
import { notesRoutes } from './routes.ts';
import { NoteService } from './service.ts';

/** Its own section, and that of the module whose ports it binds. */
type NotesConfig = PlatformConfig & ConfigOf<typeof notesSection | typeof dynamicSection>;

/** Builds the notes module. */
export function createNotesModule(context: ModuleContext<NotesConfig>): Module {
  const repository = new NoteRepository(context.table);
  const noteService = new NoteService({
    ...context,
    repository,
    records: bindPort(recordsPort, context),
    recordWrites: bindPort(recordWritesPort, context),
  });
  return {
    routes: notesRoutes({ noteService }, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      handle: ({ payload }, { uow }) => noteService.count(payload as NoteAdded, uow),
    })),
  };
}
