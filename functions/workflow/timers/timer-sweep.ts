import { type TenantClock, toInstant } from '../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import {
  firstOpenHour,
  HOUR_MS,
  hourOf,
  hourOfInstant,
  hoursBetween,
} from '../domain/cases/due-hours.ts';
import { waitingTimers } from '../domain/cases/next-timers.ts';
import { timerPlace } from '../domain/cases/row-changes.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import type { StoredTimer } from '../store/timers/timer-items.ts';
import type { TimerStore } from '../store/timers/timer-store.ts';
import { type FiringCounts, fireInOrder } from './firing-order.ts';
import type { TimerFiring } from './timer-firing.ts';

export interface TimerSweepDependencies {
  readonly timers: TimerStore;
  readonly families: FamilyStore;
  /** Timers of processes; absent where there are none. */
  readonly processes?: Pick<ProcessTasks, 'waitingTimers'> | undefined;
  readonly firing: TimerFiring;
  readonly tenantClock: TenantClock;
  /** When the oldest command was given that has left writes to do; none: `undefined`. */
  readonly oldestRest: () => Promise<string | undefined>;
}

/** How a sweep went. */
export interface SweptTimers extends FiringCounts {
  /** More timers are due than one sweep fires. */
  readonly isTruncated: boolean;
}

/** Where the very first sweep begins: it looks so far back (ms). */
const FIRST_LOOK_MS = 24 * HOUR_MS;
/** Timers that one sweep takes up. */
const MAX_DUE = 1_000;
/** How long one sweep reads what is due (ms). */
const MAX_READ_MS = 5_000;
/** How long one sweep fires it (ms); what is left comes with the next one. */
const MAX_TIME_MS = 20_000;
const PARALLEL = 4;

/** Fires what is due: the rows are the truth, and it does not matter who else fires timers. */
export class TimerSweep {
  readonly #deps: TimerSweepDependencies;

  constructor(dependencies: TimerSweepDependencies) {
    this.#deps = dependencies;
  }

  /** Fires what is due, in every family one timer after another. */
  async run(): Promise<SweptTimers> {
    const due = await this.#due();
    const families = Map.groupBy(due, ({ familyId }) => familyId);
    return this.#fire([...families.values()], due.length);
  }

  /** Fires what is due of one family of cases, or process; one that is not there has no timers. */
  async runForFamily(familyId: string): Promise<SweptTimers> {
    const { timers, families, processes, tenantClock } = this.#deps;
    const family = await families.load(familyId);
    const waiting = family
      ? waitingTimers(family)
      : ((await processes?.waitingTimers(familyId)) ?? []);
    const { of } = await tenantClock.times();
    const due = (await timers.many(waiting))
      .filter((timer) => isToTry(timer, toInstant(of(timer.tenantCode || undefined))))
      .sort((a, b) => (a.sk < b.sk ? -1 : 1));
    return this.#fire([due], due.length);
  }

  /** Fires what is due of one tenant, all in order of due time. */
  async runFor(tenant: string | undefined): Promise<SweptTimers> {
    const { timers, tenantClock } = this.#deps;
    const now = toInstant((await tenantClock.times()).of(tenant));
    const due = await timers.ofTenant(tenant ?? '', now, MAX_DUE);
    return this.#fire([due.filter((timer) => isToTry(timer, now))], due.length);
  }

  async #fire(lanes: readonly (readonly StoredTimer[])[], due: number): Promise<SweptTimers> {
    const { firing, tenantClock } = this.#deps;
    const times = await tenantClock.times();
    const end = tenantClock.machine.now() + MAX_TIME_MS;
    let left = MAX_DUE;
    const isOver = () => left <= 0 || tenantClock.machine.now() >= end;
    const counts = await mapLimited(lanes, PARALLEL, (lane) =>
      fireInOrder(lane, {
        fire: (timer) => {
          left -= 1;
          return firing.fire(timer);
        },
        dueUntil: (tenantCode) => toInstant(times.of(tenantCode || undefined)),
        isOver,
      }),
    );
    return {
      fired: counts.reduce((sum, { fired }) => sum + fired, 0),
      failed: counts.reduce((sum, { failed }) => sum + failed, 0),
      isTruncated: due >= MAX_DUE || isOver(),
    };
  }

  /** What is due, as far as there is time to read; the next sweep goes on from there. */
  async #due(): Promise<readonly StoredTimer[]> {
    const { timers, tenantClock } = this.#deps;
    const times = await tenantClock.times();
    const end = tenantClock.machine.now() + MAX_READ_MS;
    const isLate = () => tenantClock.machine.now() >= end;
    const swept = await timers.swept();
    const after = swept?.overdueAfter;
    const overdue = await timers.overdue(toInstant(times.latest), MAX_DUE, { after, isLate });
    const hours = await this.#ofHours(swept?.hour, isLate);
    if (hours.next !== swept?.hour || overdue.next !== after) {
      await timers.noteSwept({ hour: hours.next, overdueAfter: overdue.next });
    }
    const found = [...overdue.timers, ...hours.timers];
    for (const tenant of times.ahead) {
      found.push(...(await timers.ofTenant(tenant ?? '', toInstant(times.of(tenant)), MAX_DUE)));
    }
    const toTry = found.filter((timer) =>
      isToTry(timer, toInstant(times.of(timer.tenantCode || undefined))),
    );
    return [...new Map(toTry.map((timer) => [timerPlace(timer), timer])).entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, timer]) => timer)
      .slice(0, MAX_DUE);
  }

  /** Timers of the hours from the oldest that is not done with, and which that is from now on. */
  async #ofHours(
    noted: string | undefined,
    isLate: () => boolean,
  ): Promise<{ readonly timers: readonly StoredTimer[]; readonly next: string }> {
    const { timers, tenantClock } = this.#deps;
    const now = tenantClock.machine.now();
    const until = toInstant(now);
    const found: StoredTimer[] = [];
    const first = noted ?? hourOf(now - FIRST_LOOK_MS);
    let last = first;
    for (const hours of hoursBetween(first, hourOf(now))) {
      if (found.length >= MAX_DUE || isLate()) break;
      const rows = await Promise.all(hours.map((hour) => timers.ofHour(hour, until, MAX_DUE)));
      found.push(...rows.flat());
      last = hours.at(-1) ?? last;
    }
    const [oldest] = found;
    const open = firstOpenHour(now, await this.#deps.oldestRest());
    const done = [oldest ? hourOfInstant(oldest.dueAt) : last, open].sort()[0] ?? last;
    const next = noted !== undefined && done < noted ? noted : done;
    return { timers: found.slice(0, MAX_DUE), next };
  }
}

const isToTry = ({ nextTryAt, state, dueAt }: StoredTimer, now: string): boolean =>
  state === 'PENDING' && dueAt <= now && (nextTryAt === undefined || nextTryAt <= now);
