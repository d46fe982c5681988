import { parseCookie, stringifySetCookie } from 'cookie';

/** A cookie that an answer sets, for the whole host and never for scripts. */
export interface ReplyCookie {
  /** Name without a prefix: `__Host-` is put before it wherever browsers take it. */
  readonly name: string;
  readonly value: string;
  /** Lifetime; it ends with the browser's session when left out, and 0 removes it. */
  readonly maxAgeSeconds?: number;
  /** `lax` when left out: sent with navigations from other sites, as a login that comes back needs it. */
  readonly sameSite?: 'lax' | 'strict' | 'none';
}

/** Browsers take it only over https, for the whole host and without a domain. @see RFC 6265bis, section 4.1.3.2 */
const HOST_PREFIX = '__Host-';

/**
 * The `Set-Cookie` line of a cookie.
 * @param isPlainHttp whether browsers reach the platform without TLS (the stage local): prefix and `Secure` go then.
 */
export function setCookieLine(
  { name, value, maxAgeSeconds, sameSite = 'lax' }: ReplyCookie,
  isPlainHttp: boolean,
): string {
  if (name === '') throw new TypeError('A cookie needs a name');
  return stringifySetCookie({
    name: isPlainHttp ? name : `${HOST_PREFIX}${name}`,
    value,
    path: '/',
    httpOnly: true,
    secure: !isPlainHttp,
    sameSite: isPlainHttp && sameSite === 'none' ? 'lax' : sameSite,
    ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
  });
}

/**
 * The cookies of a request that `setCookieLine` has set, by their names without the prefix. Where there is TLS one
 * without the prefix does not count: another host of the domain may have planted it.
 * @param lines as the gateway hands them on, or the `Cookie` header.
 */
export function readCookies(
  lines: readonly string[],
  isPlainHttp: boolean,
): Record<string, string> {
  const given = Object.entries(parseCookie(lines.join('; ')));
  const own = given.flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (name.startsWith(HOST_PREFIX)) return [[name.slice(HOST_PREFIX.length), value]];
    return isPlainHttp ? [[name, value]] : [];
  });
  return Object.fromEntries(own);
}

/** The name under which the API description shows a cookie. */
export const describedCookieName = (name: string): string => `${HOST_PREFIX}${name}`;
