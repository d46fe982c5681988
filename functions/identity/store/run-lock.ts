import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/** Who may write what a source says of people and departments. */
export interface RunLock {
  readonly sourceId: string;
  /** Execution that holds it; absent: the lock is free. */
  readonly owner?: string | undefined;
  readonly batch?: string | undefined;
  /** Grows by one with each holder: what an older one writes is refused. */
  readonly fence: number;
  /** Epoch ms until which the holder counts as alive. */
  readonly leaseUntil: number;
  readonly isCancelled?: boolean | undefined;
  /** Minute of the last scheduled run: schedulers call at least once. */
  readonly tick?: string | undefined;
  readonly version: number;
}

interface LockItem extends Item {
  readonly lock: RunLock;
}

/** Writers that work at the same time; each has an item of its own that its transactions check. */
export const LANES = 8;

/*
 * Access patterns
 *   the lock of a source    LOCK#identity#<source id>   HEAD
 *   the fence of a lane     LOCK#identity#<source id>   LANE#<lane>
 */
const partition = (sourceId: string): string => `LOCK#identity#${sourceId}`;
const headKey = (sourceId: string): Key => ({ pk: partition(sourceId), sk: 'HEAD' });
const laneKey = (sourceId: string, lane: number): Key => ({
  pk: partition(sourceId),
  sk: `LANE#${lane}`,
});

/** Locks of sources: one for scheduled runs, runs by hand and events. */
export class RunLocks {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async of(sourceId: string): Promise<RunLock> {
    const item = await this.#table.get<LockItem>(headKey(sourceId));
    return item?.lock ?? { sourceId, fence: 0, leaseUntil: 0, version: 0 };
  }

  /** Stages a new holder: from the commit on the lanes refuse the former one. */
  stageHolder(unit: UnitOfWork, lock: RunLock): void {
    this.stage(unit, lock);
    for (let lane = 0; lane < LANES; lane += 1) {
      const { sourceId, fence } = lock;
      unit.put({ ...laneKey(sourceId, lane), type: 'identity_source_lane', fence });
    }
  }

  /** Stages the next version of a lock; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(unit: UnitOfWork, lock: RunLock): void {
    const version = lock.version + 1;
    unit.put(
      {
        ...headKey(lock.sourceId),
        type: 'identity_source_lock',
        version,
        lock: { ...lock, version },
      },
      { condition: lock.version === 0 ? notExists : versionIs(lock.version), otherwise: 'retry' },
    );
  }
}
