import type { ListenerDeclaration } from '../../shared/module/index.ts';

/** Topic of new notes; the key is the id. */
export const NOTE_ADDED = 'note.added';
/** Consumer group that counts the notes of an author. */
export const COUNTER_GROUP = 'notes-counter';

/** Payload of `note.added`. */
export interface NoteAdded {
  readonly id: string;
  readonly author: string;
}

/** What the notes function listens to. */
export const listeners = [
  { topic: NOTE_ADDED, group: COUNTER_GROUP, transactional: true },
] as const satisfies readonly ListenerDeclaration[];
