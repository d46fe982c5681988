import type { Environment } from '../lambda/environment.ts';
import { once } from '../primitives/once.ts';
import type { OneTimeSchedules } from './one-time-schedule.ts';

/** The schedules in the group of the function's module; `undefined` when it has none. The client is loaded on first use. */
export function createOneTimeSchedules({
  services: { schedules },
}: Pick<Environment, 'services'>): OneTimeSchedules | undefined {
  if (!schedules?.targetArn) return undefined;
  const place = { ...schedules, targetArn: schedules.targetArn };
  const client = once(async () => {
    const { ScheduleClient } = await import('./schedule-client.ts');
    return new ScheduleClient(place);
  });
  return {
    create: async (schedule, signal) => (await client()).create(schedule, signal),
    delete: async (name, signal) => (await client()).delete(name, signal),
  };
}
