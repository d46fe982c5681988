import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { SyncHistory, TriggerType } from '../../domain/runs/history.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import { problems } from '../../errors.ts';
import type { HistoryRepository } from '../../store/history-repository.ts';
import type { RunFiles } from '../../store/run-files.ts';
import type { RunLocks } from '../../store/run-lock.ts';
import type { SyncStates } from '../../store/sync-state-repository.ts';
import { type DeadRuns, executionOf } from '../run/dead-runs.ts';
import { idsOf } from '../run/histories.ts';
import type { LockKeeper } from '../run/lock-keeper.ts';
import { type AcceptedPlan, acceptanceOf, type StoredPlan } from '../run/stored-plan.ts';
import type { RunRequest, StartedRun } from '../source-sync.ts';
import { Launcher, type LauncherDependencies } from './launcher.ts';

interface RunStarterDependencies extends LauncherDependencies {
  readonly locks: RunLocks;
  readonly keeper: LockKeeper;
  readonly history: HistoryRepository;
  readonly states: SyncStates;
  readonly files: RunFiles;
  readonly deadRuns: DeadRuns;
}

/** What a person, or what has failed before, asks for. */
interface StarterRequest extends RunRequest {
  /** Whether departments that the source does not have any more are removed, where only some users are compared. */
  readonly removesDepartments?: boolean | undefined;
}

/** Starts, approves and cancels runs. */
export class RunStarter {
  readonly #deps: RunStarterDependencies;
  readonly #launcher: Launcher;

  constructor(dependencies: RunStarterDependencies) {
    this.#deps = dependencies;
    this.#launcher = new Launcher(dependencies);
  }

