import { faultPoint } from '../../primitives/fault-point.ts';
import { mapLimited } from '../../primitives/map-limited.ts';
import { TimeUpError, timeLimit, within } from '../../primitives/time-limit.ts';
import { envelopeText } from '../wire/envelope.ts';
import { type KeptError, keptError, keptMessage } from '../wire/messaging-error.ts';
import type { QueueMessage, Queues } from '../wire/queues.ts';
import { groupsOf, type OrderedTopics, siblingQueue } from '../wire/topology.ts';
import type { Bus } from './bus.ts';
import { type BusEntry, toEntry, toRequests } from './bus-requests.ts';
import type { SendableRow } from './key-order.ts';
import { envelopeOf, orderedKey } from './outbox-row.ts';

/** Result of one send; `later`: throttled by the broker or not begun in time, which is not a failure. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly error: KeptError };

/** Sends rows to the broker. */
export interface MessageSender {
  /**
   * Never throws; each row has an outcome, by id.
   * @param signal ends the waiting; default: `SENDING_MS` from now.
   */
  send(
    rows: readonly SendableRow[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, SendOutcome>>;
}

export interface SenderDependencies {
  readonly client: Bus;
  readonly busName: string;
  readonly queues: Queues;
  readonly orderedTopics: OrderedTopics;
}

/** How long a caller waits for the broker at most (ms): two attempts (`sendLimits`). */
export const SENDING_MS = 2_500;

/** Code of a send that had no answer in time. */
export const SEND_TIMED_OUT = 'MQ_SEND_TIMED_OUT';

/** Concurrent requests to the broker. */
const PARALLEL = 10;
const THROTTLED =
  /^(Throttl\w*|TooManyRequests\w*|RequestThrottled\w*|RequestLimitExceeded|SlowDown|OverLimit)$/;

type Outcomes = Map<string, SendOutcome>;

/** Sends to the event bus, and to the queues of ordered topics. */
export function createSender(dependencies: SenderDependencies): MessageSender {
  return {
    async send(rows, signal) {
      faultPoint('before-send');
      const outcomes: Outcomes = new Map();
      const limit = signal ? { signal, end: () => undefined } : timeLimit(SENDING_MS);
      const sending = { ...dependencies, signal: limit.signal };
      const toQueues = rows.filter((row) => goesToQueues(row, sending));
      await Promise.all([
        mapLimited(toRequests(readable(rows, outcomes, sending)), PARALLEL, (entries) =>
          putEvents(entries, outcomes, sending),
        ),
        mapLimited(toQueues, PARALLEL, async (row) => {
          outcomes.set(row.id, await attempt(sending, () => sendToQueues(row, sending)));
        }),
      ]);
      limit.end();
      faultPoint('after-send');
      return outcomes;
    },
  };
}

interface Sending extends SenderDependencies {
  readonly signal: AbortSignal;
}

/** The events of rows; a row that cannot be read has failed, and keeps no other from being sent. */
function readable(
  rows: readonly SendableRow[],
  outcomes: Outcomes,
  sending: Sending,
): readonly BusEntry[] {
  return rows.flatMap((row) => {
    if (goesToQueues(row, sending)) return [];
    try {
      return [toEntry(row, sending.busName)];
    } catch (cause) {
      outcomes.set(row.id, { kind: 'failed', error: unreadable(cause) });
      return [];
    }
  });
}

const unreadable = (cause: unknown): KeptError => ({
  code: 'MQ_ROW_UNREADABLE',
  message: keptError(cause).message,
});

/** Sends entries together; when the request is refused as a whole, each by itself: one of them may be the reason. */
async function putEvents(
  entries: readonly BusEntry[],
  outcomes: Outcomes,
  sending: Sending,
): Promise<void> {
  const { client, signal } = sending;
  let answered: readonly SendOutcome[] = [];
  let refusal: unknown;
  const outcome = await attempt(sending, async () => {
    const { putEventsCommand } = await import('./bus-client.ts');
    const command = putEventsCommand(entries.map(({ entry }) => entry));
    try {
      const { Entries = [] } = await client.send(command, { abortSignal: signal });
      answered = entries.map((_, index) => entryOutcome(Entries[index]));
    } catch (cause) {
      refusal = isRefused(cause) ? cause : undefined;
      throw cause;
    }
  });
  if (refusal !== undefined && entries.length > 1) {
    await Promise.all(entries.map((entry) => putEvents([entry], outcomes, sending)));
    return;
  }
  for (const [index, { id }] of entries.entries()) outcomes.set(id, answered[index] ?? outcome);
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
  return failure({ code, message: keptMessage(message ?? 'The bus did not confirm the event') });
}

/**
 * Who gets a row follows from the topic as it is now: between publish and send it may have become ordered, or ordinary.
 * A request of a broker client names its target itself.
 */
function goesToQueues({ raw, dest, topic }: SendableRow, { orderedTopics }: Sending): boolean {
  return raw === undefined ? groupsOf(orderedTopics, topic) !== undefined : dest === 'sqs';
}

async function sendToQueues(row: SendableRow, sending: Sending): Promise<void> {
  const { queues, orderedTopics, signal } = sending;
  for (const message of queueMessages(row, orderedTopics)) await queues.send(message, signal);
}

function queueMessages(row: SendableRow, orderedTopics: OrderedTopics): readonly QueueMessage[] {
  const { raw, topic, key } = row;
  if (raw !== undefined) {
    const message = JSON.parse(raw) as QueueMessage;
    return [row.group === undefined ? message : toGroup(row, message, orderedTopics)];
  }
  const body = envelopeText(envelopeOf(row, row.reached?.after));
  return (orderedTopics[topic]?.queues ?? []).map((queue) => ({
    queue,
    body,
    groupId: orderedKey(topic, key),
    deduplicationId: row.messageId,
  }));
}

/** A message for one group goes to the queue that the group has for its topic now. */
function toGroup(
  { id, topic, key }: SendableRow,
  { queue, body, attributes }: QueueMessage,
  orderedTopics: OrderedTopics,
): QueueMessage {
  const isOrdered = groupsOf(orderedTopics, topic) !== undefined;
  return {
    queue: siblingQueue(queue, isOrdered),
    body,
    attributes,
    ...(isOrdered ? { groupId: orderedKey(topic, key), deduplicationId: id } : {}),
  };
}

/** The outcome of a call to the broker that ends with the time limit. */
async function attempt({ signal }: Sending, send: () => Promise<void>): Promise<SendOutcome> {
  if (signal.aborted) return { kind: 'later' };
  try {
    await within(signal, send);
    return { kind: 'sent' };
  } catch (cause) {
    if (cause instanceof TimeUpError) {
      const { message } = cause;
      return { kind: 'failed', error: { code: SEND_TIMED_OUT, message } };
    }
    return cause instanceof SyntaxError
      ? { kind: 'failed', error: unreadable(cause) }
      : failure(keptError(cause), cause);
  }
}

interface ServiceFault {
  readonly name?: string;
  readonly $fault?: string;
  readonly $retryable?: { readonly throttling?: boolean };
}

/** Whether the broker has understood a request and does not accept it. */
export const isRefused = (cause: unknown): boolean =>
  (cause as ServiceFault | null)?.$fault === 'client' &&
  failure(keptError(cause), cause).kind === 'failed';

function failure(error: KeptError, cause?: unknown): SendOutcome {
  const { name = '', $retryable } = (cause ?? {}) as ServiceFault;
  const isThrottled =
    THROTTLED.test(error.code) || THROTTLED.test(name) || $retryable?.throttling === true;
  return isThrottled ? { kind: 'later' } : { kind: 'failed', error };
}
