import { once } from '../primitives/once.ts';
import type { HttpClient, HttpClientOptions } from './contract.ts';
import { createTargetGuard } from './target.ts';

/** Creates a client; nothing is loaded or connected before its first call. */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const guard = createTargetGuard(options);
  let isUsed = false;
  const load = once(async () => {
    const { createHttpCalls } = await import('./http-calls.ts');
    return createHttpCalls(options, guard);
  });
  const calls = (): Promise<HttpClient> => {
    isUsed = true;
    return load();
  };
  return {
    request: async (...call) => (await calls()).request(...call),
    json: async (...call) => (await calls()).json(...call),
    download: async (...call) => (await calls()).download(...call),
    downloadToFile: async (...call) => (await calls()).downloadToFile(...call),
    close: async () => (isUsed ? (await load()).close() : undefined),
  };
}
