import { firstCharacters } from '../../store/first-characters.ts';
import type { KeptError } from './messaging-error.ts';

/** Origin of a dead letter: it could not be sent, or a group could not process it. */
export type DeadLetterSource = 'outbox' | 'consumer';

/** A dead letter as projected by the index: enough for a list, without the payload. */
export type DeadLetterSummary = {
  readonly id: string;
  readonly messageId: string;
  readonly source: DeadLetterSource;
  readonly topic: string;
  readonly key: string | null;
  /** Consumer group; `null` for a message that could not be sent. */
  readonly group: string | null;
  readonly status: 'DEAD';
  readonly attempts: number;
  readonly requeueCount: number;
  readonly createdAt: string;
  readonly deadAt: string;
  readonly lastError: KeptError;
  readonly traceId: string | null;
  /** Bytes of the payload. */
  readonly size: number;
};

type Facts = Omit<DeadLetterSummary, 'group' | 'status' | 'traceId'> & {
  readonly traceId?: string | null | undefined;
  readonly listenerGroup: string | undefined;
};

const MAX_TEXT = 200;

/** Builds the summary; texts are cut to the 1 KB that the index holds. */
export function deadSummary(facts: Facts): DeadLetterSummary {
  return {
    id: facts.id,
    messageId: summaryText(facts.messageId),
    source: facts.source,
    topic: summaryText(facts.topic),
    key: facts.key === null ? null : summaryText(facts.key),
    group: facts.listenerGroup ?? null,
    status: 'DEAD',
    attempts: facts.attempts,
    requeueCount: facts.requeueCount,
    createdAt: facts.createdAt,
    deadAt: facts.deadAt,
    lastError: facts.lastError,
    traceId: facts.traceId ? summaryText(facts.traceId) : null,
    size: facts.size,
  };
}

/** Shortens a text for a summary. */
export const summaryText = (text: string): string => firstCharacters(text, MAX_TEXT);

const CONSUMER_ID = /^c\.([A-Za-z0-9_-]+)$/;

/**
 * Id of the dead letter of a consumer group.
 * @param trackingId what follows the group in the key of its tracking row: a digest, in the earlier form the messageId.
 */
export function consumerDeadLetterId(group: string, trackingId: string): string {
  return `c.${Buffer.from(JSON.stringify([group, trackingId])).toString('base64url')}`;
}

/** Parses such an id; `undefined` for the id of an outbox message. */
export function parseConsumerDeadLetterId(
  id: string,
): { readonly group: string; readonly trackingId: string } | undefined {
  const text = CONSUMER_ID.exec(id)?.[1];
  if (text === undefined) return undefined;
  try {
    const [group, trackingId] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    return typeof group === 'string' && typeof trackingId === 'string' && group !== ''
      ? { group, trackingId }
      : undefined;
  } catch {
    return undefined;
  }
}
