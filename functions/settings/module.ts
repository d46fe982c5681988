import { jobNotice } from '../../shared/jobs/job-notice.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { apart } from '../../shared/store/unit-of-work.ts';
import { SETTING_JOB_TOPIC } from './events.ts';
import { listeners, SWEEP_TASK } from './listeners.ts';
import { createAssetFolder } from './platform/asset-folder.ts';
import { ClockService } from './platform/clock-service.ts';
import { HealthService } from './platform/health-service.ts';
import { apiDescriptionOnDemand } from './platform/openapi-on-demand.ts';
import { reEncryptionOnDemand } from './re-encryption/on-demand.ts';
import { settingsRoutes } from './routes.ts';
import { createSettingsServices, type SettingsServices } from './services.ts';

/** The settings module and its services, for in-process use. */
export interface SettingsModule extends Module {
  readonly services: SettingsServices;
}

/** Builds the settings module (svc-cloud-config): settings, encryption and refresh. */
export function createSettingsModule(context: ModuleContext): SettingsModule {
  const { config, environment } = context;
  const services = createSettingsServices(context);
  const { settingService, refreshService } = services;
  const reEncryptionService = reEncryptionOnDemand(context, services);
  const healthService = new HealthService({ ...context, clock: context.tenantClock.machine });
  const apiDescription = apiDescriptionOnDemand(createAssetFolder(), {
    modulesOn: environment.modulesOn,
    config: { ...environment.otherSections, ...config },
  });
  return {
    services,
    settings: settingService,
    routes: settingsRoutes(
      {
        settingService,
        refreshService,
        healthService,
        apiDescription,
        reEncryptionService,
        clockService: new ClockService(context),
      },
      config,
    ),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      ...(declaration.topic === SETTING_JOB_TOPIC && { schema: jobNotice() }),
      handle: (message) =>
        declaration.topic === SETTING_JOB_TOPIC
          ? // A step consists of many idempotent transactions.
            apart(() => reEncryptionService.run(jobNotice().parse(message.payload)))
          : refreshService.onNotice(message),
    })),
    tasks: {
      [SWEEP_TASK]: async () => {
        // A secret that cannot be read keeps no job from going on.
        const jobs = await reEncryptionService.sweep();
        return { jobs, rotated: await settingService.followSecret() };
      },
    },
  };
}
