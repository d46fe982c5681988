import { once, onDemand } from '../../../shared/primitives/once.ts';
import type { ApiDescription } from './openapi-service.ts';

/** The API description, loaded with the first request for it. */
export function apiDescriptionOnDemand(...given: ConstructorParameters<typeof ApiDescription>) {
  const load = once(async () => {
    const { ApiDescription } = await import('./openapi-service.ts');
    return { api: new ApiDescription(...given) };
  });
  return onDemand(load, 'api', 'document', 'page', 'file');
}
