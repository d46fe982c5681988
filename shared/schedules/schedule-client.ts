import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { toInstant } from '../primitives/clock.ts';
import type { OneTimeSchedule, OneTimeSchedules } from './one-time-schedule.ts';
import type { RecurringSchedule, RecurringSchedules } from './recurring-schedule.ts';
import { ScheduleGroup, type SchedulePlace } from './schedule-group.ts';

/** Longest delay of a call (s), the least that AWS allows; later calls are left to the sweep. */
const ONCE_MAX_AGE_S = 60;
const RECURRING_MAX_AGE_S = 600;

/** EventBridge Scheduler; a file of its own, so that it is loaded with the first schedule only. */
export class OneTimeClient implements OneTimeSchedules {
  readonly #group: ScheduleGroup;

  constructor(place: SchedulePlace, client?: Pick<SchedulerClient, 'send'>) {
    this.#group = new ScheduleGroup(place, client);
  }

  async create({ name, at, task, input }: OneTimeSchedule, signal: AbortSignal): Promise<void> {
    const expression = `at(${wholeSecond(at)})`;
    const facts = { name, expression, timezone: 'UTC', input: { task, input } };
    await this.#group.create({ ...facts, maxAgeSeconds: ONCE_MAX_AGE_S }, signal);
  }

  delete(name: string, signal: AbortSignal): Promise<void> {
    return this.#group.delete(name, signal);
  }
}

/** The same for schedules that fire again and again. */
export class RecurringClient implements RecurringSchedules {
  readonly #group: ScheduleGroup;

  constructor(place: SchedulePlace, client?: Pick<SchedulerClient, 'send'>) {
    this.#group = new ScheduleGroup(place, client);
  }

  async put(recurring: RecurringSchedule): Promise<void> {
    const schedule = { ...recurring, maxAgeSeconds: RECURRING_MAX_AGE_S };
    if (await this.#group.update(schedule)) return;
    // Somebody else may have made it meanwhile.
    if (!(await this.#group.create(schedule))) await this.#group.update(schedule);
  }

  delete(name: string): Promise<void> {
    return this.#group.delete(name);
  }
}

/** Seconds are the finest that an expression says: never before the instant. */
const wholeSecond = (at: number): string => toInstant(Math.ceil(at / 1_000) * 1_000).slice(0, 19);
