import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { once, onDemand } from '../../shared/primitives/once.ts';
import type { ApiDescription } from './platform/openapi-service.ts';
import type { SettingsServices } from './services.ts';

/** Re-encryption, loaded with its first call or job. */
export function reEncryptionOnDemand(context: ServiceContext, services: SettingsServices) {
  const load = once(async () => {
    const { ReEncryptionService } = await import('./re-encryption/re-encryption-service.ts');
    return { service: new ReEncryptionService(context, services) };
  });
  return onDemand(load, 'service', 'start', 'get', 'cancel', 'run', 'sweep');
}

/** The API description, loaded with the first request for it. */
export function apiDescriptionOnDemand(...given: ConstructorParameters<typeof ApiDescription>) {
  const load = once(async () => {
    const { ApiDescription } = await import('./platform/openapi-service.ts');
    return { api: new ApiDescription(...given) };
  });
  return onDemand(load, 'api', 'document', 'page', 'file');
}
