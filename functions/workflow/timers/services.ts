import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { AllOnDemand } from '../../../shared/primitives/once.ts';
import { createOneTimeSchedules } from '../../../shared/schedules/create-schedules.ts';
import type { CaseServices } from '../cases/services.ts';
import { FIRE_TASK } from '../listeners.ts';
import type { ProcessTasks } from '../processes/process-tasks.ts';
import { TimerStore } from '../store/timers/timer-store.ts';
import { TimerFiring } from './timer-firing.ts';
import { TimerSchedules } from './timer-schedules.ts';
import { TimerService } from './timer-service.ts';
import { TimerSweep } from './timer-sweep.ts';

/** What makes timers prompt. In the function of another module the sweep alone fires them: it has no such task. */
export function createTimerSchedules(context: ServiceContext<PlatformConfig>): TimerSchedules {
  const { environment } = context;
  const isOwn = environment.module === 'workflow';
  const schedules = isOwn ? (context.schedules ?? createOneTimeSchedules(environment)) : undefined;
  return new TimerSchedules({ ...context, schedules }, FIRE_TASK);
}

/** The services of timers. */
export function createTimerServices(
  context: ServiceContext<PlatformConfig>,
  { commands, families, rests }: Pick<CaseServices, 'commands' | 'families' | 'rests'>,
  processes?: Pick<ProcessTasks, 'fireTimer' | 'waitingTimers'>,
) {
  const timers = new TimerStore(context);
  const firing = new TimerFiring({ ...context, commands, timers, processes });
  const sweep = new TimerSweep({
    ...{ ...context, timers, families, firing, processes },
    oldestRest: () => rests.oldest(),
  });
  return {
    firing,
    sweep,
    service: new TimerService({ ...context, timers, families, firing, sweep, processes }),
  };
}

/** What `createTimerServices` makes. */
export type TimerServices = ReturnType<typeof createTimerServices>;

/** The same as routes call them: their code is loaded with the first call. */
export type TimerCalls = AllOnDemand<TimerServices>;
