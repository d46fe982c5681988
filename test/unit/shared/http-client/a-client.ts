import { afterEach } from 'vitest';
import type { HttpClient, HttpClientOptions } from '../../../../shared/http-client/contract.ts';
import { createHttpClient } from '../../../../shared/http-client/http-client.ts';
import { HttpClientError } from '../../../../shared/http-client/http-client-error.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** Closes a server or client after the test. */
export function closing<T extends { close(): Promise<void> }>(each: T): T {
  open.push(each);
  return each;
}

/** A client of the stage local, with short times. */
export const aClient = (options: HttpClientOptions = {}): HttpClient =>
  closing(
    createHttpClient({ isLocal: true, totalTimeoutMs: 5_000, connectTimeoutMs: 2_000, ...options }),
  );

/** The error that a call ends with. @throws Error when it does not end with one */
export async function errorOf(call: Promise<unknown>): Promise<HttpClientError> {
  const outcome: unknown = await call.catch((error: unknown) => error);
  if (outcome instanceof HttpClientError) return outcome;
  throw new Error('The call did not end with an HttpClientError', { cause: outcome });
}

/** A resolver that gives these addresses to the first call, the second and so on; the last ones from then on. */
export function resolverOf(...rounds: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolveName = async (hostname: string) => {
    const addresses = rounds[Math.min(asked.length, rounds.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolveName, asked };
}
