import { notExists } from '../store/conditions.ts';
import type { Item, Key, QueryInput, Table } from '../store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../store/unit-of-work.ts';
import { isOpen, type Job } from './job.ts';

/*
 * Access patterns (<type>: record name of the module's jobs)
 *   one job          get     <type>#<id> / J
 *   unfinished jobs  query   <type> / <id>
 */

/** How a module stores its jobs. */
export interface JobStorage {
  /** Record name and prefix of every partition key, such as `DYN_JOB`. */
  readonly type: string;
  /** Attribute name of `subject`. */
  readonly subjectName: string;
  /** Members of the input that only steps need: they go with the last one, as the claims of the caller do. */
  readonly forgotten?: readonly string[];
}

export interface JobRepositoryDependencies extends JobStorage {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
}

/** A job is kept for a week after its last step. */
const KEPT_SECONDS = 7 * 24 * 3_600;
/** Most jobs that one request reads. */
const PAGE = 100;

type StoredJob = Omit<Job, 'subject'> & Readonly<Record<string, unknown>>;
type JobItem = Item & { readonly job: StoredJob };

/** Stored jobs of one module. */
export class JobRepository {
  readonly #deps: JobRepositoryDependencies;

  constructor(dependencies: JobRepositoryDependencies) {
    this.#deps = dependencies;
  }

  async find(id: string): Promise<Job | undefined> {
    const item = await this.#deps.table.get<JobItem>(this.#key(id));
    return item && this.#toJob(item);
  }

  stageNew(unit: UnitOfWork, job: Job): void {
    unit.put(this.#toItem(job), { condition: notExists, otherwise: 'retry' });
    unit.put({ ...this.#openKey(job.id), type: this.#deps.type });
  }

  /** Unfinished jobs, oldest first, up to a number. */
  async *findOpen(limit: number): AsyncGenerator<Job> {
    const { table, type } = this.#deps;
    let startKey: QueryInput['startKey'];
    let count = 0;
    do {
      const page = await table.query({ partition: type, limit: PAGE, startKey, consistent: true });
      const jobs = await table.getMany<JobItem>(page.items.map(({ sk }) => this.#key(sk)));
      yield* jobs.map((item) => this.#toJob(item));
      await this.#forget(page.items, jobs);
      startKey = page.lastKey;
      count += page.items.length;
    } while (startKey && count < limit);
  }

  /** Deletes the keys of unfinished jobs that have expired; nothing else deletes them. */
  async #forget(keys: readonly Key[], jobs: readonly JobItem[]): Promise<void> {
    const present = new Set(jobs.map(({ job }) => job.id));
    const expired = keys.filter(({ sk }) => !present.has(sk));
    if (expired.length === 0) return;
    await this.#deps.unitOfWork(async (unit) => {
      for (const key of expired) unit.delete(key);
    });
  }

  /**
   * Saves the next state of a job in one transaction with the writes of `also`.
   * @param seen version on which the state builds
   * @returns `false` when another run has advanced the job
   */
  async save(job: Job, seen: number, also?: () => Promise<void>): Promise<boolean> {
    try {
      await this.#deps.unitOfWork(async (unit) => {
        if (!isOpen(job)) unit.delete(this.#openKey(job.id));
        await also?.();
        unit.put(this.#toItem(isOpen(job) ? job : this.#withoutPrivate(job)), {
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

  /** Who has started a job is known by `createdBy`; the token's claims are kept while its steps need them. */
  #withoutPrivate(job: Job): Job {
    const forgotten = new Set(['principal', ...(this.#deps.forgotten ?? [])]);
    const input = Object.entries(job.input).filter(([name]) => !forgotten.has(name));
    return { ...job, input: Object.fromEntries(input) };
  }

  #key(id: string): Key {
    return { pk: `${this.#deps.type}#${id}`, sk: 'J' };
  }

  #openKey(id: string): Key {
    return { pk: this.#deps.type, sk: id };
  }

  #toItem({ subject, ...job }: Job): Item {
    const { type, subjectName } = this.#deps;
    return {
      ...this.#key(job.id),
      type,
      version: job.version,
      job: { ...job, [subjectName]: subject },
      ttl: Math.floor(Date.parse(job.updatedAt) / 1_000) + KEPT_SECONDS,
    };
  }

  #toJob({ job }: JobItem): Job {
    const { [this.#deps.subjectName]: subject, ...rest } = job;
    return { ...(rest as Omit<Job, 'subject'>), subject: String(subject) };
  }
}

class LostRace extends Error {}
