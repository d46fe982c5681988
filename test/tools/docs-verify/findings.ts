import { isDeepStrictEqual } from 'node:util';
import type { JWTPayload } from 'jose';
import type { Expectation, Vector } from './vectors.ts';

/** What became of a request. */
export interface Seen {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Claims of the token that counts, once its signature is checked. */
  readonly claims: JWTPayload | undefined;
  readonly headerPayload: unknown;
  /** `host:port` of every connection. */
  readonly connections: readonly string[];
  /** Paths that were written. */
  readonly stored: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** What is not as expected. */
export function findings(expected: Expectation, seen: Seen, { request }: Vector): string[] {
  const isFile = request.path.startsWith('/file/');
  return [
    ...authenticity(expected, seen, isFile),
    ...missing('claims', expected.claims, seen.claims),
    ...missing('headerPayload', expected.headerPayload, seen.headerPayload),
    ...refusal(expected, seen),
    ...fetches(expected, seen),
  ];
}

function authenticity(expected: Expectation, seen: Seen, isFile: boolean): string[] {
  const { authentic } = expected;
  if (authentic === undefined) return [];
  if (isFile) return ofHeader(authentic, seen);
  return authentic ? accepted(expected, seen) : refused(seen);
}

function ofHeader(authentic: boolean, { headerPayload }: Seen): string[] {
  const isSigned = typeof headerPayload === 'object' && headerPayload !== null;
  return isSigned === authentic ? [] : [`the header is ${isSigned ? 'accepted' : 'refused'}`];
}

function refused({ status, body, stored }: Seen): string[] {
  if (status === 403 && body.error === 1 && stored.length === 0) return [];
  return [`${status} ${JSON.stringify(body)} instead of a refusal; stored: ${stored}`];
}

/** A signature that is accepted; the callback too, unless something else is wrong with it. */
function accepted(expected: Expectation, { status, body, claims }: Seen): string[] {
  if (claims === undefined) return ['the signature is refused'];
  const { clientError, contextMismatch, mustNotFetchHost } = expected;
  if (clientError || contextMismatch || mustNotFetchHost !== undefined) return [];
  if (status === 200 && body.error === 0) return [];
  return [`${status} ${JSON.stringify(body)} instead of {"error":0}`];
}

function missing(what: string, wanted: Claims | undefined, found: unknown): string[] {
  const has = (found ?? {}) as Claims;
  return Object.entries(wanted ?? {}).flatMap(([name, value]) =>
    isDeepStrictEqual(has[name], value)
      ? []
      : [`${what}.${name} is ${JSON.stringify(has[name])}, not ${JSON.stringify(value)}`],
  );
}

function refusal({ clientError, contextMismatch }: Expectation, seen: Seen): string[] {
  const { status, body, stored } = seen;
  if (!clientError && !contextMismatch) return [];
  const isRefused = status >= 400 && status < 500 && body.error === 1 && stored.length === 0;
  return isRefused ? [] : [`${status} ${JSON.stringify(body)} is no refusal; stored: ${stored}`];
}

function fetches({ mustNotFetch, mustNotFetchHost: host }: Expectation, seen: Seen): string[] {
  const { connections } = seen;
  if (mustNotFetch && connections.length > 0) return [`connections to ${connections}`];
  const isHost = (each: string) => each === host || each.replace(/:\d+$/, '') === host;
  return connections.filter(isHost).map((each) => `a connection to ${each}`);
}
