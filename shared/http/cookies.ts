import { parseCookie, stringifySetCookie } from 'cookie';

/** A response cookie for the whole host, always `HttpOnly`. */
export interface ReplyCookie {
  /** Name without prefix; `__Host-` is added wherever browsers accept it. */
  readonly name: string;
  readonly value: string;
  /** Lifetime; a session cookie when omitted; 0 removes it. */
  readonly maxAgeSeconds?: number;
  /** Default `lax`: sent on navigations from other sites, as a login redirect needs. */
  readonly sameSite?: 'lax' | 'strict' | 'none';
}

/** Browsers accept it only over https, for the whole host and without a domain. @see RFC 6265bis, section 4.1.3.2 */
const HOST_PREFIX = '__Host-';

/**
 * The `Set-Cookie` line of a cookie.
 * @param isPlainHttp whether browsers reach the platform without TLS (the stage local): omits prefix and `Secure`.
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
 * Reads the cookies set by `setCookieLine`, by their names without the prefix. With TLS a cookie
 * without the prefix is ignored: another host of the domain may have set it.
 * @param lines cookies as the gateway passes them, or the `Cookie` header.
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
