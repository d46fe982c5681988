import { requestContext } from '../../primitives/request-context.ts';
import { isNestedDeeper, MAX_LEVELS } from '../../problems/json-levels.ts';
import { MessagingError } from './messaging-error.ts';

/** A validated message with its payload as JSON text. */
export interface CheckedMessage {
  readonly topic: string;
  readonly key: string | null;
  readonly payload: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly traceId: string;
  readonly traceparent?: string;
}

/** Longest topic and key, in characters. */
export const MAX_TOPIC = 128;
export const MAX_KEY = 512;
const TOPIC = new RegExp(`^[^\\s\\p{Cc}][^\\p{Cc}]{0,${MAX_TOPIC - 1}}$`, 'u');
const MAX_HEADER_BYTES = 8_192;

/**
 * Validates a message and adds the trace of the current request.
 * @throws MessagingError `MQ_TOPIC_INVALID`, `MQ_KEY_INVALID`, `MQ_HEADERS_INVALID`, `MQ_PAYLOAD_NOT_JSON`
 */
export function checkMessage(
  topic: string,
  key: string | null,
  payload: unknown,
  headers: Readonly<Record<string, string>> = {},
): CheckedMessage {
  if (!TOPIC.test(topic) || !topic.isWellFormed()) {
    throw new MessagingError(
      'MQ_TOPIC_INVALID',
      'A topic is a name of 1 to 128 characters without control characters and halves of characters',
    );
  }
  const isKey = key === null || (typeof key === 'string' && key.isWellFormed());
  if (!isKey || (key?.length ?? 0) > MAX_KEY) {
    throw new MessagingError(
      'MQ_KEY_INVALID',
      `A key is a text of at most ${MAX_KEY} whole characters, or null`,
    );
  }
  checkHeaders(headers);
  const { traceId, traceparent } = requestContext();
  return {
    topic,
    key: key === '' ? null : key,
    payload: toJson(payload),
    headers,
    traceId,
    ...(traceparent ? { traceparent } : {}),
  };
}

function checkHeaders(headers: Readonly<Record<string, unknown>>): void {
  const isTextMap = Object.entries(headers).every(
    ([name, value]) => typeof value === 'string' && name.isWellFormed() && value.isWellFormed(),
  );
  if (isTextMap && Buffer.byteLength(JSON.stringify(headers)) <= MAX_HEADER_BYTES) return;
  throw new MessagingError(
    'MQ_HEADERS_INVALID',
    `Headers are texts of whole characters by name, at most ${MAX_HEADER_BYTES} bytes together`,
  );
}

function toJson(payload: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(payload);
    if (text !== undefined && !isNestedDeeper(text)) return text;
  } catch (cause) {
    throw notJson(cause);
  }
  throw notJson();
}

function notJson(cause?: unknown): MessagingError {
  return new MessagingError(
    'MQ_PAYLOAD_NOT_JSON',
    `The payload cannot be written as JSON of at most ${MAX_LEVELS} levels`,
    cause,
  );
}
