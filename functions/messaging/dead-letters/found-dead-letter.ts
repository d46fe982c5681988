import type { TrackingRow } from '../../../shared/messaging/consuming/tracking-row.ts';
import { envelopeOf, type OutboxRow } from '../../../shared/messaging/outbox/outbox-row.ts';
import {
  envelopeOfQueueBody,
  type MessageEnvelope,
} from '../../../shared/messaging/wire/envelope.ts';

/** A dead letter with the row that holds it. */
export type FoundDeadLetter =
  | { readonly source: 'outbox'; readonly row: OutboxRow }
  | { readonly source: 'consumer'; readonly row: TrackingRow };

/** The message of a dead letter; `undefined` for one that cannot be read, or a raw request. */
export function envelopeIn({ source, row }: FoundDeadLetter): MessageEnvelope | undefined {
  if (source === 'consumer') return envelopeOfQueueBody(row.envelope ?? '');
  try {
    return row.raw === undefined ? envelopeOf(row) : undefined;
  } catch {
    return undefined;
  }
}
