import { type TenantClock, toInstant } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { decodeCursor, encodeCursor } from '../../../shared/store/cursor.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import { MAX_AHEAD_MS, stageAdvance } from '../../../shared/store/tenant-clock.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { requireVisible, sees } from '../cases/visibility.ts';
import { caseIn } from '../domain/cases/family.ts';
import { problems } from '../errors.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import type { StoredTimer, TimerState } from '../store/timers/timer-items.ts';
import type { TimerStore } from '../store/timers/timer-store.ts';
import type { TimerFiring } from './timer-firing.ts';
import type { SweptTimers, TimerSweep } from './timer-sweep.ts';

export interface TimerServiceDependencies {
  readonly timers: TimerStore;
  readonly families: FamilyStore;
  /** Timers of processes; absent where there are none. */
  readonly processes?: Pick<ProcessTasks, 'waitingTimers'> | undefined;
  readonly firing: TimerFiring;
  readonly sweep: TimerSweep;
  readonly tenantClock: TenantClock;
  readonly unitOfWork: RunUnitOfWork;
}

/** A timer after it was tried again. */
export interface RetriedTimer {
  readonly timer: StoredTimer;
  readonly outcome: 'FIRED' | TimerState;
}

/** Lists timers, and tries those again that could not be fired. */
export class TimerService {
  readonly #deps: TimerServiceDependencies;

  constructor(dependencies: TimerServiceDependencies) {
    this.#deps = dependencies;
  }

  page(
    tenantCode: string,
    state: TimerState,
    request: PageRequest,
  ): Promise<ReadPage<StoredTimer>> {
    return this.#deps.timers.page(tenantCode, state, request);
  }

  /** A page of the timers of a case or process, by due time. @throws Problem `CASE_NOT_FOUND` (404) */
  async ofCase(
    caseInstanceId: string,
    state: TimerState,
    { page = 0, size, cursor }: PageRequest,
    principal: Principal,
  ): Promise<ReadPage<StoredTimer>> {
    const identity = { caseInstanceId, state };
    const number = cursor === undefined ? page : decodeCursor(cursor, identity).page;
    const waiting = (await this.#waiting(caseInstanceId, principal)).filter(
      (timer) => timer.state === state,
    );
    const end = (number + 1) * size;
    return {
      content: waiting.slice(end - size, end),
      ...{ number, size },
      nextCursor:
        waiting.length > end
          ? encodeCursor({ page: number + 1, startKey: {} }, identity)
          : undefined,
    };
  }

  async #waiting(caseInstanceId: string, principal: Principal): Promise<readonly StoredTimer[]> {
    const { families, processes, timers } = this.#deps;
    const found = await families.load(caseInstanceId);
    const ofProcess = found ? undefined : await processes?.waitingTimers(caseInstanceId, principal);
    if (ofProcess) return byDueTime(await timers.many(ofProcess));
    const family = requireVisible(found, caseInstanceId, principal);
    const items = caseIn(family, caseInstanceId)?.planItems ?? [];
    const waiting = items.flatMap(({ id, state, timer }) =>
      timer && state === 'available' ? [{ planItemInstanceId: id, dueAt: timer.dueAt }] : [],
    );
    const rows = await timers.many(waiting);
    return byDueTime(rows.filter((row) => row.caseInstanceId === caseInstanceId));
  }

  /**
   * Fires a timer that could not be fired, at once.
   * @throws Problem `TIMER_NOT_FOUND` (404), `TIMER_NOT_DUE` (409)
   */
  async retry(id: string, principal: Principal): Promise<RetriedTimer> {
    const { timers, firing, tenantClock } = this.#deps;
    const place = placeOf(id);
    const timer = place && (await timers.find(place.planItemInstanceId, place.dueAt));
    if (!timer || !sees(principal, timer.tenantCode)) throw problems.timerNotFound({ id });
    const { of } = await tenantClock.times();
    if (timer.dueAt > toInstant(of(timer.tenantCode || undefined))) {
      throw problems.timerNotDue({ id, dueAt: timer.dueAt });
    }
    const anew = { attempts: 0, state: 'PENDING', nextTryAt: undefined } as const;
    const fresh = await timers.change(timer, anew);
    if (!fresh) throw problems.timerNotFound({ id });
    const fired = await firing.fire(fresh, principal);
    if (fired.outcome === 'gone') throw problems.timerNotFound({ id });
    if (fired.outcome === 'fired') return { timer, outcome: 'FIRED' };
    return { timer: fired.timer, outcome: fired.timer.state };
  }

  /**
   * Advances the time of a tenant, and fires what is due by then.
   * @param stops whether it stands from then on but for advances
   * @throws Problem `VALIDATION_FAILED` (400) beyond ten years ahead of the machine, or where no tenant is to stand
   */
  async advance(
    tenant: string | undefined,
    ms: number,
    stops = false,
  ): Promise<SweptTimers & { readonly now: number }> {
    const { unitOfWork, tenantClock, sweep } = this.#deps;
    if (stops && tenant === undefined) throw needsTenant('/stop');
    const by = { ms, stopAt: stops ? tenantClock.machine.now() : undefined };
    await apart(() =>
      unitOfWork(async (unit) => stageAdvance(unit, tenant, by, () => tooFar('/duration'))),
    );
    const swept = await sweep.runFor(tenant);
    return { ...swept, now: (await tenantClock.times()).of(tenant) };
  }
}

const byDueTime = (rows: readonly StoredTimer[]): readonly StoredTimer[] =>
  rows.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));

/** What a timer is called outside: its instance and when it is due. */
export const timerIdOf = ({
  planItemInstanceId,
  dueAt,
}: Pick<StoredTimer, 'planItemInstanceId' | 'dueAt'>): string =>
  `${planItemInstanceId}.${Date.parse(dueAt)}`;

function placeOf(id: string): { planItemInstanceId: string; dueAt: string } | undefined {
  const [, planItemInstanceId, time] = /^(.{1,100})\.(\d{1,15})$/.exec(id) ?? [];
  if (planItemInstanceId === undefined || time === undefined) return undefined;
  return { planItemInstanceId, dueAt: toInstant(Number(time)) };
}

function needsTenant(pointer: string): Error {
  const detail = 'needs a caller with a tenant: all others share the time of none';
  return httpProblems.validationFailed([{ pointer, code: 'TENANT_MISSING', detail }]);
}

function tooFar(pointer: string): Error {
  const detail = `must not put the time of the tenant more than ${MAX_AHEAD_MS / 86_400_000} days ahead`;
  return httpProblems.validationFailed([{ pointer, code: 'TOO_BIG', detail }]);
}
