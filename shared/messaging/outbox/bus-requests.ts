import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { busSource, envelopeText } from '../wire/envelope.ts';
import type { SendableRow } from './key-order.ts';
import { envelopeOf } from './outbox-row.ts';

/** An event and the row that it is made from. */
export interface BusEntry {
  readonly id: string;
  readonly entry: PutEventsRequestEntry;
  /** A request of a broker client: its bus, rights and form are not those of the platform's own messages. */
  readonly isForeign: boolean;
}

const MAX_ENTRIES = 10;
/** Below the 256 KB limit of a request, to leave room for the other fields. */
const MAX_REQUEST_BYTES = 245_760;

/**
 * The event of a row.
 * @throws SyntaxError, TypeError when the row cannot be read.
 */
export function toEntry(row: SendableRow, busName: string): BusEntry {
  const { id, raw } = row;
  if (raw !== undefined) return { id, entry: entryOf(raw), isForeign: true };
  const entry = {
    EventBusName: busName,
    Source: busSource(row.appCode),
    DetailType: row.topic,
    Detail: envelopeText(envelopeOf(row, row.reached?.after)),
    Time: new Date(row.createdAt),
  };
  return { id, entry, isForeign: false };
}

/** Restores a stored request of a broker client; `Time` is a string in JSON. @throws TypeError */
function entryOf(raw: string): PutEventsRequestEntry {
  const { Time, ...entry } = JSON.parse(raw) as PutEventsRequestEntry;
  if (entry.Detail !== undefined && typeof entry.Detail !== 'string') {
    throw new TypeError('The Detail of the event is no text');
  }
  return { ...entry, ...(Time === undefined ? {} : { Time: new Date(Time) }) };
}

/**
 * Groups entries into requests of at most ten entries and the size limit of the bus. A request goes to one bus and
 * holds either the platform's own messages or those of broker clients, so that neither is refused for the other.
 */
export function toRequests(entries: readonly BusEntry[]): readonly (readonly BusEntry[])[] {
  const byBus = Map.groupBy(entries, ({ entry, isForeign }) =>
    JSON.stringify([isForeign, entry.EventBusName]),
  );
  return [...byBus.values()].flatMap(chunk);
}

function chunk(entries: readonly BusEntry[]): BusEntry[][] {
  const chunks: BusEntry[][] = [];
  let room = 0;
  for (const each of entries) {
    const bytes = Buffer.byteLength(each.entry.Detail ?? '') + 512;
    const last = chunks.at(-1);
    if (last && last.length < MAX_ENTRIES && bytes <= room) {
      last.push(each);
      room -= bytes;
    } else {
      chunks.push([each]);
      room = MAX_REQUEST_BYTES - bytes;
    }
  }
  return chunks;
}
