import { jobNotice } from '../../shared/jobs/job-notice.ts';
import { sweepAll } from '../../shared/jobs/sweep-all.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { dynamicSection, type EntitiesConfig, recordsPort } from '../entities/port.ts';
import { settingValuesPort } from '../settings/port.ts';
import { templatesRoutes } from './api/routes.ts';
import { type TemplatesConfig, templateSection } from './configuration.ts';
import { listeners, SWEEP_TASK } from './listeners.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** Sections of the configuration that the function reads. */
export const sections = [templateSection, dynamicSection] as const;

/** The templates module and its services, for in-process use. */
export interface TemplatesModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the templates module (svc-cloud-template): templates and the documents that are generated from them. */
export function createTemplatesModule(
  context: ModuleContext<TemplatesConfig & EntitiesConfig>,
): TemplatesModule {
  const settings = bindPort(settingValuesPort, context).use();
  const records = bindPort(recordsPort, context);
  const services = servicesOnDemand(context, { settings, records });
  return {
    ...{ services, settings },
    routes: templatesRoutes(services, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      schema: jobNotice(),
      // A step consists of many idempotent transactions.
      handle: ({ payload }) => apart(() => services.jobs.run(jobNotice().parse(payload))),
    })),
    tasks: {
      [SWEEP_TASK]: () =>
        sweepAll(
          {
            generations: () => services.generationSweep.sweep(),
            jobs: () => services.jobs.sweep(),
            files: () => services.fileSweep.sweep(),
          },
          context.log,
        ),
    },
  };
}
