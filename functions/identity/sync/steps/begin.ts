import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { SyncHistory, SyncMode } from '../../domain/runs/history.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { SourceState } from '../../domain/sources/source-state.ts';
import type { RunLock } from '../../store/run-lock.ts';
import { idsOf } from '../run/histories.ts';
import {
  FRESH_SNAPSHOT,
  type Run,
  type RunEnd,
  type RunStart,
  type StepResult,
} from '../run/run.ts';
import type { StoredPlan } from '../run/stored-plan.ts';
import type { StartedRun } from '../source-sync.ts';
import type { StepDependencies } from './dependencies.ts';

/** The execution that begins. */
export interface Beginning {
  readonly start: RunStart;
  /** Address of the execution. */
  readonly owner: string;
  /** When the execution began; schedulers may start two for one minute. */
  readonly time: string;
}

const HOUR_MS = 3_600_000;
const MINUTE_LENGTH = 'yyyy-mm-ddThh:mm'.length;
/** An incremental run begins a little before the end of the one before. */
const OVERLAP_MS = 5 * 60_000;

/** Takes the lock of a source, or says why not. */
export class BeginStep {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  async run(beginning: Beginning): Promise<StepResult> {
    const { start } = beginning;
    const source = await this.#deps.access.find(start.sourceId);
    const refusal = refusalOf(source, start);
    if (!source || refusal) {
      if (start.batch !== undefined) await this.#close(start.batch, refusal ?? GONE);
      return { outcome: 'NONE' };
    }
    const mode = await this.#mode(source, start);
    const mark = await this.#deps.access.markOf(source);
    const started = await this.#deps.unitOfWork((unit) =>
      this.#take(unit, source, beginning, { mode, mark }),
    );
    if (!started) return { outcome: 'NONE' };
    const run: Run = {
      ...start,
      ...started,
      owner: beginning.owner,
      ...{ mode, mark },
      snapshot: FRESH_SNAPSHOT,
    };
    if (!start.isApproved) return { outcome: 'GO', run };
    const { chunks, madeAt } = await this.#deps.files.read<StoredPlan>(run, 'plan');
    const outdated = { from: madeAt, to: this.#deps.clock.now() };
    return { outcome: 'APPLY', run: { ...run, outdated }, chunks };
  }

