import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createRelayModule } from '../../../../functions/messaging/module.ts';
import { handleQueueBatch } from '../../../../shared/lambda/queue-batch.ts';
import { type Listener, messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { identifyQueue } from '../../../../shared/messaging/wire/topology.ts';
import { MemoryQueues } from '../../../helpers/memory-queues/memory-queues.ts';
import { aShop, type Shop } from '../a-shop.ts';

export const TOPIC = 'stock.moved';
export const GROUPS = ['stock', 'audit'] as const;
/** A queue of others, which broker clients send to. */
export const OUTSIDE = 'outside.fifo';
const OUTSIDE_URL = `http://q/1/${OUTSIDE}`;

export interface WarehouseOptions {
  readonly onDead?: 'continue' | 'block';
  readonly mq?: Readonly<Record<string, unknown>>;
  /** Receives before the queues give a message up. */
  readonly maxReceives?: number;
  /** Whether the listener of a group throws for a message now. */
  readonly fails?: (group: string, messageId: string) => boolean;
}

const lists = ({ context }: Shop) =>
  context.db.items().filter(({ pk }) => String(pk).startsWith('HOST#seen#'));

/** Two groups that note what they get, between the outbox and queues that work as the service's do. */
export class Warehouse {
  readonly queues: MemoryQueues;
  /** What came to the queue of others: message group and body, repetitions included. */
  readonly arrived: { readonly key: string; readonly id: string }[] = [];
  readonly #options: WarehouseOptions;
  readonly #listeners: readonly Listener[];
  shop: Shop;
  isOrdered = true;
  onDead: 'continue' | 'block';
  #events = 0;
  #handed = 0;

  constructor(options: WarehouseOptions = {}) {
    this.#options = options;
    this.onDead = options.onDead ?? 'block';
    this.#listeners = GROUPS.map((group) => this.#listener(group));
    this.shop = this.#deployed(true);
    const { clock } = this.shop.context;
    const { maxReceives = 1_000 } = options;
    this.queues = new MemoryQueues(clock.now, { maxReceives, visibilityMs: 180_000 });
    this.#connect();
  }

  /** What a group has processed of a key, in that order: from its own transactions. */
  seen(group: string, key: string): readonly string[] {
    const found = lists(this.shop).find(({ pk }) => pk === `HOST#seen#${group}#${key}`);
    return (found?.ids ?? []) as string[];
  }

  publish(key: string, count = 1): Promise<readonly string[]> {
    const { context } = this.shop;
    return context.unitOfWork(async () => {
      const ids: string[] = [];
      for (let i = 0; i < count; i += 1) {
        ids.push((await context.events.publish(TOPIC, key, {})).messageId);
      }
      return ids;
    });
  }

  /** Sends to the queue of others through a broker client, in one unit. */
  async hand(key: string, count: number): Promise<void> {
    const { context } = this.shop;
    const { sqs } = await context.messaging.tools().brokerClients();
    await context.unitOfWork(async () => {
      for (let i = 0; i < count; i += 1) {
        this.#handed += 1;
        const id = `o-${this.#handed}`;
        await sqs.send(
          new SendMessageCommand({
            ...{ QueueUrl: OUTSIDE_URL, MessageBody: id },
            ...{ MessageGroupId: key, MessageDeduplicationId: id },
          }),
        );
      }
    });
  }

  /** Deploys with another `ordered` or `onDead`; the queues must be empty, for they go with the change. */
  redeploy(isOrdered: boolean, onDead = this.onDead): void {
    if (this.queues.names.length > 0) throw new Error('Drain the queues first');
    this.isOrdered = isOrdered;
    this.onDead = onDead;
    this.shop = this.#deployed(isOrdered, this.shop);
    this.#connect();
  }

  /**
   * Hands one batch of a queue to its function.
   * @param isAlive whether the process still lives to tell the queue what it has done.
   * @returns whether there was one
   */
  async deliver(queue: string, isAlive = () => true): Promise<boolean> {
    const records = this.queues.receive(queue);
    if (records.length === 0) return false;
    const { context } = this.shop;
    const relay = createRelayModule(context);
    const { clock, log, messaging } = context;
    const answer = identifyQueue(queue).isDead
      ? ((await relay.onQueue?.(records)) as Awaited<ReturnType<typeof handleQueueBatch>>)
      : await handleQueueBatch(records, this.#listeners, { ...messaging, clock, log });
    if (!isAlive()) return true;
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    this.queues.delete(
      queue,
      records.filter(({ messageId }) => !failed.has(messageId)),
    );
    return true;
  }

  /** Carries events of the bus to the queues whose rules take them. */
  async carry(): Promise<void> {
    const { events } = this.shop.context.bus;
    for (; this.#events < events.length; this.#events += 1) {
      const envelope = events[this.#events]?.envelope as MessageEnvelope;
      if (this.isOrdered) throw new Error('An event of an ordered topic has no rule');
      const body = JSON.stringify({ 'detail-type': TOPIC, detail: envelope });
      for (const group of GROUPS) await this.queues.send({ queue: `svc--${group}`, body });
    }
  }

  /** Delivers everything that can be delivered now. */
  async deliverAll(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = true;
      await this.carry();
      for (const queue of this.queues.names) if (await this.deliver(queue)) isDone = false;
    }
  }

  /** Relay, queues and time go on until nothing moves any more. */
  async settle(rounds = 40): Promise<void> {
    for (let i = 0; i < rounds; i += 1) {
      await this.shop.relay.runTask('relay');
      await this.deliverAll();
      this.shop.context.clock.advance(61_000);
    }
  }

  /** Dead letters; none when the table does not answer. */
  async deadLetters(): Promise<readonly { id: string; messageId: string; group: string | null }[]> {
    const { body } = await this.shop.messaging.call({
      method: 'GET',
      path: '/broker/dead-letter?size=200',
    });
    return (body.content ?? []) as { id: string; messageId: string; group: string | null }[];
  }

  requeue(id: string) {
    return this.shop.messaging.call({ method: 'POST', path: `/broker/dead-letter/${id}/requeue` });
  }

  discard(id: string) {
    return this.shop.messaging.call({ method: 'DELETE', path: `/broker/dead-letter/${id}` });
  }

  #deployed(isOrdered: boolean, before?: Shop): Shop {
    const { mq = {} } = this.#options;
    const { onDead } = this;
    const queues = GROUPS.map((group) => `svc--${group}.fifo`);
    return aShop({
      mq: { shards: 1, 'broker-template-proxy-enabled': true, ...mq },
      listeners: this.#listeners,
      topology: isOrdered ? { orderedTopics: { [TOPIC]: { queues, onDead } } } : {},
      ...(before ? { before } : {}),
    });
  }

  #connect(): void {
    const { queues } = this.shop.context;
    queues.send = async (message) => {
      if (queues.failure) throw queues.failure;
      if (message.queue === OUTSIDE_URL) {
        this.arrived.push({ key: String(message.groupId), id: message.body });
      } else {
        await this.queues.send(message);
      }
    };
    queues.postpone = (...args) => this.queues.postpone(...args);
  }

  #listener(group: string): Listener {
    return messageListener(
      { topic: TOPIC, group, ordered: true },
      async ({ messageId, key }, { uow }) => {
        if (this.#options.fails?.(group, messageId)) throw new Error('no connection');
        uow.update(
          { pk: `HOST#seen#${group}#${key}`, sk: 'seen' },
          {
            expression: 'SET #type = :type, ids = list_append(if_not_exists(ids, :none), :ids)',
            names: { '#type': 'type' },
            values: { ':type': 'seen', ':none': [], ':ids': [messageId] },
          },
        );
      },
    );
  }
}
