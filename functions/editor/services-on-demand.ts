import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import type { EditorConfig } from './configuration.ts';
import { DocumentAccess } from './opening/document-access.ts';
import type { OtherModules } from './services.ts';

export type ServicesOnDemand = ReturnType<typeof servicesOnDemand>;

/** All services of the module, read with the first call of one of them: a start needs their routes only. */
export function servicesOnDemand(context: ServiceContext<EditorConfig>, others: OtherModules) {
  const load = once(async () => (await import('./services.ts')).createServices(context, others));
  const services = allOnDemand(load);
  const { opening, delivery, callbacks, sessionService, serverStatus, forgotten } = services;
  const { endedHistories, versionService, versionRemoval, versionRestore } = services;
  return {
    access: new DocumentAccess(context),
    ...{ opening, delivery, callbacks, sessionService, serverStatus, forgotten },
    ...{ endedHistories, versionService, versionRemoval, versionRestore },
  };
}
