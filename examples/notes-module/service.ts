import {
  type Clock,
  type EventPublisher,
  type IdGenerator,
  type Principal,
  type RunUnitOfWork,
  toInstant,
  type UnitOfWork,
} from '../../shared/module/function.ts';
import { problems } from './errors.ts';
import { NOTE_ADDED, type NoteAdded } from './listeners.ts';
import type { Note, NoteRepository } from './repository.ts';

/** What the service needs from outside. */
export interface NoteServiceDependencies {
  readonly repository: NoteRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Adds and finds notes. */
export class NoteService {
  readonly #deps: NoteServiceDependencies;

  constructor(dependencies: NoteServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Stores a note and tells its listeners, both or neither. */
  add(text: string, { username: author }: Principal): Promise<Note> {
    const { repository, unitOfWork, events, clock, ids } = this.#deps;
    return unitOfWork(async (unit) => {
      const note = { id: ids(), text, author, createdAt: toInstant(clock.now()) };
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

  /** Counts a note in the transaction that marks its message as processed, so exactly once. */
  async count({ author }: NoteAdded, unit: UnitOfWork): Promise<void> {
    this.#deps.repository.countOneMore(unit, author);
  }
}
