import { bucketFiles } from '../../../shared/files/create-files.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { Environment } from '../../../shared/lambda/environment.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { once } from '../../../shared/primitives/once.ts';
import { createRecurringSchedules } from '../../../shared/schedules/create-schedules.ts';
import type { IdentityConfig } from '../configuration.ts';
import { IdentitySourceBeanRegistry } from '../identity-source-bean-registry.ts';
import { RunFiles } from '../store/run-files.ts';
import type { SyncParts } from './create-source-sync.ts';
import type { Executions } from './machine/executions.ts';

/** Name of the state machine in the declaration. */
const MACHINE = 'sync';

/** What the synchronisation uses of AWS and of sources; clients are loaded with their first call. */
export function createSyncParts(
  context: ServiceContext<IdentityConfig>,
  files: Pick<Files, 'read' | 'write' | 'facts' | 'delete' | 'downloadLink'> = bucketFiles(
    context.environment.bucketName,
  ),
): Pick<SyncParts, 'providers' | 'files' | 'executions' | 'schedules'> {
  const { environment, config, tenantClock } = context;
  const pause = context.pause ?? ((ms: number) => new Promise((done) => setTimeout(done, ms)));
  return {
    providers: new IdentitySourceBeanRegistry({
      ...{ clock: tenantClock.machine, pause, idp: config.idp },
    }),
    // Not in the host's storage: they hold personal data, and expire with the rules of the bucket.
    files: new RunFiles({ files }),
    executions: executionsOf(environment),
    schedules: createRecurringSchedules(environment),
  };
}

function executionsOf({ services }: Pick<Environment, 'services'>): Executions {
  const load = once(async () => {
    const machine = services.stateMachines[MACHINE];
    if (machine === undefined) throw new Error('The function is told no state machine');
    const { StepFunctions } = await import('./machine/step-functions.ts');
    return new StepFunctions(machine);
  });
  return {
    start: async (...call) => (await load()).start(...call),
    isRunning: async (...call) => (await load()).isRunning(...call),
    exists: async (...call) => (await load()).exists(...call),
  };
}
