import * as z from 'zod';
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { Message } from '../wire/event-publisher.ts';
import { NonRetryableError } from '../wire/messaging-error.ts';
import { type PayloadStore, parseDataRef } from '../wire/payload-store.ts';
import type { Listener } from './listener.ts';
import { MAX_MESSAGE_ID } from './tracking-row.ts';

/**
 * The message of an envelope; a large body is read from the bucket.
 * @throws NonRetryableError `MQ_PAYLOAD_CORRUPT`
 */
export async function readMessage(
  envelope: MessageEnvelope,
  payloads: PayloadStore,
): Promise<Message> {
  return {
    messageId: envelope.id,
    topic: envelope.type,
    key: envelope.subject ?? null,
    payload: await readPayload(envelope, payloads),
    headers: envelope.svcheaders ?? {},
    source: envelope.source,
    traceId: envelope.traceid,
    ...(envelope.sequence === undefined ? {} : { sequence: Number(envelope.sequence) }),
  };
}

async function readPayload(envelope: MessageEnvelope, payloads: PayloadStore): Promise<unknown> {
  const { dataref, datasha256, data } = envelope;
  if (dataref === undefined) return data ?? null;
  const ref = parseDataRef(dataref, datasha256);
  if (!ref) throw new NonRetryableError('The body cannot be found', { code: 'MQ_PAYLOAD_CORRUPT' });
  return JSON.parse(await payloads.load(ref)) as unknown;
}

/**
 * The message as passed to a listener: messageId by its expression, payload parsed.
 * @throws NonRetryableError `MQ_MESSAGE_ID_EMPTY`, `MQ_MESSAGE_ID_TOO_LONG`, `MQ_PAYLOAD_INVALID`
 */
export function messageFor(listener: Listener, message: Message): Message {
  const messageId = listener.messageId ? listener.messageId(message) : message.messageId;
  if (messageId === undefined) {
    throw new NonRetryableError('The messageId expression finds nothing in the message', {
      code: 'MQ_MESSAGE_ID_EMPTY',
    });
  }
  if (messageId.length > MAX_MESSAGE_ID) {
    throw new NonRetryableError(`The messageId is longer than ${MAX_MESSAGE_ID} characters`, {
      code: 'MQ_MESSAGE_ID_TOO_LONG',
    });
  }
  const traceId = listener.traceId?.(message) ?? message.traceId;
  return { ...message, messageId, traceId, payload: parsePayload(listener, message.payload) };
}

function parsePayload({ schema }: Listener, payload: unknown): unknown {
  if (!schema) return payload;
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new NonRetryableError(`The payload breaks the schema: ${z.prettifyError(parsed.error)}`, {
    code: 'MQ_PAYLOAD_INVALID',
  });
}
