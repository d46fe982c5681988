import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { SyncHistory } from '../../domain/runs/history.ts';
import type { HistoryRepository } from '../../store/history-repository.ts';
import type { RunLocks } from '../../store/run-lock.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';
import type { Executions } from '../machine/executions.ts';
import type { Histories } from './histories.ts';
import type { LockKeeper } from './lock-keeper.ts';

interface DeadRunsDependencies {
  readonly locks: RunLocks;
  readonly keeper: LockKeeper;
  readonly executions: Executions;
  readonly histories: Histories;
  readonly history: HistoryRepository;
  readonly states: SyncStates;
  readonly unitOfWork: RunUnitOfWork;
  /** The clock of the machine. */
  readonly clock: Clock;
}

/** An execution is started right after the commit of its histories. */
const START_MS = 60_000;

/** Runs whose execution is not under way any more must not stay pending for ever, nor hold their source. */
export class DeadRuns {
  readonly #deps: DeadRunsDependencies;

  constructor(dependencies: DeadRunsDependencies) {
    this.#deps = dependencies;
  }

  /** Closes what died of a source: the run that holds it, and runs that never began. */
  async close(sourceId: string): Promise<void> {
    const { locks, history } = this.#deps;
    const { owner, batch } = await locks.of(sourceId);
    const batches = new Set(await history.pendingBatches(sourceId));
    if (owner !== undefined) batches.add(batch ?? '');
    for (const each of batches) await this.closeBatch(sourceId, each);
  }

  /** Closes a run, if it has died. @returns whether it had */
  async closeBatch(sourceId: string, batch: string): Promise<boolean> {
    const { locks, history, unitOfWork, histories, keeper, states, clock } = this.#deps;
    const before = await locks.of(sourceId);
    const holds = before.owner !== undefined && (before.batch ?? '') === batch;
    const rows = (await history.ofBatch(batch)).filter(isPending);
    const isDead = holds
      ? (await keeper.holder(before)) === undefined
      : rows.length > 0 && (await this.#hasEnded(rows));
    if (!isDead) return false;
    const endTime = toInstant(clock.now());
    const interrupted = { status: 'FAIL' as const, reasonCode: 'INTERRUPTED', endTime };
    return unitOfWork(async (unit) => {
      const lock = await locks.of(sourceId);
      if (lock.owner !== before.owner || lock.batch !== before.batch) return false;
      await histories.stageChange(unit, batch, (row) => (isPending(row) ? interrupted : undefined));
      if (!holds) return true;
      locks.stage(unit, keeper.freed(lock));
      await states.stageChange(unit, sourceId, () => ({ runningBatch: undefined }));
      return true;
    });
  }

  /** Whether an execution that never took the lock has ended, or was never started. */
  async #hasEnded([row]: readonly SyncHistory[]): Promise<boolean> {
    const { executions, clock } = this.#deps;
    if (!row) return false;
    const execution = row.executionArn ?? executionOf(row);
    if (await executions.isRunning(execution)) return false;
    const age = clock.now() - Date.parse(row.startTime);
    return age > START_MS || (await executions.exists(execution));
  }
}

/** The execution of a run that has not begun: its name follows from the histories, which an approval changes. */
export const executionOf = ({ batch, version }: Pick<SyncHistory, 'batch' | 'version'>): string =>
  version === 1 ? batch : `${batch}-${version}`;

const isPending = ({ status }: SyncHistory): boolean => status === 'PENDING';
