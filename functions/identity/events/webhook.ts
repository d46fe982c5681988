import { isUtf8 } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { SourceEvent } from '../domain/events/event-record.ts';
import { typeOfWebhook } from '../domain/events/event-types.ts';
import { problems } from '../errors.ts';
import { secretBytes } from '../sources/event-secret.ts';

/** Headers in lower case. */
export type EventHeaders = Readonly<Record<string, string | undefined>>;

const TOLERANCE_S = 300;

const notice = lazy(() =>
  z.object({
    type: z.string().max(100),
    objectId: z.string().min(1).max(500),
    occurredAt: z.iso.datetime({ offset: true }).optional(),
  }),
);

/**
 * Reads an event that is signed as Standard Webhooks say; the raw bytes are signed.
 * @throws Problem `EVENT_UNAUTHENTICATED` (401), `EVENT_INVALID` (400)
 */
export function readWebhook(
  body: Buffer,
  headers: EventHeaders,
  { secrets, nowMs }: { readonly secrets: readonly string[]; readonly nowMs: number },
): SourceEvent {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = headers;
  const sentS = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const isNow = Math.abs(nowMs / 1_000 - sentS) <= TOLERANCE_S;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = signaturesOf(headers['webhook-signature']);
  if (id === '' || !isNow || !secrets.some((secret) => isSigned(content, secret, given))) {
    throw problems.eventUnauthenticated();
  }
  return eventOf(body, id, sentS);
}

function eventOf(body: Buffer, eventKey: string, sentS: number): SourceEvent {
  const parsed = notice().safeParse(jsonOf(body));
  const kind = parsed.success ? typeOfWebhook(parsed.data.type) : undefined;
  if (!parsed.success || !kind || eventKey.length > 500) {
    throw problems.eventInvalid({ detail: 'The body must have a known type and an objectId.' });
  }
  const { type, objectId, occurredAt } = parsed.data;
  const eventTime = new Date(occurredAt ?? sentS * 1_000).toISOString();
  return { ...{ eventKey, eventType: type, ...kind, externalId: objectId }, eventTime };
}

const signaturesOf = (header = ''): readonly Buffer[] =>
  header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));

function isSigned(content: Buffer, secret: string, given: readonly Buffer[]): boolean {
  const expected = createHmac('sha256', secretBytes(secret)).update(content).digest();
  return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}

function jsonOf(body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
