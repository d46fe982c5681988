import {
  type BoundPort,
  type Clock,
  type EventPublisher,
  type IdGenerator,
  type Principal,
  type RecordReading,
  type RecordWriting,
  type RunUnitOfWork,
  toInstant,
  type UnitOfWork,
} from '../../shared/module/function.ts';
import { problems } from './errors.ts';
import { NOTE_ADDED, type NoteAdded } from './listeners.ts';
import type { Note, NoteRepository, RecordOfNote } from './repository.ts';

/** A note to add. */
export interface NewNote {
  readonly text: string;
  /** The record that it is about, and what it changes of it. */
  readonly about?: RecordOfNote & { readonly change?: Readonly<Record<string, unknown>> };
}

export interface NoteServiceDependencies {
  readonly repository: NoteRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly records: BoundPort<RecordReading>;
  readonly recordWrites: BoundPort<RecordWriting>;
}

/** Adds and finds notes. */
export class NoteService {
  readonly #deps: NoteServiceDependencies;

  constructor(dependencies: NoteServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stores a note, changes the record that it is about and publishes `note.added`, all or nothing.
   * @throws Problem `RECORD_NOT_FOUND` (404) when the caller does not see that record, `MODULE_OFF` (422)
   */
  add({ text, about }: NewNote, principal: Principal): Promise<Note> {
    const { repository, unitOfWork, events, clock, ids } = this.#deps;
    const { username: author } = principal;
    return unitOfWork(async (unit) => {
      const record = about && (await this.#touch(about, principal));
      const made = { id: ids(), text, author, createdAt: toInstant(clock.now()) };
      const note = { ...made, ...(record && { about: record }) };
      repository.add(unit, note);
      const payload: NoteAdded = { id: note.id, author };
      await events.publish(NOTE_ADDED, note.id, payload);
      return note;
    });
  }

  /**
   * A note, and how many its author has written so far.
   * @throws Problem `NOTE_NOT_FOUND` (404)
   */
  async find(id: string): Promise<Note & { readonly notesOfAuthor: number }> {
    const { repository } = this.#deps;
    const note = await repository.find(id);
    if (!note) throw problems.noteNotFound({ id });
    return { ...note, notesOfAuthor: await repository.countOf(note.author) };
  }

  /** The record of a note, seen by its author and changed in the unit of work around. */
  async #touch(
    { entity, id, change }: NonNullable<NewNote['about']>,
    principal: Principal,
  ): Promise<RecordOfNote> {
    const { records, recordWrites } = this.#deps;
    await records.use().get(entity, id, principal);
    if (change) await recordWrites.use().update(entity, id, change, principal);
    return { entity, id };
  }

  /** Counts a note in the transaction that marks its message as processed, so exactly once. */
  async count({ author }: NoteAdded, unit: UnitOfWork): Promise<void> {
    this.#deps.repository.countOneMore(unit, author);
  }
}
