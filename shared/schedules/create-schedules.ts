import type { Environment } from '../lambda/environment.ts';
import { once } from '../primitives/once.ts';
import type { OneTimeSchedules } from './one-time-schedule.ts';
import type { RecurringSchedules } from './recurring-schedule.ts';
import type { SchedulePlace } from './schedule-group.ts';

type WithServices = Pick<Environment, 'services'>;

/** One-time schedules in the group of the function's module; `undefined` when it has none. The client is loaded on first use. */
export function createOneTimeSchedules(environment: WithServices): OneTimeSchedules | undefined {
  const place = placeOf(environment);
  if (!place) return undefined;
  const client = once(async () => new (await load()).OneTimeClient(place));
  return {
    create: async (schedule, signal) => (await client()).create(schedule, signal),
    delete: async (name, signal) => (await client()).delete(name, signal),
  };
}

/** The same for schedules that fire again and again. */
export function createRecurringSchedules(
  environment: WithServices,
): RecurringSchedules | undefined {
  const place = placeOf(environment);
  if (!place) return undefined;
  const client = once(async () => new (await load()).RecurringClient(place));
  return {
    put: async (schedule) => (await client()).put(schedule),
    delete: async (name) => (await client()).delete(name),
  };
}

const load = () => import('./schedule-client.ts');

function placeOf({ services: { schedules } }: WithServices): SchedulePlace | undefined {
  return schedules?.targetArn ? { ...schedules, targetArn: schedules.targetArn } : undefined;
}
