import type { SQSRecord } from 'aws-lambda';
import type { QueueMessage, Queues } from '../../../shared/messaging/wire/queues.ts';
import { identifyQueue } from '../../../shared/messaging/wire/topology.ts';
import { refusalOf } from '../service-faults/queue-faults.ts';

/** How a queue is made. */
export interface MemoryQueueOptions {
  /** Receives before a message moves to the dead-letter queue. */
  readonly maxReceives: number;
  readonly visibilityMs: number;
}

interface Held {
  readonly id: string;
  readonly message: QueueMessage;
  /** Place in the queue. */
  readonly order: number;
  readonly sentAt: number;
  receives: number;
  /** Not to be received before (epoch ms). */
  hiddenUntil: number;
}

const DEDUPLICATION_MS = 5 * 60_000;
const NEVER_MOVED: MemoryQueueOptions = {
  maxReceives: Number.POSITIVE_INFINITY,
  visibilityMs: 360_000,
};

/**
 * Queues in memory with the rules of the service: visibility, receive counts, dead-letter queues; in FIFO queues message
 * groups, of which nothing is delivered while a part is away, and five minutes of deduplication.
 * @see Amazon SQS Developer Guide, "FIFO queue delivery logic"
 */
export class MemoryQueues implements Queues {
  readonly #now: () => number;
  readonly #options: MemoryQueueOptions;
  readonly #held = new Map<string, Held[]>();
  readonly #sent = new Map<string, number>();
  #count = 0;

  constructor(now: () => number, options: MemoryQueueOptions) {
    this.#now = now;
    this.#options = options;
  }

  /** Names of the queues that hold something. */
  get names(): readonly string[] {
    return [...this.#held].flatMap(([name, all]) => (all.length > 0 ? [name] : []));
  }

  async send(message: QueueMessage): Promise<void> {
    const { queue, deduplicationId } = message;
    const isFifo = queue.endsWith('.fifo');
    const refusal = refusalOf(message.body);
    if (refusal) throw refusal;
    if (isFifo !== (message.groupId !== undefined)) throw new Error(`No message for ${queue}`);
    const sentAs = `${queue} ${message.groupId} ${deduplicationId}`;
    const before = this.#sent.get(sentAs) ?? Number.NEGATIVE_INFINITY;
    if (isFifo && this.#now() - before < DEDUPLICATION_MS) return;
    this.#sent.set(sentAs, this.#now());
    this.#count += 1;
    const id = `m-${this.#count}`;
    const sentAt = this.#now();
    this.#all(queue).push({ id, message, order: this.#count, sentAt, receives: 0, hiddenUntil: 0 });
  }

  async postpone(queue: string, receiptHandle: string, seconds: number): Promise<void> {
    const held = this.#all(queue).find((each) => receiptOf(each) === receiptHandle);
    if (held) held.hiddenUntil = this.#now() + seconds * 1_000;
  }

  /** Receives up to ten messages, as the poller of a function does. */
  receive(queue: string): SQSRecord[] {
    const { maxReceives, visibilityMs } = identifyQueue(queue).isDead ? NEVER_MOVED : this.#options;
    const visible = this.#visible(queue).slice(0, 10);
    const records: SQSRecord[] = [];
    for (const held of visible) {
      if (held.receives >= maxReceives) {
        this.#moveToDead(queue, held);
        continue;
      }
      held.receives += 1;
      held.hiddenUntil = this.#now() + visibilityMs;
      records.push(recordOf(queue, held));
    }
    return records;
  }

  /** Deletes what was processed; a receipt that is not the last one deletes nothing. */
  delete(queue: string, records: readonly SQSRecord[]): void {
    const receipts = new Set(records.map(({ receiptHandle }) => receiptHandle));
    this.#held.set(
      queue,
      this.#all(queue).filter((held) => !receipts.has(receiptOf(held))),
    );
  }

  #visible(queue: string): readonly Held[] {
    const all = this.#all(queue).toSorted((a, b) => a.order - b.order);
    const isAway = ({ hiddenUntil }: Held) => hiddenUntil > this.#now();
    const lockedGroups = new Set(all.filter(isAway).map(({ message }) => message.groupId));
    return all.filter(
      (held) => !(isAway(held) || (held.message.groupId && lockedGroups.has(held.message.groupId))),
    );
  }

  #moveToDead(queue: string, held: Held): void {
    this.#held.set(
      queue,
      this.#all(queue).filter((each) => each !== held),
    );
    this.#all(identifyQueue(queue).deadName).push({ ...held, receives: 0, hiddenUntil: 0 });
  }

  #all(queue: string): Held[] {
    const all = this.#held.get(queue) ?? [];
    this.#held.set(queue, all);
    return all;
  }
}

const receiptOf = ({ id, receives }: Held): string => `${id} ${receives}`;

function recordOf(queue: string, held: Held): SQSRecord {
  const { message, id, receives, sentAt } = held;
  return {
    messageId: id,
    receiptHandle: receiptOf(held),
    eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
    eventSource: 'aws:sqs',
    awsRegion: 'eu-central-1',
    md5OfBody: '',
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: 'sender',
      ApproximateFirstReceiveTimestamp: String(sentAt),
      ...(message.groupId === undefined ? {} : { MessageGroupId: message.groupId }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType ?? 'String', ...(StringValue ? { stringValue: StringValue } : {}) },
      ]),
    ),
  };
}
