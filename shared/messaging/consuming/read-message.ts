import * as z from 'zod';
import { isNestedDeeper, MAX_LEVELS } from '../../problems/json-levels.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { Message } from '../wire/event-publisher.ts';
import { keptError, MessagingError, NonRetryableError } from '../wire/messaging-error.ts';
import { isBodyMissing, type PayloadStore, parseDataRef } from '../wire/payload-store.ts';
import type { ReadingListener } from './listener.ts';
import { type Delivery, MAX_MESSAGE_ID } from './tracking-row.ts';

/**
 * The message of an envelope; a large body is read from the bucket.
 * @throws NonRetryableError `MQ_PAYLOAD_CORRUPT`
 */
async function readMessage(envelope: MessageEnvelope, payloads: PayloadStore): Promise<Message> {
  return {
    messageId: envelope.id,
    topic: envelope.type,
    key: envelope.subject ?? null,
    payload: await readPayload(envelope, payloads),
    headers: envelope.svcheaders ?? {},
    source: envelope.source,
    traceId: envelope.traceid,
    ...(/^\d+$/.test(envelope.sequence ?? '') ? { sequence: Number(envelope.sequence) } : {}),
  };
}

/** Code of a messageId expression that throws. */
export const MESSAGE_ID_FAILED = 'MQ_MESSAGE_ID_FAILED';

/** A message as its group has to track it. */
export type ReadDelivery =
  | { readonly delivery: Delivery; readonly message: Message; readonly failure?: never }
  /** It cannot be read: it is tracked by its envelope when what identifies it was not found. */
  | { readonly delivery: Delivery; readonly message?: never; readonly failure: ReadFailure };

interface ReadFailure {
  readonly cause: unknown;
  /** Whether what identifies it is in a body that may be there, but that the bucket does not give out. */
  readonly isOutOfReach: boolean;
}

/** Reads a message and finds out what identifies it in the group of the listener. Never throws. */
export async function readDelivery(
  listener: ReadingListener,
  envelope: MessageEnvelope,
  payloads: PayloadStore,
): Promise<ReadDelivery> {
  const byEnvelope = envelopeDelivery(listener.group, envelope);
  try {
    const received = await readMessage(envelope, payloads);
    const delivery = { ...byEnvelope, messageId: identify(listener, received) };
    try {
      return { delivery, message: prepare(listener, received, delivery) };
    } catch (cause) {
      return { delivery, failure: { cause, isOutOfReach: false } };
    }
  } catch (cause) {
    return { delivery: byEnvelope, failure: { cause, isOutOfReach: !isFinal(cause) } };
  }
}

/** Whether another attempt to read a message finds the same: only a bucket may answer otherwise. */
const isFinal = (cause: unknown): boolean =>
  cause instanceof NonRetryableError || cause instanceof MessagingError || isBodyMissing(cause);

/** The identity of a message by its envelope. */
export const envelopeDelivery = (group: string, envelope: MessageEnvelope): Delivery => ({
  group,
  topic: envelope.type,
  source: envelope.source,
  messageId: envelope.id,
  key: envelope.subject ?? null,
});

async function readPayload(envelope: MessageEnvelope, payloads: PayloadStore): Promise<unknown> {
  const { dataref, datasha256, data } = envelope;
  if (dataref === undefined) return data ?? null;
  const ref = parseDataRef(dataref, datasha256);
  if (!ref) throw new NonRetryableError('The body cannot be found', { code: 'MQ_PAYLOAD_CORRUPT' });
  const body = await payloads.load(ref);
  try {
    if (isNestedDeeper(body)) throw new RangeError(`It has more than ${MAX_LEVELS} levels`);
    return JSON.parse(body) as unknown;
  } catch (cause) {
    throw new NonRetryableError('The body is not JSON', { code: 'MQ_PAYLOAD_CORRUPT', cause });
  }
}

/**
 * The message as passed to a listener: messageId by its expression, payload parsed.
 * @throws NonRetryableError `MQ_MESSAGE_ID_EMPTY`, `MQ_MESSAGE_ID_TOO_LONG`, `MQ_PAYLOAD_INVALID`;
 *   MessagingError `MQ_MESSAGE_ID_FAILED` when the expression throws
 */
export function messageFor(listener: ReadingListener, message: Message): Message {
  return prepare(listener, message, { messageId: identify(listener, message) });
}

function identify(listener: ReadingListener, message: Message): string {
  const messageId = evaluateMessageId(listener, message);
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
  return messageId;
}

function prepare(
  listener: ReadingListener,
  message: Message,
  { messageId }: Pick<Message, 'messageId'>,
): Message {
  const traceId = listener.traceId?.(message) ?? message.traceId;
  return { ...message, messageId, traceId, payload: parsePayload(listener, message.payload) };
}

function evaluateMessageId(listener: ReadingListener, message: Message): string | undefined {
  if (!listener.messageId) return message.messageId;
  try {
    return listener.messageId(message);
  } catch (cause) {
    const { message: reason } = keptError(cause);
    throw new MessagingError(
      MESSAGE_ID_FAILED,
      `The messageId expression has thrown: ${reason}`,
      cause,
    );
  }
}

function parsePayload({ schema }: ReadingListener, payload: unknown): unknown {
  if (!schema) return payload;
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new NonRetryableError(`The payload breaks the schema: ${z.prettifyError(parsed.error)}`, {
    code: 'MQ_PAYLOAD_INVALID',
  });
}
