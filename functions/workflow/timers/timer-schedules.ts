import type { TenantClock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import { timeLimit, within } from '../../../shared/primitives/time-limit.ts';
import type { OneTimeSchedules } from '../../../shared/schedules/one-time-schedule.ts';
import type { CommittedCommand } from '../cases/case-commands.ts';
import { type NextTimer, type NextTimers, nextTimers } from '../domain/cases/next-timers.ts';

export interface TimerSchedulesDependencies {
  /** Absent: the sweep alone fires timers. */
  readonly schedules: OneTimeSchedules | undefined;
  readonly tenantClock: TenantClock;
  readonly log: Log;
  /** What a command waits for schedules at most (ms). */
  readonly limitMs?: number;
}

const LIMIT_MS = 2_000;
/** Left for the answer of the invocation (ms). */
const RESERVE_MS = 1_000;
/** After a failure timers are left to the sweep for so long (ms). */
const PAUSE_MS = 30_000;
/** A schedule is made so long before it fires at least (ms). */
const LEAD_MS = 1_000;
/** Years of four digits are all that an expression can say. */
const INSTANT_LENGTH = '2026-03-01T09:00:00.000Z'.length;

/**
 * Keeps one schedule for each family of cases, and each process: that of its next due time, so that a command costs two calls at most, however
 * many timers it sets. Its name holds the due time, so no schedule is ever changed: one that is going is not in the way of
 * the next one. Nothing depends on it; the sweep fires whatever is not fired in time.
 */
export class TimerSchedules {
  readonly #deps: TimerSchedulesDependencies;
  readonly #task: string;
  #failedAt: number | undefined;

  constructor(dependencies: TimerSchedulesDependencies, task: string) {
    this.#deps = dependencies;
    this.#task = task;
  }

  /** Follows a command on a case behind its commit; never fails, and takes a limited time. */
  async follow({ before, change, isFiring }: CommittedCommand): Promise<void> {
    if (this.#deps.schedules) await this.move(nextTimers(before, change), isFiring);
  }

  /**
   * The same for due times that have moved.
   * @param isFiring by a timer that has fired: what is due already has its turn behind it
   */
  async move({ set, dropped }: NextTimers, isFiring: boolean): Promise<void> {
    const { schedules, tenantClock, log } = this.#deps;
    if (!schedules) return;
    const now = tenantClock.now();
    const toSet = set.filter(
      ({ dueAt }) => dueAt.length === INSTANT_LENGTH && (!isFiring || Date.parse(dueAt) > now),
    );
    // The schedule of a time that is over has fired, and is gone or goes by itself.
    const toDrop = dropped.filter(({ dueAt }) => Date.parse(dueAt) > now);
    if (toSet.length + toDrop.length === 0 || this.#isPaused()) return;
    const limit = timeLimit(this.#timeLeft());
    try {
      await within(limit.signal, () =>
        Promise.all([
          ...toSet.map((timer) => this.#create(schedules, timer, limit.signal)),
          ...toDrop.map((timer) => schedules.delete(nameOf(timer), limit.signal)),
        ]),
      );
    } catch (cause) {
      this.#failedAt = tenantClock.machine.now();
      log.warn('Timers are left to the sweep', { cause });
    } finally {
      limit.end();
    }
  }

  #create(schedules: OneTimeSchedules, timer: NextTimer, signal: AbortSignal): Promise<void> {
    const { tenantClock } = this.#deps;
    const machineNow = tenantClock.machine.now();
    const dueIn = Date.parse(timer.dueAt) - tenantClock.now();
    return schedules.create(
      {
        name: nameOf(timer),
        at: machineNow + Math.max(dueIn, LEAD_MS),
        task: this.#task,
        input: { familyId: timer.familyId },
      },
      signal,
    );
  }

  #isPaused(): boolean {
    const { machine } = this.#deps.tenantClock;
    return this.#failedAt !== undefined && machine.now() - this.#failedAt < PAUSE_MS;
  }

  #timeLeft(): number {
    const { limitMs = LIMIT_MS } = this.#deps;
    const { deadline } = requestContext();
    if (deadline === undefined) return limitMs;
    return Math.min(limitMs, deadline - this.#deps.tenantClock.machine.now() - RESERVE_MS);
  }
}

/** Timers that are due within the same second share a schedule. */
const nameOf = ({ familyId, dueAt }: NextTimer): string =>
  `${familyId}-${Math.ceil(Date.parse(dueAt) / 1_000)}`;
