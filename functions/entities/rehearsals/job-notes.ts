import type { Files } from '../../../shared/files/files.ts';
import { JobFailure } from '../../../shared/jobs/job.ts';

/** Where a step of a job finds what the one before it has noted. */
export interface NotesPlace {
  readonly job: string;
  /** Which of two files the step before has written, so that one that is repeated reads the same again; none at first. */
  readonly slot: number | undefined;
}

/** Most that is noted, in characters of its JSON. */
export const MAX_NOTES = 16 * 1_024 * 1_024;
/** A character takes up to three bytes. */
const MAX_BYTES = 3 * MAX_NOTES;
const SLOTS = [0, 1];

/** Keeps what the dry run of a job knows from step to step in a file, which the item of a job has no room for. */
export class JobNotes {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  /** What the step before has noted; none in the first step. */
  async read<T>({ job, slot }: NotesPlace): Promise<T | undefined> {
    if (slot === undefined) return undefined;
    const file = await this.#files.read(pathOf(job, slot), MAX_BYTES);
    if (!file) throw new JobFailure('What the dry run has noted is gone.');
    return JSON.parse(file.body.toString()) as T;
  }

  /** @returns the slot that the next step reads */
  async write({ job, slot = 1 }: NotesPlace, notes: object): Promise<number> {
    const next = 1 - slot;
    const body = Buffer.from(JSON.stringify(notes));
    await this.#files.write(pathOf(job, next), body, 'application/json');
    return next;
  }

  async clear(job: string): Promise<void> {
    for (const slot of SLOTS) await this.#files.delete(pathOf(job, slot));
  }
}

const pathOf = (job: string, slot: number): string => `entities/rehearsals/${job}.${slot}.json`;
