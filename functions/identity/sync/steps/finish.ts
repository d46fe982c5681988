import { toInstant } from '../../../../shared/primitives/clock.ts';
import {
  NO_COUNTS,
  type RunStatus,
  type SyncCounts,
  type SyncHistory,
  type SyncRecord,
} from '../../domain/runs/history.ts';
import type { SourceState } from '../../domain/sources/source-state.ts';
import { numbered, ONLY, USERS } from '../../store/run-files.ts';
import { afterFailure, HEALTHY } from '../run/health.ts';
import type { Run, RunEnd, StepResult } from '../run/run.ts';
import { StopRun } from '../run/stop.ts';
import type { StoredPlan } from '../run/stored-plan.ts';
import { SYNC_COMPLETED, SYNC_FAILED, SYNC_SUSPENDED } from '../topics.ts';
import type { StepDependencies } from './dependencies.ts';

type Tallied = { -readonly [K in keyof SyncCounts]: number };

/** Ends a run: counts what its records say, notes how the source fares and frees it. */
export class FinishStep {
  readonly #deps: StepDependencies;

  constructor(dependencies: StepDependencies) {
    this.#deps = dependencies;
  }

  /** @param given why the run ended early; none: its plan was applied */
  async run(run: Run, given?: RunEnd): Promise<StepResult> {
    const end = given ?? (await this.#lost(run));
    const { unitOfWork, locks, keeper, states, files, clock } = this.#deps;
    const plan = (await files.has(run, 'plan'))
      ? await files.read<StoredPlan>(run, 'plan')
      : undefined;
    const organization = await this.#count(run.organizationHistoryId, plan?.organization.unchanged);
    const user = await this.#count(run.userHistoryId, plan?.users.unchanged);
    const failed = organization.failed + user.failed;
    const status: RunStatus = end?.status ?? (failed > 0 ? 'PARTIAL' : 'SUCCESS');
    await unitOfWork(async (unit) => {
      const lock = await locks.of(run.sourceId);
      const isHeld = lock.owner === run.owner;
      const rows = await this.#deps.histories.stageChange(unit, run.batch, (row) =>
        row.status === 'PENDING'
          ? this.#ended(row, { organization, user, status, end, run, plan })
          : undefined,
      );
      if (isHeld) {
        locks.stage(unit, keeper.freed(lock));
        const now = clock.now();
        await states.stageChange(unit, run.sourceId, (state) =>
          next(state, { run, status, end, plan, now }),
        );
      }
      // A step that is repeated after its commit has published the run already.
      if (rows.every((row) => row.status !== 'PENDING')) return;
      const facts = {
        batch: run.batch,
        sourceId: run.sourceId,
        status,
        reasonCode: end?.reasonCode,
      };
      await this.#deps.events.publish(topicOf(status), run.sourceId, { ...facts, counts: user });
    });
    await this.#clear(run, status, plan);
    return { outcome: 'GO' };
  }

  /** A run that lost its source did not apply its plan whole. */
  async #lost(run: Run): Promise<RunEnd | undefined> {
    try {
      await this.#deps.keeper.check(run);
      return undefined;
    } catch (error) {
      if (error instanceof StopRun) return error.end;
      throw error;
    }
  }

  /** Counted anew, so that a step that ran twice counts once. */
  async #count(historyId: string, unchanged = 0): Promise<SyncCounts> {
    const counts: Tallied = { ...NO_COUNTS, unchanged };
    for await (const record of this.#deps.history.records(historyId)) counts[memberOf(record)] += 1;
    return counts;
  }

  #ended(
    row: SyncHistory,
    {
      organization,
      user,
      status,
      end,
      run,
      plan,
    }: {
      readonly organization: SyncCounts;
      readonly user: SyncCounts;
      readonly status: RunStatus;
      readonly end: RunEnd | undefined;
      readonly run: Run;
      readonly plan: StoredPlan | undefined;
    },
  ): Partial<SyncHistory> {
    const isOfUsers = row.objectType === 'USER';
    return {
      ...{ status, syncMode: run.mode, endTime: toInstant(this.#deps.clock.now()) },
      counts: isOfUsers ? user : organization,
      reasonCode: end?.reasonCode,
      desc: end?.desc,
      ...(plan && {
        sourceTotal: isOfUsers ? plan.users.total : plan.organization.total,
        planKey: 'plan',
      }),
    };
  }

  /** A plan that can be approved stays for a week; the other files have personal data and are deleted. */
  async #clear(run: Run, status: RunStatus, plan: StoredPlan | undefined): Promise<void> {
    const { groupPages, userPages } = run.snapshot;
    const names = [...pagesOf('groups', groupPages), ...pagesOf(USERS, userPages)];
    if (plan && status !== 'SUSPENDED' && status !== 'PREVIEW') {
      names.push(
        ...plan.chunks.map((number) => numbered('changes', number)),
        ...plan.missing.map((number) => numbered('missing', number)),
        'plan',
      );
    }
    if (run.only) names.push(ONLY);
    await this.#deps.files.delete(run, names);
  }
}

const pagesOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => numbered(name, index + 1));

function memberOf({ actionType, status, reasonCode }: SyncRecord): keyof SyncCounts {
  if (status === 'FAIL') return 'failed';
  if (status === 'SKIP') return 'skipped';
  if (actionType === 'INSERT') return 'created';
  if (actionType === 'DELETE') return 'deleted';
  if (actionType !== 'DISABLE') return 'updated';
  return reasonCode === 'SOURCE_INACTIVE' ? 'disabled' : 'deleted';
}

function topicOf(status: RunStatus): string {
  if (status === 'SUSPENDED') return SYNC_SUSPENDED;
  return status === 'FAIL' ? SYNC_FAILED : SYNC_COMPLETED;
}

interface Ended {
  readonly run: Run;
  readonly status: RunStatus;
  readonly end: RunEnd | undefined;
  readonly plan: StoredPlan | undefined;
  readonly now: number;
}

/** What the run leaves behind: only one that was applied moves the watermark. */
function next(state: SourceState, { run, status, end, plan, now }: Ended): Partial<SourceState> {
  const free = { runningBatch: undefined };
  if (plan?.isOfSome) return free;
  if (status === 'FAIL')
    return { ...free, health: afterFailure(state.health, end?.reasonCode, now) };
  if (status === 'SUSPENDED') {
    const health = { ...HEALTHY, status: 'SUSPENDED' as const, reason: end?.reasonCode };
    return { ...free, health };
  }
  if (status !== 'SUCCESS' && status !== 'PARTIAL') return free;
  const watermark = plan?.sourceTime === undefined ? {} : { watermark: toInstant(plan.sourceTime) };
  return {
    ...{ ...free, health: HEALTHY, appliedFence: run.fence, ...watermark },
    ...(plan?.mode === 'FULL' && { lastFullAt: toInstant(now) }),
  };
}
