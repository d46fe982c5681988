import type { Item, Key, Table, UnitOfWork } from '../../shared/module/function.ts';

/*
 * Access patterns
 *   one note                get    NOTE#<id> / note
 *   notes of an author      get    NOTE#@author#<name> / count
 */
const noteKey = (id: string): Key => ({ pk: `NOTE#${id}`, sk: 'note' });
const countKey = (author: string): Key => ({ pk: `NOTE#@author#${author}`, sk: 'count' });

/** A record of an entity. */
export interface RecordOfNote {
  readonly entity: string;
  readonly id: string;
}

/** A stored note. */
export interface Note {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly createdAt: string;
  /** The record that the note is about. */
  readonly about?: RecordOfNote;
}

type NoteItem = Item & Note;
type CountItem = Item & { readonly notes: number };

/** Stored notes and how many each author has written. */
export class NoteRepository {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  find(id: string): Promise<Note | undefined> {
    return this.#table.get<NoteItem>(noteKey(id));
  }

  async countOf(author: string): Promise<number> {
    return (await this.#table.get<CountItem>(countKey(author)))?.notes ?? 0;
  }

  add(unit: UnitOfWork, note: Note): void {
    unit.add({ ...noteKey(note.id), type: 'note', ...note });
  }

  countOneMore(unit: UnitOfWork, author: string): void {
    unit.update(countKey(author), {
      expression: 'SET #type = :type ADD notes :one',
      names: { '#type': 'type' },
      values: { ':type': 'note_count', ':one': 1 },
    });
  }
}
