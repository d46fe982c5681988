import { type TenantClock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import type { CaseCommands, DoneCommand } from '../cases/case-commands.ts';
import type { FamilyContent } from '../domain/cases/family.ts';
import type { TimerChange } from '../domain/cases/family-change.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { StoredTimer } from '../store/timers/timer-items.ts';
import type { TimerStore } from '../store/timers/timer-store.ts';

/** What has become of a timer that was due. */
export type Firing =
  | { readonly outcome: 'fired'; readonly timers: readonly TimerChange[] }
  /** The case has no such timer any more: it has fired already, or it was withdrawn. */
  | { readonly outcome: 'gone' }
  /** It is retried, or, when it is `FAILED`, only on request. */
  | { readonly outcome: 'failed'; readonly timer: StoredTimer };

export interface TimerFiringDependencies {
  readonly commands: CaseCommands;
  /** Timers of processes; absent where there are none. */
  readonly processes?: Pick<ProcessTasks, 'fireTimer'> | undefined;
  readonly timers: TimerStore;
  readonly tenantClock: TenantClock;
  readonly log: Log;
}

/** After so many failed attempts a timer fires only on request. */
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_ERROR = 500;

/** The case waits for no such timer. */
class TimerGone extends Error {}

/** Fires timers that are due; however often it is asked to, each of them once. */
export class TimerFiring {
  readonly #deps: TimerFiringDependencies;

  constructor(dependencies: TimerFiringDependencies) {
    this.#deps = dependencies;
  }

  async fire(timer: StoredTimer, principal: Principal = systemPrincipal): Promise<Firing> {
    const { tenantClock } = this.#deps;
    return tenantClock.at(timer.tenantCode || undefined, () => this.#fire(timer, principal));
  }

  async #fire(timer: StoredTimer, principal: Principal): Promise<Firing> {
    const { commands } = this.#deps;
    const { caseInstanceId, planItemInstanceId, dueAt } = timer;
    try {
      if (timer.engine === 'BPMN') return await this.#fireOfProcess(timer, principal);
      const done = await apart(() =>
        commands.give({
          ...{ caseInstanceId, principal },
          command: (family) => {
            if (!isWaiting(family, timer)) throw new TimerGone();
            return { type: 'fireTimer', planItemInstanceId, dueAt };
          },
        }),
      );
      this.#warnOfSkipped(timer, done);
      return { outcome: 'fired', timers: [...done.change.timers.values()] };
    } catch (cause) {
      return this.#settle(timer, cause);
    }
  }

  /** A row that cannot be changed stays as it is, for the next one who reads it. */
  async #settle(timer: StoredTimer, cause: unknown): Promise<Firing> {
    const { timers, log } = this.#deps;
    try {
      if (!isGone(cause)) return await this.#postpone(timer, cause);
      await timers.drop(timer);
      return { outcome: 'gone' };
    } catch (failure) {
      const { caseInstanceId, planItemInstanceId, dueAt } = timer;
      const about = { caseInstanceId, planItemInstanceId, dueAt, cause: failure };
      log.error('The outcome of a timer could not be stored', about);
      return { outcome: 'failed', timer };
    }
  }

  async #fireOfProcess(timer: StoredTimer, principal: Principal): Promise<Firing> {
    const { processes } = this.#deps;
    if (!processes) throw new Error('Processes are switched off');
    const timers = await apart(() => processes.fireTimer(timer, principal));
    return { outcome: 'fired', timers };
  }

  /** Whoever else has it meanwhile goes on with it. */
  async #postpone(timer: StoredTimer, cause: unknown): Promise<Firing> {
    const { tenantClock, timers, log } = this.#deps;
    const { code } = toProblem(cause);
    // What has nothing to do with the timer brings it no nearer to being given up.
    const attempts = BUSY.includes(code) ? timer.attempts : timer.attempts + 1;
    // Commands that were faster have had their turn: the next sweep tries again.
    const pause =
      code === OVERTAKEN ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** timer.attempts, LONGEST_PAUSE_MS);
    const changed: StoredTimer = {
      ...timer,
      attempts,
      state: attempts < MAX_ATTEMPTS ? 'PENDING' : 'FAILED',
      nextTryAt: toInstant(tenantClock.now() + pause),
      lastError: errorText(cause),
    };
    const { caseInstanceId, planItemInstanceId, dueAt } = timer;
    const about = { caseInstanceId, planItemInstanceId, dueAt, attempts, cause };
    if (changed.state === 'FAILED') log.error('A timer is not tried again', about);
    else log.warn('A timer could not be fired', about);
    await timers.change(timer, changed);
    return { outcome: 'failed', timer: changed };
  }

  #warnOfSkipped({ caseInstanceId, planItemInstanceId }: StoredTimer, { change }: DoneCommand) {
    const changes = change.history.flatMap((entry) => entry.changes);
    for (const { type, skipped } of changes) {
      if (type !== 'timerCatchUpCapped') continue;
      const about = { caseInstanceId, planItemInstanceId, skipped };
      this.#deps.log.warn('The oldest overdue firings of a timer are left out', about);
    }
  }
}

/** Whether the case waits for exactly this firing. */
function isWaiting(
  { state }: FamilyContent,
  { caseInstanceId, planItemInstanceId, dueAt }: StoredTimer,
): boolean {
  const found = state.cases.find(({ id }) => id === caseInstanceId);
  const item = found?.planItems.find(({ id }) => id === planItemInstanceId);
  return found?.state === 'active' && item?.state === 'available' && item.timer?.dueAt === dueAt;
}

/** What a case or process answers that does not wait. */
const GONE = ['CASE_NOT_FOUND', 'PROCESS_NOT_FOUND', 'PROCESS_NOT_ACTIVE', 'ACTIVITY_NOT_WAITING'];

const isGone = (cause: unknown): boolean =>
  cause instanceof TimerGone || (cause instanceof Problem && GONE.includes(cause.code));

/** Other commands on the same case or process came first each time. */
const OVERTAKEN = 'CONCURRENT_UPDATE';
/** The table was too busy, or out of reach. */
const BUSY = ['SERVICE_UNAVAILABLE', OVERTAKEN];

function errorText(cause: unknown): string {
  if (cause instanceof Problem) return `${cause.code}: ${cause.message}`.slice(0, MAX_ERROR);
  return 'INTERNAL_ERROR';
}
