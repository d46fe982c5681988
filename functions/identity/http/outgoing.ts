import type { JWTVerifyGetKey } from 'jose';
import type { HttpClient } from '../../../shared/http-client/contract.ts';
import { createHttpClient } from '../../../shared/http-client/http-client.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { remoteKeys } from '../../../shared/security/remote-keys.ts';

/** Hosts with private addresses that may be called, and those over plain http. */
export interface CalledHosts {
  readonly allowedHosts: readonly string[];
  readonly allowInsecureHosts: readonly string[];
}

interface OutgoingContext {
  readonly config: { readonly idp: CalledHosts };
  readonly clock: Clock;
}

/** Calls sources and identity providers: public ones over https, and those that the configuration names. */
export function createOutgoing({ config }: Pick<OutgoingContext, 'config'>): HttpClient {
  const { allowedHosts, allowInsecureHosts } = config.idp;
  return createHttpClient({
    connectTimeoutMs: 10_000,
    namedOrigins: [
      ...[...allowedHosts, ...allowInsecureHosts].map((host) => `https://${host}`),
      ...allowInsecureHosts.map((host) => `http://${host}`),
    ],
  });
}

/** Whether browsers may be sent to an address: over https, or over plain http to hosts that are named for that. */
export const mayOpen =
  ({ config }: Pick<OutgoingContext, 'config'>) =>
  ({ protocol, host, username, password }: URL): boolean => {
    const isNamed = protocol === 'http:' && config.idp.allowInsecureHosts.includes(host);
    return (protocol === 'https:' || isNamed) && username === '' && password === '';
  };

/** Keys by their address, remembered. */
export function keysOf(
  context: OutgoingContext,
): (jwksUri: string, issuer: string) => JWTVerifyGetKey {
  const http = lazy(() => createOutgoing(context));
  const known = new Map<string, JWTVerifyGetKey>();
  return (jwksUri, issuer) => {
    const keys =
      known.get(jwksUri) ?? remoteKeys({ issuer, jwksUri }, { http: http(), clock: context.clock });
    known.set(jwksUri, keys);
    return keys;
  };
}
