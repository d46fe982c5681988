import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import type { TemplatesConfig } from './configuration.ts';

export type ServicesOnDemand = ReturnType<typeof servicesOnDemand>;

/** All services of the module, read with the first call of one of them: a start needs their routes only. */
export function servicesOnDemand(context: ServiceContext<TemplatesConfig>) {
  const load = once(async () => (await import('./services.ts')).createServices(context));
  return allOnDemand(load);
}
