import { type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { KeysUnavailable } from '../../../shared/security/remote-keys.ts';
import type { SourceEvent } from '../domain/events/event-record.ts';
import { actionOfUrn, objectOfUri } from '../domain/events/event-types.ts';
import { problems } from '../errors.ts';
import { secretBytes } from '../sources/event-secret.ts';

/** What a token of a source must show. */
export interface TokenRules {
  readonly secrets: readonly string[];
  /** Keys of the source, when it signs with keys of its own. */
  readonly keys?: JWTVerifyGetKey | undefined;
  readonly issuer?: string | undefined;
  readonly audience: readonly string[];
  readonly nowMs: number;
}

const MAX_AGE_S = 7 * 86_400;
const AHEAD_S = 60;
/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const claims = lazy(() =>
  z.object({
    jti: z.string().min(1).max(500),
    iat: z.number(),
    toe: z.number().min(0).max(LAST_SECOND).optional(),
    sub_id: z.object({ format: z.literal('scim'), uri: z.string().min(1).max(1_000) }),
    events: z.record(z.string(), z.unknown()),
  }),
);

/**
 * Reads a security event token with one event of SCIM.
 * @see RFC 8417; RFC 8935 (delivery by push); RFC 9967 (events of SCIM)
 * @throws Problem `EVENT_UNAUTHENTICATED` (401), `EVENT_INVALID` (400)
 */
export async function readSecurityEvent(token: string, rules: TokenRules): Promise<SourceEvent> {
  const parsed = claims().safeParse(await verified(token, rules));
  if (!parsed.success) throw invalid('The token must have jti, iat, sub_id of SCIM and events.');
  const { jti, iat, toe, sub_id: subject, events } = parsed.data;
  const nowS = rules.nowMs / 1_000;
  if (iat > nowS + AHEAD_S || iat < nowS - MAX_AGE_S) {
    throw invalid('The token is too old, or of the future.');
  }
  const [urn = '', ...others] = Object.keys(events);
  const action = others.length === 0 ? actionOfUrn(urn) : undefined;
  const object = objectOfUri(subject.uri);
  if (!action || !object) throw invalid('The token must have one event of SCIM about an object.');
  const eventTime = new Date((toe ?? iat) * 1_000).toISOString();
  return { eventKey: jti, eventType: urn, ...action, ...object, eventTime };
}

const invalid = (detail: string): Error => problems.eventInvalid({ detail });

/** The claims, when one of the secrets or the keys of the source have signed them. */
async function verified(token: string, rules: TokenRules): Promise<JWTPayload> {
  const options: JWTVerifyOptions = {
    typ: 'secevent+jwt',
    audience: [...rules.audience],
    currentDate: new Date(rules.nowMs),
    requiredClaims: ['iss', 'aud', 'iat', 'jti'],
    ...(rules.issuer !== undefined && { issuer: rules.issuer }),
  };
  if (rules.keys) {
    const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
    return (await jwtVerify(token, rules.keys, { ...options, algorithms }).catch(refuseOrWait))
      .payload;
  }
  const attempts = await Promise.allSettled(
    rules.secrets.map((secret) =>
      jwtVerify(token, secretBytes(secret), { ...options, algorithms: ['HS256'] }),
    ),
  );
  const right = attempts.find((attempt) => attempt.status === 'fulfilled');
  return right?.status === 'fulfilled' ? right.value.payload : refuse();
}

/** Without the keys nothing is said about the token: the source sends it again. */
function refuseOrWait(cause: unknown): never {
  if (cause instanceof KeysUnavailable) throw httpProblems.serviceUnavailable({ cause });
  return refuse();
}

/** Nobody learns which of the checks failed. */
function refuse(): never {
  throw problems.eventUnauthenticated();
}
