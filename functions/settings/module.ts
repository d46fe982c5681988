import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { listeners } from './listeners.ts';
import { createAssetFolder } from './platform/asset-folder.ts';
import { ClockService } from './platform/clock-service.ts';
import { PlatformService } from './platform/health-service.ts';
import { ApiDescription } from './platform/openapi-service.ts';
import { SettingRepository } from './repository.ts';
import { settingsRoutes } from './routes.ts';
import { createSettingsServices, type SettingsServices } from './services.ts';

/** The settings module and its services, for in-process use. */
export interface SettingsModule extends Module {
  readonly services: SettingsServices;
}

/** Builds the settings module (svc-cloud-config): settings, encryption and refresh. */
export function createSettingsModule(context: ModuleContext): SettingsModule {
  const { config, environment } = context;
  const repository = new SettingRepository(context.table);
  const services = createSettingsServices(context, repository);
  const { settingService, refreshService } = services;
  const platformService = new PlatformService(environment, repository);
  const apiDescription = new ApiDescription(createAssetFolder(), {
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
        platformService,
        apiDescription,
        clockService: new ClockService(context),
      },
      config,
    ),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      handle: (message) => refreshService.onNotice(message),
    })),
  };
}
