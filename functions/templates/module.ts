import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { settingValuesPort } from '../settings/port.ts';
import { templatesRoutes } from './api/routes.ts';
import type { TemplatesConfig } from './configuration.ts';
import { type ServicesOnDemand, servicesOnDemand } from './services-on-demand.ts';

/** The templates module and its services, for in-process use. */
export interface TemplatesModule extends Module {
  readonly services: ServicesOnDemand;
}

/** Builds the templates module (svc-cloud-template): templates and the documents that are generated from them. */
export function createTemplatesModule(context: ModuleContext<TemplatesConfig>): TemplatesModule {
  const settings = bindPort(settingValuesPort, context).use();
  const services = servicesOnDemand(context, { settings });
  return {
    ...{ services, settings },
    routes: templatesRoutes(services, context.config),
  };
}
