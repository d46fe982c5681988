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

const envelopeSchema = lazy(() =>
  z.looseObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1),
    source: z.string().min(1),
    type: z.string().min(1),
    subject: z.string().optional(),
    time: z.string(),
    datacontenttype: z.literal('application/json'),
    traceparent: z.string().optional(),
    traceid: z.string().optional(),
    sequence: z.string().optional(),
    svcafter: z.record(z.string(), z.int()).optional(),
    svcondead: z.literal('block').optional(),
    svcheaders: z.record(z.string(), z.string()).optional(),
    data: z.unknown().optional(),
    dataref: z.string().optional(),
    datasha256: z.string().optional(),
    datasize: z.int().nonnegative().optional(),
  }),
);

/** The source of an application's own messages. */
export const envelopeSource = (appCode: string): string => `/svc/${appCode}`;

/** The `Source` of an application's events on the bus. */
export const busSource = (appCode: string): string => `svc.${appCode}`;

/** Parses an envelope; `undefined` when the value is not one. */
export function parseEnvelope(value: unknown): MessageEnvelope | undefined {
  const parsed = envelopeSchema().safeParse(value);
  return parsed.success ? (parsed.data as unknown as MessageEnvelope) : undefined;
}

/** What an envelope and an event of the bus are around a payload, in levels. */
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
