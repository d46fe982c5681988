import { notExists } from '../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/*
 * Access patterns
 *   one job          get     DYN_JOB#<id> / J
 *   unfinished jobs  query   DYN_JOB / <id>
 */
const jobKey = (id: string): Key => ({ pk: `DYN_JOB#${id}`, sk: 'J' });
const OPEN_JOBS = 'DYN_JOB';
const openKey = (id: string): Key => ({ pk: OPEN_JOBS, sk: id });

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
  /** How often the next step was taken over from a run that did not end it. */
  readonly takeovers: number;
  /** Grows by one with each step. */
  readonly version: number;
}

/** Whether a job still has something to do. */
export const isOpen = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'WAITING' || state === 'RUNNING';

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
    unit.put({ ...openKey(job.id), type: 'DYN_JOB' });
  }

  /** Unfinished jobs, oldest first. */
  async findOpen(limit: number): Promise<readonly Job[]> {
    const { items } = await this.#table.query({ partition: OPEN_JOBS, limit, consistent: true });
    const jobs = await this.#table.getMany<JobItem>(items.map(({ sk }) => jobKey(sk)));
    return jobs.map(({ job }) => job);
  }

  /**
   * Saves the state after a step, together with what `also` writes.
   * @returns `false` when another run has gone on meanwhile
   */
  async save(job: Job, seen: number, also?: () => Promise<void>): Promise<boolean> {
    try {
      await this.#unitOfWork(async (unit) => {
        if (!isOpen(job)) unit.delete(openKey(job.id));
        await also?.();
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
