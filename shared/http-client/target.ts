import { isIP } from '../primitives/node/node-functions.ts';
import type { AddressKind } from './address-kind.ts';
import { HttpClientError } from './http-client-error.ts';

/** Where a client may connect to. */
export interface TargetPolicy {
  /** Whether the platform runs on the stage `local`: loopback, plain http and every port are permitted there. */
  readonly isLocal?: boolean | undefined;
  /**
   * Addresses that the module's configuration names; only their origin counts. They may be private and use plain
   * http and any port; loopback only where the name itself is a loopback address or `localhost`.
   */
  readonly namedOrigins?: readonly string[] | undefined;
  /** Ports of other targets; 443 when left out. */
  readonly ports?: readonly number[] | undefined;
}

/** Decides on targets: by their URL and by the network addresses that they resolve to. */
export interface TargetGuard {
  /**
   * Checks scheme, port and form of an address.
   * @throws HttpClientError `INVALID_URL`, `TARGET_REFUSED`
   */
  check(address: string | URL): URL;
  /** The kinds of network addresses that are permitted for an origin. */
  kindsOf(origin: string): ReadonlySet<AddressKind>;
  /** Whether the configuration names an origin. */
  isNamed(origin: string): boolean;
}

const PLAIN_HTTP = 'http:';

/** Makes the guard of a client from its policy. */
export function createTargetGuard({
  isLocal = false,
  namedOrigins = [],
  ports = [443],
}: TargetPolicy): TargetGuard {
  const named = new Set(namedOrigins.map((address) => new URL(address).origin));
  const isNamed = (origin: string): boolean => named.has(origin);
  return {
    isNamed,
    check(address) {
      const url = parse(address);
      if (isLocal || isNamed(url.origin)) return url;
      if (url.protocol === PLAIN_HTTP) throw refused('plain http is not permitted', url.origin);
      if (!ports.includes(Number(url.port || 443))) {
        throw refused('the port is not permitted', url.origin);
      }
      return url;
    },
    kindsOf(origin) {
      const kinds = new Set<AddressKind>(['public']);
      if (isNamed(origin)) kinds.add('private');
      if (isLocal || (isNamed(origin) && isLoopbackName(origin))) kinds.add('loopback');
      return kinds;
    },
  };
}

/** The error of a target that may not be called. */
export const refused = (message: string, origin: string): HttpClientError =>
  new HttpClientError('TARGET_REFUSED', message, { origin });

function parse(address: string | URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  // Keep the address out of the error: it may contain a password or a token.
  if (url?.protocol !== 'https:' && url?.protocol !== PLAIN_HTTP) {
    throw new HttpClientError('INVALID_URL', 'The address is not an absolute http(s) address');
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpClientError('INVALID_URL', 'the address holds a user name or password', {
      origin: url.origin,
    });
  }
  return url;
}

/** `localhost`, 127.0.0.0/8 or `[::1]`, as the URL parser writes them. */
function isLoopbackName(origin: string): boolean {
  const { hostname } = new URL(origin);
  if (/^(?:.+\.)?localhost\.?$/.test(hostname) || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
