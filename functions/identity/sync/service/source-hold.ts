import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { RunLocks } from '../../store/run-lock.ts';
import type { LockKeeper } from '../run/lock-keeper.ts';
import { FRESH_SNAPSHOT, type Run } from '../run/run.ts';

interface SourceHoldDependencies {
  readonly locks: RunLocks;
  readonly keeper: LockKeeper;
  readonly unitOfWork: RunUnitOfWork;
  readonly ids: IdGenerator;
  /** The clock of the machine. */
  readonly clock: Clock;
}

/** Work that died leaves its lock for no longer. */
const LEASE_MS = 60_000;

/** Holds a source for work of some seconds, so that no run writes at the same time. */
export class SourceHold {
  readonly #deps: SourceHoldDependencies;

  constructor(dependencies: SourceHoldDependencies) {
    this.#deps = dependencies;
  }

  /** @param otherwise what is returned while a run holds the source */
  async during<T>(
    source: Pick<IdentitySource, 'id'>,
    work: (run: Run) => Promise<T>,
    otherwise: T,
  ): Promise<T> {
    const run = await this.#take(source);
    if (!run) return otherwise;
    try {
      return await work(run);
    } finally {
      await this.#free(run);
    }
  }

  async #take(source: Pick<IdentitySource, 'id'>): Promise<Run | undefined> {
    const { locks, keeper, unitOfWork, ids, clock } = this.#deps;
    const [owner, batch] = [`hint:${ids()}`, ids()];
    return unitOfWork(async (unit) => {
      const lock = await locks.of(source.id);
      if (await keeper.holder(lock)) return undefined;
      const leaseUntil = clock.now() + LEASE_MS;
      const taken = keeper.taken(lock, owner, batch, { leaseUntil });
      locks.stageHolder(unit, taken);
      return {
        ...{ sourceId: source.id, trigger: 'EVENT', batch, owner, mode: 'INCREMENTAL' },
        ...{ fence: taken.fence, organizationHistoryId: '', userHistoryId: '' },
        snapshot: FRESH_SNAPSHOT,
      };
    });
  }

  async #free({ sourceId, owner }: Run): Promise<void> {
    const { locks, keeper, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const lock = await locks.of(sourceId);
      if (lock.owner === owner) locks.stage(unit, keeper.freed(lock));
    });
  }
}
