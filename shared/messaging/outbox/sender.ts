import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { faultPoint } from '../../primitives/fault-point.ts';
import { mapLimited } from '../../primitives/map-limited.ts';
import { busSource } from '../wire/envelope.ts';
import { type KeptError, keptError } from '../wire/messaging-error.ts';
import type { QueueMessage, Queues } from '../wire/queues.ts';
import type { OrderedTopics } from '../wire/topology.ts';
import type { Bus } from './bus.ts';
import { envelopeOf, type OutboxRow, orderedKey } from './outbox-row.ts';

/** Result of one send; `later`: throttled by the broker, which is not a failure. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly error: KeptError };

/** Sends rows to the broker. */
export interface MessageSender {
  /** Never throws; each row has an outcome, by id. */
  send(rows: readonly OutboxRow[]): Promise<ReadonlyMap<string, SendOutcome>>;
}

export interface SenderDependencies {
  readonly client: Bus;
  readonly busName: string;
  readonly queues: Queues;
  readonly orderedTopics: OrderedTopics;
}

/** Concurrent requests to the broker. */
const PARALLEL = 8;
const MAX_ENTRIES = 10;
/** Below the 256 KB limit of a request, to leave room for the other fields. */
const MAX_REQUEST_BYTES = 245_760;
const THROTTLED =
  /^(Throttl\w*|TooManyRequests\w*|RequestThrottled\w*|RequestLimitExceeded|SlowDown|OverLimit)$/;

/** Sends to the event bus, and to the queues of ordered topics. */
export function createSender(dependencies: SenderDependencies): MessageSender {
  return {
    async send(rows) {
      faultPoint('before-send');
      const outcomes = new Map<string, SendOutcome>();
      const toBus = rows.filter(({ dest }) => dest === 'eventbridge');
      const toQueues = rows.filter(({ dest }) => dest === 'sqs');
      await Promise.all([
        sendInChunks(toBus, outcomes, dependencies),
        mapLimited(toQueues, PARALLEL, async (row) => {
          outcomes.set(row.id, await sendToQueues(row, dependencies));
        }),
      ]);
      faultPoint('after-send');
      return outcomes;
    },
  };
}

interface BusEntry {
  readonly id: string;
  readonly entry: PutEventsRequestEntry;
}

async function sendInChunks(
  rows: readonly OutboxRow[],
  outcomes: Map<string, SendOutcome>,
  { client, busName }: SenderDependencies,
): Promise<void> {
  const chunks = chunk(rows.map((row) => ({ id: row.id, entry: toEntry(row, busName) })));
  await mapLimited(chunks, PARALLEL, async (entries) => {
    for (const [id, outcome] of await putEvents(client, entries)) outcomes.set(id, outcome);
  });
}

function toEntry(row: OutboxRow, busName: string): PutEventsRequestEntry {
  if (row.raw !== undefined) return entryOf(row.raw);
  return {
    EventBusName: busName,
    Source: busSource(row.appCode),
    DetailType: row.topic,
    Detail: JSON.stringify(envelopeOf(row)),
    Time: new Date(row.createdAt),
  };
}

/** Restores a stored request of a broker client; `Time` is a string in JSON. */
function entryOf(raw: string): PutEventsRequestEntry {
  const { Time, ...entry } = JSON.parse(raw) as PutEventsRequestEntry;
  return { ...entry, ...(Time === undefined ? {} : { Time: new Date(Time) }) };
}

/** Groups entries into requests of at most ten entries and the size limit of the bus. */
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

async function putEvents(
  client: SenderDependencies['client'],
  entries: readonly BusEntry[],
): Promise<[string, SendOutcome][]> {
  try {
    const { putEventsCommand } = await import('./bus-client.ts');
    const answer = await client.send(putEventsCommand(entries.map(({ entry }) => entry)));
    return entries.map(({ id }, index) => [id, entryOutcome(answer.Entries?.[index])]);
  } catch (cause) {
    const outcome = failure(keptError(cause), cause);
    return entries.map(({ id }) => [id, outcome]);
  }
}

/** Only entries with an EventId were accepted: a 200 response may contain failed entries, or too few. */
function entryOutcome(
  entry:
    | {
        EventId?: string | undefined;
        ErrorCode?: string | undefined;
        ErrorMessage?: string | undefined;
      }
    | undefined,
): SendOutcome {
  if (entry?.EventId) return { kind: 'sent' };
  const { ErrorCode: code = 'MQ_SEND_UNCONFIRMED', ErrorMessage: message } = entry ?? {};
  return failure({ code, message: (message ?? 'The bus did not confirm the event').slice(0, 200) });
}

async function sendToQueues(
  row: OutboxRow,
  { queues, orderedTopics }: SenderDependencies,
): Promise<SendOutcome> {
  try {
    for (const message of queueMessages(row, orderedTopics)) await queues.send(message);
    return { kind: 'sent' };
  } catch (cause) {
    return failure(keptError(cause), cause);
  }
}

function queueMessages(row: OutboxRow, orderedTopics: OrderedTopics): readonly QueueMessage[] {
  if (row.raw !== undefined) return [JSON.parse(row.raw) as QueueMessage];
  const body = JSON.stringify(envelopeOf(row));
  return (orderedTopics[row.topic]?.queues ?? []).map((queue) => ({
    queue,
    body,
    groupId: orderedKey(row.topic, row.key),
    deduplicationId: row.messageId,
  }));
}

function failure(error: KeptError, cause?: unknown): SendOutcome {
  const { name = '', $retryable } = (cause ?? {}) as {
    readonly name?: string;
    readonly $retryable?: { readonly throttling?: boolean };
  };
  const isThrottled =
    THROTTLED.test(error.code) || THROTTLED.test(name) || $retryable?.throttling === true;
  return isThrottled ? { kind: 'later' } : { kind: 'failed', error };
}
