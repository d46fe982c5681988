import * as z from 'zod';
import { sweepAll } from '../../shared/jobs/sweep-all.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import {
  dynamicSection,
  type EntitiesConfig,
  recordMergesPort,
  recordsPort,
} from '../entities/port.ts';
import { settingValuesPort } from '../settings/port.ts';
import { workflowRoutes } from './api/routes.ts';
import { type WorkflowConfig, workflowSection } from './configuration.ts';
import { FIRE_TASK, listeners, SWEEP_TASK } from './listeners.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Input of `FIRE_TASK`. */
const firedFamily = lazy(() => z.strictObject({ familyId: z.string() }));

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
  const sweeps = {
    rests: () => services.cases.rests.sweep(),
    processes: async () => (await services.processes?.calls.sweep()) ?? 0,
    timers: () => services.timers.sweep.run(),
    reminders: () => services.reminders.run(),
    objects: () => services.cases.objects.sweep(),
    erasures: () => services.cases.erasure.sweep(),
    processErasures: async () => (await services.processes?.deletion.sweep()) ?? 0,
    retained: () => services.cases.retention.sweep(),
    deployments: () => services.compensation.sweep(),
    cascades: () => services.deploymentCascade.sweep(),
  };
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
      judge: (cause) => services.commandListener.judge(cause),
    })),
    tasks: {
      [FIRE_TASK]: async (input) => {
        await services.readiness.require();
        return services.timers.sweep.runForFamily(firedFamily().parse(input).familyId);
      },
      [SWEEP_TASK]: async () => {
        await services.readiness.renew();
        return sweepAll(sweeps, context.log);
      },
    },
  };
}
