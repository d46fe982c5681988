import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import type { IdentityConfig } from './configuration.ts';
import type { OtherModules } from './services.ts';

export type ServicesOnDemand = ReturnType<typeof servicesOnDemand>;

/** All services of the module, read with the first call of one of them: a start needs their routes only. */
export function servicesOnDemand(context: ServiceContext<IdentityConfig>, others: OtherModules) {
  const load = once(async () => {
    const [
      { createDirectory, createServices },
      { createSourceSync },
      { createSyncParts },
      { providerIdsOf },
    ] = await Promise.all([
      import('./services.ts'),
      import('./sync/create-source-sync.ts'),
      import('./sync/sync-parts.ts'),
      import('./login/create-logins.ts'),
    ]);
    const { sync, pass, tasks } = createSourceSync(context, {
      ...createSyncParts(context),
      ...createDirectory(context, others),
      protectedAccounts: context.host.protectedAccounts,
      providerIdsOf: (sourceId) => providerIdsOf(context, sourceId),
    });
    return { ...createServices(context, others, { sync }), sync, pass, steps: tasks };
  });
  const services = allOnDemand(load);
  const { sources, sourceReader, removal, validator, accounts, runs, sync, pass } = services;
  const { runExport } = services;
  const { providers, providerValidator, logins, loginLimits, mail } = services;
  const { eventService, eventWorker, sessionKeys, steps, jobs, reEncryption } = services;
  return {
    ...{ sources, sourceReader, removal, validator, accounts, runs, runExport, sync, pass },
    ...{ eventService, eventWorker, sessionKeys, steps, jobs, reEncryption },
    ...{ providers, providerValidator, logins, loginLimits, mail },
    /** Address of the API as callers see it. */
    baseUrl: () => publicUrl(context.config.web),
  };
}
