import { jobNotice } from '../../shared/jobs/job-notice.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { encryptionPort, reEncryptionPort, settingValuesPort } from '../settings/port.ts';
import { entitiesRoutes } from './api/routes.ts';
import type { EntitiesConfig } from './configuration.ts';
import { listeners, SWEEP_TASK } from './listeners.ts';
import { createServices } from './services.ts';

/** The entities module and its services, for in-process use. */
export interface EntitiesModule extends Module {
  readonly services: ReturnType<typeof createServices>;
}

/** Builds the entities module (svc-cloud-dynamic): definitions and records. */
export function createEntitiesModule(context: ModuleContext<EntitiesConfig>): EntitiesModule {
  const reEncryption = bindPort(reEncryptionPort, context);
  const services = createServices(context, bindPort(encryptionPort, context).use(), () =>
    reEncryption.use(),
  );
  return {
    services,
    settings: bindPort(settingValuesPort, context).use(),
    routes: entitiesRoutes(services, context.config),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      schema: jobNotice(),
      // A step consists of many idempotent transactions.
      handle: ({ payload }) => apart(() => services.jobService.run(jobNotice().parse(payload))),
    })),
    tasks: {
      [SWEEP_TASK]: async () => {
        // Functions that may not write need the key to read lists.
        await services.cursorKey.get();
        return {
          rows: await services.journal.sweep(),
          work: await services.openWorkSweep.run(),
          expired: await services.trashExpiry.run(),
          jobs: await services.jobService.sweep(),
          reEncryption: await services.reEncryptionJob.takeRound(),
        };
      },
    },
  };
}
