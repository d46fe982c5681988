import type { ReplyCookie } from './cookies.ts';

/** The result of a route before it becomes an HTTP response. */
export interface Reply {
  readonly status: number;
  /** Sent as JSON; bytes or a string with a content type of its own is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly ReplyCookie[];
  /**
   * Path of a file with the resource, for a problem that refuses it as too large; `undefined`: there is none.
   * @param resource the body, or the entry of a page
   */
  readonly fileOf?: (resource: unknown) => string | undefined;
  /** JSON that an idempotent call keeps instead of this answer; `replay` of the route makes an answer from it. */
  readonly kept?: unknown;
}

type Headers = Readonly<Record<string, string>>;

/** 200 with the bare resource. */
export const ok = (body: unknown, headers?: Headers): Reply => ({ status: 200, body, headers });

/** 201 with the new resource and where it lives. */
export const created = (location: string, body: unknown, headers?: Headers): Reply => ({
  status: 201,
  body,
  headers: { ...headers, location },
});

/** 202: the work continues after the response. */
export const accepted = (body: unknown, headers?: Headers): Reply => ({
  status: 202,
  body,
  headers,
});

/** Says that the answer came before the work was done, as the caller preferred. */
export const preferenceApplied: Headers = { 'preference-applied': 'respond-async' };

/** 204 without a body. */
export const noContent = (headers?: Headers): Reply => ({ status: 204, headers });

/** The `ETag` header of a versioned resource. */
export const etag = (version: number): Record<string, string> => ({ etag: `"${version}"` });

/**
 * Whether a caller has what an entity tag names already.
 * @see RFC 9110, section 13.1.2: the comparison is weak
 */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
