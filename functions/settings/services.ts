import type { Host } from '../../shared/host/host.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import { AesEncryptService } from './encrypt-service.ts';
import { RefreshService } from './refresh-service.ts';
import { StandardSettingService } from './service.ts';
import { EpochRepository } from './store/epoch-repository.ts';
import { SettingRepository } from './store/setting-repository.ts';

/** Settings, encryption and refresh for code in the same function. */
export interface SettingsServices {
  readonly settingService: StandardSettingService;
  readonly refreshService: RefreshService;
  readonly encryptService: EncryptService;
}

/**
 * Builds the services of the settings module without its routes: for modules, hosts and listeners that read settings,
 * refresh or encrypt. Values are cached per environment and follow refreshes.
 */
export function createSettingsServices(context: ServiceContext): SettingsServices {
  const repository = new SettingRepository(context.table);
  const refreshService = new RefreshService({
    ...context,
    clock: context.tenantClock.machine,
    epochs: new EpochRepository(context.table),
    appCode: context.config.mq.appCode ?? 'app',
  });
  const encryptService = createEncryptService(context, repository);
  const Service = settingServiceClass(context.host);
  const settingService = new Service({ ...context, repository, refreshService, encryptService });
  return { settingService, refreshService, encryptService };
}

/** Encryption under the key in `security.aes_secret`, or the host's own. */
export function createEncryptService(
  context: ServiceContext,
  repository = new SettingRepository(context.table),
): EncryptService {
  return context.host.encryptService ?? createAesEncryption(context, repository);
}

/** Encryption under the key in `security.aes_secret`. */
export function createAesEncryption(
  context: ServiceContext,
  repository = new SettingRepository(context.table),
): AesEncryptService {
  return new AesEncryptService({ ...context, clock: context.tenantClock.machine, repository });
}

/** The host's class, which must extend `StandardSettingService`: the routes call all of its methods. */
function settingServiceClass({ settingService }: Host): typeof StandardSettingService {
  if (settingService === undefined) return StandardSettingService;
  if (settingService.prototype instanceof StandardSettingService) {
    return settingService as unknown as typeof StandardSettingService;
  }
  throw new Error(
    'The host is not valid: settingService must be a class that extends StandardSettingService',
  );
}
