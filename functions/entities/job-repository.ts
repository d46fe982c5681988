import { notExists } from '../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../shared/store/unit-of-work.ts';

/*
 * Access patterns
 *   one job   get   DYN_JOB#<id> / J
 */
const jobKey = (id: string): Key => ({ pk: `DYN_JOB#${id}`, sk: 'J' });

/** What a job does. */
export type JobKind = 'INDEX' | 'EXPORT' | 'IMPORT' | 'PURGE' | 'CASCADE' | 'RECOUNT';

/** Work that goes on after the answer, step by step. */
export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  /** Code of the entity. */
  readonly entity: string;
  readonly state: 'WAITING' | 'RUNNING' | 'DONE' | 'FAILED';
  readonly processed: number;
  readonly total: number | null;
  /** What the job was asked for. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Where the next step goes on. */
  readonly progress: Readonly<Record<string, unknown>>;
  /** What came of it. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  /** A step that began before and has not ended by then was interrupted (milliseconds since 1970). */
  readonly leaseUntil: number;
  /** Grows by one with each step. */
  readonly version: number;
}

const KEPT_SECONDS = 7 * 24 * 3_600;

type JobItem = Item & { readonly job: Job };

/** Stored jobs. */
export class JobRepository {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  async find(id: string): Promise<Job | undefined> {
    return (await this.#table.get<JobItem>(jobKey(id)))?.job;
  }

  stageNew(unit: UnitOfWork, job: Job): void {
    unit.put(toItem(job), { condition: notExists, otherwise: 'retry' });
  }

  /** Saves the state after a step. @returns `false` when another run has gone on meanwhile */
  async save(job: Job, seen: number): Promise<boolean> {
    try {
      await this.#unitOfWork(async (unit) => {
        unit.put(toItem(job), {
          condition: {
            expression: '#version = :seen',
            names: { '#version': 'version' },
            values: { ':seen': seen },
          },
          otherwise: () => new LostRace(),
        });
      });
      return true;
    } catch (error) {
      if (error instanceof LostRace) return false;
      throw error;
    }
  }
}

class LostRace extends Error {}

function toItem(job: Job): Item {
  return {
    ...jobKey(job.id),
    type: 'DYN_JOB',
    version: job.version,
    job,
    ttl: Math.floor(Date.parse(job.createdAt) / 1_000) + KEPT_SECONDS,
  };
}
