import type { WriteFence } from '../../../../shared/ports/identity.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { LANES, type RunLock, type RunLocks } from '../../store/run-lock.ts';
import type { Executions } from '../machine/executions.ts';
import type { Run } from './run.ts';
import { StopRun } from './stop.ts';

interface LockKeeperDependencies {
  readonly locks: RunLocks;
  readonly executions: Executions;
  readonly unitOfWork: RunUnitOfWork;
  /** The clock of the machine. */
  readonly clock: Clock;
}

/** Without a renewal in this time other runs check whether the holder is alive. */
const LEASE_MS = 10 * 60_000;
/** The minutes of one step: a lease that ended earlier than that is free. */
const MAX_SILENCE_MS = 30 * 60_000;

/** Keeps the lock of a source for a run. */
export class LockKeeper {
  readonly #deps: LockKeeperDependencies;

  constructor(dependencies: LockKeeperDependencies) {
    this.#deps = dependencies;
  }

  /** The holder of a source that is alive; one that died has lost it at once, whatever its lease says. */
  async holder(lock: RunLock): Promise<RunLock | undefined> {
    const { executions, clock } = this.#deps;
    if (lock.owner === undefined) return undefined;
    if (!lock.owner.startsWith('arn:')) return clock.now() < lock.leaseUntil ? lock : undefined;
    if (clock.now() > lock.leaseUntil + MAX_SILENCE_MS) return undefined;
    return (await executions.isRunning(lock.owner)) ? lock : undefined;
  }

  /** The lock with another holder. */
  taken(lock: RunLock, owner: string, batch: string, more: Partial<RunLock> = {}): RunLock {
    const { sourceId, tick, version } = lock;
    const leaseUntil = this.#deps.clock.now() + LEASE_MS;
    return {
      ...{ sourceId, tick, version, owner, batch, leaseUntil },
      fence: lock.fence + 1,
      ...more,
    };
  }

  /** The lock without a holder. */
  freed({ sourceId, fence, tick, version }: RunLock): RunLock {
    return { sourceId, fence, tick, version, leaseUntil: 0 };
  }

  /**
   * Whether a run still holds its source; its lease is renewed when half of it has passed.
   * @throws StopRun when it was cancelled, or another run has taken over
   */
  async check(run: Run): Promise<void> {
    const { locks, unitOfWork, clock } = this.#deps;
    const lock = await locks.of(run.sourceId);
    if (lock.owner !== run.owner || lock.fence !== run.fence) {
      throw new StopRun({
        status: 'FAIL',
        reasonCode: 'LOCK_LOST',
        desc: 'Another run took over.',
      });
    }
    if (lock.isCancelled) throw new StopRun({ status: 'CANCELLED', reasonCode: 'CANCELLED' });
    if (lock.leaseUntil - clock.now() > LEASE_MS / 2) return;
    await unitOfWork(async (unit) => {
      const current = await locks.of(run.sourceId);
      if (current.owner !== run.owner) return;
      locks.stage(unit, { ...current, leaseUntil: clock.now() + LEASE_MS });
    });
  }

  /** What lets only this run write; chunks that run at the same time have lanes of their own. */
  fenceOf({ sourceId, fence }: Pick<Run, 'sourceId' | 'fence'>, chunk = 0): WriteFence {
    return { sourceId, lane: chunk % LANES, value: fence };
  }
}
