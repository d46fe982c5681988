import type { Host } from '../../shared/host/host.ts';
import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { AesEncryptService } from './encrypt-service.ts';
import { listeners } from './listeners.ts';
import { createAssetFolder } from './platform/asset-folder.ts';
import { PlatformService } from './platform/health-service.ts';
import { ApiDescription } from './platform/openapi-service.ts';
import { RefreshService } from './refresh-service.ts';
import { SettingRepository } from './repository.ts';
import { settingsRoutes } from './routes.ts';
import { SettingServiceImpl } from './service.ts';

/** The settings module and its services, for in-process use. */
export interface SettingsModule extends Module {
  readonly services: {
    readonly settingService: SettingServiceImpl;
    readonly refreshService: RefreshService;
    readonly encryptService: EncryptService;
  };
}

/** Builds the settings module (svc-cloud-config): settings, encryption and refresh. */
export function createSettingsModule(context: ModuleContext): SettingsModule {
  const { config, environment } = context;
  const repository = new SettingRepository(context.table);
  const refreshService = new RefreshService({
    ...context,
    repository,
    appCode: config.mq.appCode ?? 'app',
  });
  const encryptService =
    context.host.encryptService ?? new AesEncryptService({ ...context, repository });
  const Service = settingServiceClass(context.host);
  const settingService = new Service({
    ...context,
    repository,
    refreshService,
    encryptService,
  });
  const platformService = new PlatformService(environment, repository);
  const apiDescription = new ApiDescription(createAssetFolder(), {
    modulesOn: environment.modulesOn,
    config: { ...environment.otherSections, ...config },
  });
  return {
    services: { settingService, refreshService, encryptService },
    routes: settingsRoutes(
      { settingService, refreshService, platformService, apiDescription },
      config,
    ),
    listeners: listeners.map((declaration) => ({
      ...declaration,
      handle: (message) => refreshService.onNotice(message),
    })),
  };
}

/** The host's class, which must extend ours: the routes call all of its methods. */
function settingServiceClass({ settingService }: Host): typeof SettingServiceImpl {
  if (settingService === undefined) return SettingServiceImpl;
  if (settingService.prototype instanceof SettingServiceImpl) {
    return settingService as unknown as typeof SettingServiceImpl;
  }
  throw new Error(
    'The host is not valid: settingService must be a class that extends SettingServiceImpl',
  );
}
