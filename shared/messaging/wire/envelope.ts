import * as z from 'zod';
import { lazy } from '../../primitives/lazy.ts';
import { isNestedDeeper, MAX_LEVELS } from '../../problems/json-levels.ts';

/**
 * The wire format of a message on the bus and in queues.
 * @see CloudEvents 1.0, section "Context Attributes"; trace context as in its distributed-tracing extension,
 *   `dataref` as in its Dataref extension.
 */
export interface MessageEnvelope<T = unknown> {
  readonly specversion: '1.0';
  /** The messageId: the same for every delivery and every resend. */
  readonly id: string;
  /** `/svc/<app-code>`. */
  readonly source: string;
  /** The topic. */
  readonly type: string;
  /** The business key. */
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly traceparent?: string;
  readonly traceid?: string;
  /** Sequence number within the key; ordered topics only. */
  readonly sequence?: string;
  /** Sequence number before it within the key, by group: its listener goes first. Groups not named begin here. */
  readonly svcafter?: Readonly<Record<string, number>>;
  /** Its key waits when it is dead, also when its topic is ordered no more. */
  readonly svcondead?: 'block';
  readonly svcheaders?: Readonly<Record<string, string>>;
  readonly data?: T;
  /** Reference to a body that is too large to send: `s3://bucket/key`. */
  readonly dataref?: string;
  /** SHA-256 of that body, hexadecimal. */
  readonly datasha256?: string;
  /** Bytes of that body. */
  readonly datasize?: number;
}

/** Neither the table nor keys hold halves of surrogate pairs, which the JSON of others may have. */
const text = () => z.string().overwrite((value) => value.toWellFormed());

const envelopeSchema = lazy(() =>
  z.looseObject({
    specversion: z.literal('1.0'),
    id: text().min(1),
    source: text().min(1),
    type: text().min(1),
    subject: text().optional(),
    time: text(),
    datacontenttype: z.literal('application/json'),
    traceparent: text().optional(),
    traceid: text().optional(),
    sequence: text().optional(),
    svcafter: z.record(text(), z.int()).optional(),
    svcondead: z.literal('block').optional(),
    svcheaders: z.record(text(), text()).optional(),
    data: z.unknown().optional(),
    // Read as it is: with a half it names nothing.
    dataref: z.string().optional(),
    datasha256: text().optional(),
    datasize: z.int().nonnegative().optional(),
  }),
);

/** The source of an application's own messages. */
export const envelopeSource = (appCode: string): string => `/svc/${appCode}`;

/** The `Source` of an application's events on the bus. */
export const busSource = (appCode: string): string => `svc.${appCode}`;

/**
 * The text of an envelope. Two characters that queues refuse are written as escapes, which JSON reads as the same.
 * @see Amazon SQS API Reference, "SendMessage"
 */
export const envelopeText = (envelope: MessageEnvelope): string =>
  JSON.stringify(envelope).replaceAll(
    /[\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );

/**
 * Whether the bus hands a payload on as it is: it writes JSON anew, with characters that queues refuse, and has no half
 * pairs (which a JSON text escapes).
 */
export const passesBus = (payload: string): boolean => !/[\ufffe\uffff]|\\ud[89a-f]/.test(payload);

/** Parses an envelope; `undefined` when the value is not one. */
export function parseEnvelope(value: unknown): MessageEnvelope | undefined {
  const parsed = envelopeSchema().safeParse(value);
  return parsed.success ? (parsed.data as unknown as MessageEnvelope) : undefined;
}

/** Levels of nesting that an envelope and an event of the bus add to a payload. */
const LEVELS_AROUND = 10;

/**
 * Parses the envelope in a queue message: an event of the bus, or the envelope itself; `undefined` for anything else, and
 * for what is nested so deep that it could not be written again.
 */
export function envelopeOfQueueBody(body: string): MessageEnvelope | undefined {
  if (isNestedDeeper(body, MAX_LEVELS + LEVELS_AROUND)) return undefined;
  try {
    const value = JSON.parse(body) as { readonly detail?: unknown } | null;
    return parseEnvelope(value?.detail ?? value);
  } catch {
    return undefined;
  }
}
