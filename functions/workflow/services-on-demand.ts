import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import type { WorkflowConfig } from './configuration.ts';
import type { BusinessRecords } from './services.ts';

export type ServicesOnDemand = ReturnType<typeof servicesOnDemand>;

/** All services of the module, read with the first call of one of them: a start needs their routes only. */
export function servicesOnDemand(
  context: ServiceContext<WorkflowConfig>,
  records: BusinessRecords,
) {
  const load = once(async () => {
    const { createServices } = await import('./services.ts');
    return createServices(context, records);
  });
  const services = allOnDemand(load);
  const { modelCheck, compensation, readiness, runtime, commandListener, reminders } = services;
  const { definitions, definitionService, deploymentService, caseProgress } = services;
  const { deploymentCascade } = services;
  return {
    ...{ modelCheck, compensation, readiness, runtime, commandListener, reminders },
    ...{ definitions, definitionService, deploymentService, deploymentCascade, caseProgress },
    cases: allOnDemand(async () => (await load()).cases),
    tasks: allOnDemand(async () => (await load()).tasks),
    timers: allOnDemand(async () => (await load()).timers),
    processes: context.config.workflow.bpmnEndpointsEnabled
      ? allOnDemand(async () => defined((await load()).processes))
      : undefined,
  };
}

function defined<T>(services: T | undefined): T {
  if (services === undefined) throw new Error('Processes are switched off');
  return services;
}
