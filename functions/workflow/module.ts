import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import {
  dynamicSection,
  type EntitiesConfig,
  recordMergesPort,
  recordsPort,
} from '../entities/port.ts';
import { settingValuesPort } from '../settings/port.ts';
import { workflowRoutes } from './api/routes.ts';
import { type WorkflowConfig, workflowSection } from './configuration.ts';
import { listeners, SWEEP_TASK } from './listeners.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Sections of the configuration that the function reads. */
export const sections = [workflowSection, dynamicSection] as const;

/** The workflow module and its services, for in-process use. */
export interface WorkflowModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the workflow module (svc-cloud-workflow): definitions, cases and tasks. */
export function createWorkflowModule(
  context: ModuleContext<WorkflowConfig & EntitiesConfig>,
): WorkflowModule {
  const services = servicesOnDemand(context, {
    reading: bindPort(recordsPort, context),
    merging: bindPort(recordMergesPort, context),
  });
  return {
    services,
    settings: bindPort(settingValuesPort, context).use(),
    routes: workflowRoutes(services, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      handle: async (message) => {
        await services.readiness.require();
        await services.commandListener.handle(message);
      },
    })),
    tasks: {
      [SWEEP_TASK]: async () => {
        await services.readiness.renew();
        return {
          rests: await services.cases.rests.sweep(),
          timers: await services.timers.sweep.run(),
          reminders: await services.reminders.run(),
          erasures: await services.cases.erasure.sweep(),
          retained: await services.cases.retention.sweep(),
          deployments: await services.compensation.sweep(),
        };
      },
    },
  };
}
