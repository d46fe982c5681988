import type {
  ReEncryption,
  ReEncryptionRound,
  RoundReport,
} from '../../../shared/ports/re-encryption.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/*
 * Access patterns
 *   open round             get  setting#@re-encryption / request
 *   walk of one module     get  setting#@re-encryption / <job>#<round>#<module>
 */
const PARTITION = 'setting#@re-encryption';
const requestKey: Key = { pk: PARTITION, sk: 'request' };
const walkKey = ({ jobId, round }: ReEncryptionRound, module: string): Key => ({
  pk: PARTITION,
  sk: `${jobId}#${round}#${module}`,
});

/** Reports are kept for a week, as jobs are. */
const KEPT_SECONDS = 7 * 24 * 3_600;

/** The round that modules are asked for. */
export interface RoundRequest extends ReEncryptionRound {
  readonly modules: readonly string[];
}

/** The walk of a module; `TAKEN`: its job runs. */
export type Walk = { readonly state: 'TAKEN' } | RoundReport;

type RequestItem = Item & RoundRequest;
type WalkItem = Item & { readonly walk: Walk };

export interface RoundRepositoryDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** The open round of a re-encryption, and what modules report of it. */
export class RoundRepository implements ReEncryption {
  readonly #deps: RoundRepositoryDependencies;

  constructor(dependencies: RoundRepositoryDependencies) {
    this.#deps = dependencies;
  }

  async open(): Promise<RoundRequest | undefined> {
    return this.#deps.table.get<RequestItem>(requestKey);
  }

  /** Stages a round in place of the one that was seen. */
  stageRequest(unit: UnitOfWork, request: RoundRequest, seen: RoundRequest | undefined): void {
    const { jobId, round, modules } = request;
    unit.put(
      { ...requestKey, type: 'setting', jobId, round, modules },
      { condition: seen ? isRound(seen) : notExists, otherwise: 'retry' },
    );
  }

  /** Ends the rounds of a job; those of another one go on. */
  async close(jobId: string): Promise<void> {
    const { unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const seen = await this.open();
      if (seen?.jobId !== jobId) return;
      unit.delete(requestKey, { condition: isRound(seen), otherwise: 'retry' });
    });
  }

  async walk(round: ReEncryptionRound, module: string): Promise<Walk | undefined> {
    return (await this.#deps.table.get<WalkItem>(walkKey(round, module)))?.walk;
  }

  async take(module: string): Promise<ReEncryptionRound | undefined> {
    const { unitOfWork } = this.#deps;
    return unitOfWork(async (unit) => {
      const request = await this.open();
      if (!request?.modules.includes(module)) return undefined;
      const { jobId, round } = request;
      if (await this.walk(request, module)) return undefined;
      unit.put(this.#walkItem({ jobId, round }, module, { state: 'TAKEN' }), {
        condition: notExists,
        otherwise: 'retry',
      });
      return { jobId, round };
    });
  }

  async report(module: string, round: ReEncryptionRound, report: RoundReport): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => unit.put(this.#walkItem(round, module, report)));
  }

  #walkItem(round: ReEncryptionRound, module: string, walk: Walk): Item {
    const now = this.#deps.clock.now();
    return {
      ...walkKey(round, module),
      type: 'setting',
      walk,
      updatedAt: toInstant(now),
      ttl: Math.floor(now / 1_000) + KEPT_SECONDS,
    };
  }
}

const isRound = ({ jobId, round }: ReEncryptionRound) => ({
  expression: '#jobId = :jobId AND #round = :round',
  names: { '#jobId': 'jobId', '#round': 'round' },
  values: { ':jobId': jobId, ':round': round },
});
