import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { once, onDemand } from '../../../shared/primitives/once.ts';
import type { SettingsServices } from '../services.ts';

/** Re-encryption, loaded with its first call or job. */
export function reEncryptionOnDemand(context: ServiceContext, services: SettingsServices) {
  const load = once(async () => {
    const { ReEncryptionService } = await import('./re-encryption-service.ts');
    return { service: new ReEncryptionService(context, services) };
  });
  return onDemand(load, 'service', 'start', 'get', 'cancel', 'run', 'sweep');
}