  /** @throws Problem `SYNC_IN_PROGRESS`, `SOURCE_DISABLED`, `NOT_CONFIGURED`, `RUN_STATE` (409) */
  async execute(
    source: IdentitySource,
    { mode, dryRun, acceptDeletions, externalIds, removesDepartments = false }: StarterRequest,
    principal: Pick<Principal, 'id'>,
    triggerType: TriggerType = 'MANUAL',
  ): Promise<StartedRun> {
    const { id } = source;
    if (!source.configured) throw problems.notConfigured({ id });
    if (!source.enabled && !dryRun) throw problems.sourceDisabled({ id });
    await this.#deps.deadRuns.close(id);
    await this.demandFree(id);
    const acceptsRemovals =
      acceptDeletions === undefined ? undefined : await this.#accepted(source, acceptDeletions);
    const requestedBy = principal.id;
    const only = externalIds && { removesDepartments };
    const syncMode = only ? ('INCREMENTAL' as const) : (mode ?? ('FULL' as const));
    const facts = { source, triggerType, syncMode, requestedBy, ...(only && { isOfSome: true }) };
    return this.#deps.unitOfWork(async (unit) => {
      const started = this.#deps.histories.stageNew(unit, facts);
      const { batch } = started;
      this.#launcher.startAfterCommit(unit, batch, {
        ...{ sourceId: id, trigger: triggerType, batch, mode: only ? syncMode : mode },
        ...{ isDryRun: dryRun, requestedBy },
        ...(acceptsRemovals && { acceptsRemovals }),
        ...(only && { only }),
        externalIds,
      });
      return started;
    });
  }

  /**
   * Applies exactly the plan that was reviewed.
   * @throws Problem `SYNC_RUN_NOT_FOUND` (404), `RUN_STATE`, `SYNC_IN_PROGRESS` (409)
   */
  async approve(batch: string, principal: Pick<Principal, 'id' | 'tenant'>): Promise<StartedRun> {
    const { histories, unitOfWork, clock } = this.#deps;
    const [first] = await this.#rows(batch, principal);
    await this.demandFree(first.identitySourceId);
    await this.#demandPlan(first);
    const { id: requestedBy } = principal;
    return unitOfWork(async (unit) => {
      const rows = await histories.stageChange(unit, batch, (row) => {
        if (!isWaiting(row)) throw problems.runState({ batch, status: row.status });
        const { id: _id, ...open } = { ...row, status: 'PENDING' as const, requestedBy };
        const startTime = toInstant(clock.now());
        const begins = { startTime, endTime: undefined, executionArn: undefined };
        return { ...open, ...begins, reasonCode: undefined, desc: undefined };
      });
      const { identitySourceId: sourceId, syncMode: mode, version } = rows[0] ?? first;
      const start = { sourceId, trigger: 'MANUAL' as const, batch, mode, requestedBy };
      const name = executionOf({ batch, version: version + 1 });
      this.#launcher.startAfterCommit(unit, name, { ...start, isApproved: true });
      return idsOf(rows);
    });
  }

  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404), `RUN_STATE` (409) */
  async cancel(batch: string, principal: Pick<Principal, 'tenant'>): Promise<void> {
    const { unitOfWork, histories, locks, clock } = this.#deps;
    const [{ identitySourceId }] = await this.#rows(batch, principal);
    await unitOfWork(async (unit) => {
      const lock = await locks.of(identitySourceId);
      const isRunning = lock.owner !== undefined && lock.batch === batch;
      if (isRunning) locks.stage(unit, { ...lock, isCancelled: true });
      const end = { status: 'CANCELLED' as const, endTime: toInstant(clock.now()) };
      await histories.stageChange(unit, batch, (row) => {
        if (row.status !== 'PENDING' && !isWaiting(row)) {
          throw problems.runState({ batch, status: row.status });
        }
        return isRunning ? undefined : end;
      });
    });
  }

  /** Ends the run of a source, whoever has started it, at its next look at the lock. */
  async cancelRunning(sourceId: string): Promise<void> {
    const { unitOfWork, locks } = this.#deps;
    await unitOfWork(async (unit) => {
      const lock = await locks.of(sourceId);
      if (lock.owner !== undefined) locks.stage(unit, { ...lock, isCancelled: true });
    });
  }

  /** @throws Problem `SYNC_IN_PROGRESS` (409) while a run holds the source */
  async demandFree(sourceId: string): Promise<void> {
    const { locks, keeper } = this.#deps;
    const holder = await keeper.holder(await locks.of(sourceId));
    if (holder) throw problems.syncInProgress({ runningBatch: holder.batch ?? '' });
  }

  async #accepted({ id, tenant }: IdentitySource, batch: string): Promise<AcceptedPlan> {
    const [row] = await this.#rows(batch, { tenant });
    if (row.identitySourceId !== id) throw problems.runNotFound({ id: batch });
    const { status } = row;
    if (status !== 'SUSPENDED') throw problems.runState({ batch, status });
    const place = { sourceId: id, batch };
    if (!(await this.#deps.files.has(place, 'plan'))) {
      throw problems.runState({ batch, status: 'expired' });
    }
    return acceptanceOf(await this.#deps.files.read<StoredPlan>(place, 'plan'));
  }

  /** A plan that another run has overtaken would undo what that one did. */
  async #demandPlan({ batch, status, identitySourceId: sourceId }: SyncHistory): Promise<void> {
    const { files, states } = this.#deps;
    const place = { sourceId, batch };
    if (!(await files.has(place, 'plan'))) throw problems.runState({ batch, status });
    const { fence } = await files.read<StoredPlan>(place, 'plan');
    const { appliedFence = 0 } = await states.of(sourceId);
    if (appliedFence > fence) throw problems.runState({ batch, status: 'outdated' });
  }

  async #rows(
    batch: string,
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<readonly [SyncHistory, ...SyncHistory[]]> {
    const [first, ...others] = await this.#deps.history.ofBatch(batch);
    if (first?.tenant !== tenant) throw problems.runNotFound({ id: batch });
    return [first, ...others];
  }
}

const isWaiting = ({ status }: SyncHistory): boolean =>
  status === 'SUSPENDED' || status === 'PREVIEW';