  /** A plan is approved for what the source was when it was made; meanwhile another run may have been applied. */
  async #outdated(
    { sourceId, batch, isApproved }: RunStart,
    mark: string,
  ): Promise<RunEnd | undefined> {
    if (!isApproved || batch === undefined) return undefined;
    const { files, states } = this.#deps;
    const place = { sourceId, batch };
    if (!(await files.has(place, 'plan'))) return { status: 'FAIL', reasonCode: 'PLAN_EXPIRED' };
    const { fence, madeFor } = await files.read<StoredPlan>(place, 'plan');
    const { appliedFence = 0 } = await states.of(sourceId);
    const isCurrent = appliedFence <= fence && madeFor === mark;
    return isCurrent ? undefined : { status: 'FAIL', reasonCode: 'PLAN_OUTDATED' };
  }

  /** @returns `undefined` when the run was skipped */
  async #take(
    unit: UnitOfWork,
    source: IdentitySource,
    { start, owner, time }: Beginning,
    { mode: syncMode, mark }: { readonly mode: SyncMode; readonly mark: string },
  ): Promise<(StartedRun & { readonly fence: number }) | undefined> {
    const { locks, keeper, histories, history, states } = this.#deps;
    const lock = await locks.of(source.id);
    if (lock.owner === owner) {
      const rows = await history.ofBatch(lock.batch ?? '');
      return { ...idsOf(rows), fence: lock.fence };
    }
    if (start.batch !== undefined && !(await this.#isPending(start.batch))) return undefined;
    const tick = start.trigger === 'JOB' ? time.slice(0, MINUTE_LENGTH) : undefined;
    const reason = await this.#reasonToSkip(lock, await states.of(source.id), tick);
    const facts = { source, triggerType: start.trigger, syncMode, executionArn: owner };
    if (reason) {
      const skipped = { status: 'SKIP' as const, reasonCode: reason, endTime: this.#now() };
      if (start.batch === undefined) histories.stageNew(unit, facts, skipped);
      else await histories.stageChange(unit, start.batch, (row) => ifPending(row, skipped));
      return undefined;
    }
    // After the look at the lock: whoever takes the source from here on lets this unit run again.
    const outdated = await this.#outdated(start, mark);
    if (outdated) {
      await this.#stageEnd(unit, start.batch ?? '', outdated);
      return undefined;
    }
    await this.#closeDead(unit, lock, start.batch);
    const started = await this.#rows(unit, start, facts);
    const taken = keeper.taken(lock, owner, started.batch, tick === undefined ? {} : { tick });
    locks.stageHolder(unit, taken);
    const runningBatch = started.batch;
    await states.stageChange(unit, source.id, () => ({ runningBatch, lastBatch: runningBatch }));
    return { ...started, fence: taken.fence };
  }

  /** Somebody may have cancelled it before it began. */
  async #isPending(batch: string): Promise<boolean> {
    const rows = await this.#deps.history.ofBatch(batch);
    return rows.every(({ status }) => status === 'PENDING');
  }

  async #reasonToSkip(
    lock: RunLock,
    { health }: SourceState,
    tick: string | undefined,
  ): Promise<string | undefined> {
    if (await this.#deps.keeper.holder(lock)) return 'SYNC_IN_PROGRESS';
    if (tick === undefined) return undefined;
    if (lock.tick === tick) return 'DUPLICATE_TICK';
    const retryAt = Date.parse(health.retryAt ?? '');
    return retryAt > this.#deps.clock.now() ? 'BACK_OFF' : undefined;
  }

  async #rows(
    unit: UnitOfWork,
    { batch }: RunStart,
    facts: Parameters<StepDependencies['histories']['stageNew']>[1],
  ): Promise<StartedRun> {
    const { histories } = this.#deps;
    if (batch === undefined) return histories.stageNew(unit, facts);
    const { executionArn, syncMode } = facts;
    return idsOf(await histories.stageChange(unit, batch, () => ({ executionArn, syncMode })));
  }

  /** The histories of a run whose execution has died must not stay pending. */
  async #closeDead(unit: UnitOfWork, { batch }: RunLock, own: string | undefined): Promise<void> {
    if (batch === undefined || batch === own) return;
    await this.#stageEnd(unit, batch, { status: 'FAIL', reasonCode: 'INTERRUPTED' });
  }

  #close(batch: string, end: RunEnd): Promise<void> {
    return this.#deps.unitOfWork((unit) => this.#stageEnd(unit, batch, end));
  }

  async #stageEnd(unit: UnitOfWork, batch: string, end: RunEnd): Promise<void> {
    await this.#deps.histories.stageChange(unit, batch, (row) =>
      ifPending(row, { ...end, endTime: this.#now() }),
    );
  }

  /** Everything is read at least every so many hours: absence says something only then. */
  async #mode(source: IdentitySource, { mode, isApproved }: RunStart): Promise<SyncMode> {
    if (mode !== undefined || isApproved) return mode ?? 'FULL';
    const { watermark, lastFullAt } = await this.#deps.states.of(source.id);
    if (watermark === undefined || lastFullAt === undefined) return 'FULL';
    const age = this.#deps.clock.now() - Date.parse(lastFullAt);
    const isDue = age + OVERLAP_MS >= source.strategyConfig.fullEveryHours * HOUR_MS;
    return !isDue && (await this.#deps.access.isIncremental(source)) ? 'INCREMENTAL' : 'FULL';
  }

  #now(): string {
    return toInstant(this.#deps.clock.now());
  }
}

const GONE: RunEnd = { status: 'CANCELLED', reasonCode: 'SOURCE_DELETED' };

function refusalOf(source: IdentitySource | undefined, { isDryRun }: RunStart): RunEnd | undefined {
  if (!source) return GONE;
  if (!source.configured) return { status: 'FAIL', reasonCode: 'NOT_CONFIGURED' };
  return source.enabled || isDryRun ? undefined : { status: 'FAIL', reasonCode: 'SOURCE_DISABLED' };
}

const ifPending = (row: SyncHistory, change: Partial<SyncHistory>) =>
  row.status === 'PENDING' ? change : undefined;
