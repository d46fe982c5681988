import * as z from 'zod';
import { recordsPort, recordWritesPort } from '../../functions/entities/index.ts';
import { created, lazy, ok, permission, type Route, route } from '../../shared/module/function.ts';
import type { ConfigOf } from '../../shared/module/index.ts';
import type { notesSection } from './configuration.ts';
import { problems } from './errors.ts';
import type { Note } from './repository.ts';
import type { NoteService } from './service.ts';

/** What the routes call. */
export interface NotesRouteServices {
  readonly noteService: NoteService;
}

const record = lazy(() => z.strictObject({ entity: z.string().min(1).max(64), id: z.uuid() }));
const change = lazy(() =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Fields of the record that change with the note: both or neither.'),
);
const note = lazy(() =>
  z
    .object({
      id: z.uuid(),
      text: z.string(),
      author: z.string(),
      createdAt: z.iso.datetime(),
      about: record().optional(),
    })
    .meta({ id: 'Note' }),
);
const countedNote = lazy(() =>
  note()
    .extend({
      notesOfAuthor: z.int().meta({ description: 'How many notes the author has written.' }),
    })
    .meta({ id: 'CountedNote' }),
);

const example = {
  id: '01920000-0000-7000-8000-000000000001',
  text: 'Call back on Monday',
  author: 'mai',
  createdAt: '2026-03-01T09:30:00.000Z',
};

const show = ({ id, text, author, createdAt, about }: Note) => ({
  ...{ id, text, author, createdAt },
  ...(about && { about }),
});

/** The HTTP table of the notes module. */
export function notesRoutes(
  { noteService }: NotesRouteServices,
  { notes }: ConfigOf<typeof notesSection>,
): Route[] {
  const newNote = lazy(() =>
    z
      .strictObject({
        text: z
          .string()
          .min(1)
          .max(notes.maxLength)
          .meta({ 'x-config': { maxLength: 'notes.max-length' } }),
        about: record()
          .extend({ change: change() })
          .optional()
          .describe('A record that the caller may see.'),
      })
      .meta({ id: 'NewNote' }),
  );
  return [
    route({
      operationId: 'addNote',
      method: 'POST',
      path: '/api/v1/notes',
      summary: 'Adds a note',
      access: permission('note'),
      body: newNote,
      bodyExample: { text: example.text },
      idempotent: true,
      responses: {
        201: {
          description: 'Added',
          schema: note,
          headers: { location: 'The new note.' },
          example,
          links: { getNote: { noteId: '$response.body#/id' } },
        },
      },
      problems: [...new Set([...recordsPort.problems, ...recordWritesPort.problems])],
      handle: async ({ body, principal }) => {
        const added = await noteService.add(body, principal);
        return created(`/api/v1/notes/${added.id}`, show(added));
      },
    }),
    route({
      operationId: 'getNote',
      method: 'GET',
      path: '/api/v1/notes/{noteId}',
      summary: 'Reads a note',
      access: permission('note'),
      params: () => z.strictObject({ noteId: z.uuid() }),
      responses: {
        200: {
          description: 'The note',
          schema: countedNote,
          example: { ...example, notesOfAuthor: 1 },
        },
      },
      problems: [problems.noteNotFound],
      handle: async ({ params: { noteId } }) => {
        const found = await noteService.find(noteId);
        return ok({ ...show(found), notesOfAuthor: found.notesOfAuthor });
      },
    }),
  ];
}
