import { describe, expect, it } from 'vitest';
import { createRelayModule } from '../../../../functions/messaging/module.ts';
import { handleQueueBatch } from '../../../../shared/lambda/queue-batch.ts';
import { type Listener, messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import { RetryLaterError } from '../../../../shared/messaging/wire/messaging-error.ts';
import { identifyQueue } from '../../../../shared/messaging/wire/topology.ts';
import { MemoryQueues } from '../../../helpers/memory-queues/memory-queues.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { aShop, type Shop } from '../a-shop.ts';
import { dying } from '../order/dying.ts';

/** `CONSUME_SEEDS=50` plays more histories. */
const SEEDS = Array.from({ length: Number(process.env.CONSUME_SEEDS ?? 3) }, (_, i) => i + 1);
const TOPIC = 'order.placed';
const GROUPS = ['billing', 'transactional'] as const;
const MESSAGES = 40;
const FAULTS = {
  share: 0.06,
  faults: ['throttling', 'conflict', 'internal', 'network', 'answer-lost'],
} as const;

type Batch = Awaited<ReturnType<typeof handleQueueBatch>>;

/** Messages of which some never work, between outbox, queues and two groups, while anything fails. */
class History {
  readonly shop: Shop;
  readonly queues: MemoryQueues;
  readonly #listeners: readonly Listener[];
  readonly #random: () => number;
  #carried = 0;
  #isHealed = false;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#listeners = GROUPS.map((group) => this.#listener(group));
    this.shop = aShop({
      listeners: this.#listeners,
      mq: { 'payload-inline-limit': 1_024, idempotent: { 'max-retries': 20 } },
    });
    const { clock, queues } = this.shop.context;
    this.queues = new MemoryQueues(clock.now, { maxReceives: 6, visibilityMs: 180_000 });
    queues.send = (message) => {
      if (queues.failure) throw queues.failure;
      return this.queues.send(message);
    };
    queues.postpone = (...args) => this.queues.postpone(...args);
    this.shop.context.db.failAtRandom({ ...FAULTS, seed });
  }

  async run(): Promise<void> {
    for (let i = 0; i < MESSAGES; i += 1) await this.#publish(i);
    for (let i = 0; i < 300; i += 1) await this.#step();
    await this.#end();
  }

  /** What a group has done, from its own transactions. */
  effects(group: string): ReadonlyMap<number, number> {
    const found = this.shop.context.db
      .items()
      .filter(({ pk }) => String(pk).startsWith(`HOST#done#${group}#`));
    return new Map(found.map(({ pk, times }) => [Number(String(pk).split('#')[3]), Number(times)]));
  }

  async dead() {
    const { body } = await this.shop.messaging.call({
      ...{ method: 'GET', path: '/broker/dead-letter?size=200' },
    });
    return (body.content ?? []) as { id: string; group: string | null; messageId: string }[];
  }

  async #publish(n: number): Promise<void> {
    const payload = { n, ...(n % 3 === 0 ? { text: 'x'.repeat(5_000) } : {}) };
    const { events } = this.shop.context;
    for (;;) {
      try {
        await events.publish(TOPIC, null, payload, { n: String(n) });
        return;
      } catch {
        // It is not stored then, or stored twice when only the answer was lost.
        if (this.#isStored(n)) return;
      }
    }
  }

  #isStored = (n: number): boolean =>
    this.shop.rows().some(({ headers }) => (headers as { n?: string }).n === String(n));

  async #step(): Promise<void> {
    const { payloads, queues, clock } = this.shop.context;
    const chance = this.#random();
    if (chance < 0.06) {
      payloads.failure = this.#random() < 0.5 ? new Error('slow down') : undefined;
      queues.failure = this.#random() < 0.3 ? new Error('refused') : undefined;
    } else if (chance < 0.3) {
      clock.advance(Math.floor(this.#random() * 200_000));
    } else if (chance < 0.45) {
      await this.shop.relay.runTask('relay').catch(() => undefined);
    } else if (chance < 0.5) {
      await this.#judge();
    } else {
      await this.#deliver();
    }
  }

  async #judge(): Promise<void> {
    const [letter] = await this.dead();
    if (!letter) return;
    const path = `/broker/dead-letter/${letter.id}/requeue`;
    const { status } = await this.shop.messaging.call({ method: 'POST', path });
    expect([202, 404, 409, 503]).toContain(status);
  }

  async #deliver(): Promise<void> {
    await this.#carry();
    const { names } = this.queues;
    const queue = names[Math.floor(this.#random() * names.length)];
    if (queue === undefined) return;
    if (this.#isHealed || this.#random() < 0.85) await this.#take(queue, () => false);
    else
      await dying(this.shop, Math.floor(this.#random() * 25), (hasDied) =>
        this.#take(queue, hasDied),
      );
  }

  async #take(queue: string, hasDied: () => boolean): Promise<void> {
    const records = this.queues.receive(queue);
    const { context } = this.shop;
    const { clock, log, messaging } = context;
    const answer = identifyQueue(queue).isDead
      ? ((await createRelayModule(context).onQueue?.(records)) as Batch)
      : await handleQueueBatch(records, this.#listeners, { ...messaging, clock, log });
    if (hasDied()) return;
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    this.queues.delete(
      queue,
      records.filter(({ messageId }) => !failed.has(messageId)),
    );
  }

  async #carry(): Promise<void> {
    const { events } = this.shop.context.bus;
    for (; this.#carried < events.length; this.#carried += 1) {
      const body = JSON.stringify({
        'detail-type': TOPIC,
        detail: events[this.#carried]?.envelope,
      });
      for (const group of GROUPS) await this.queues.send({ queue: `svc--${group}`, body });
    }
  }

  /** Everything works but what never does; the rest ends. */
  async #end(): Promise<void> {
    const { db, payloads, queues, clock } = this.shop.context;
    db.stopFailing();
    payloads.failure = undefined;
    queues.failure = undefined;
    this.#isHealed = true;
    for (let i = 0; i < 60; i += 1) {
      await this.shop.relay.runTask('relay');
      await this.#carry();
      for (const queue of this.queues.names) await this.#take(queue, () => false);
      clock.advance(20 * 60_000);
    }
    expect(this.queues.names).toEqual([]);
  }

  #listener(group: string): Listener {
    return messageListener<{ n: number }>(
      { topic: TOPIC, group, transactional: group === 'transactional' },
      async ({ payload: { n } }, { uow }) => {
        if (n % 10 === 7) throw new Error('never');
        if (!this.#isHealed && this.#random() < 0.2) throw new RetryLaterError(60_000);
        uow.update(
          { pk: `HOST#done#${group}#${n}`, sk: 'done' },
          {
            expression: 'SET #type = :type ADD times :one',
            names: { '#type': 'type' },
            values: { ':type': 'done', ':one': 1 },
          },
        );
      },
    );
  }
}

const all = Array.from({ length: MESSAGES }, (_, n) => n);
const isPoison = (n: number): boolean => n % 10 === 7;

describe('messages without an order, while table, bucket and queues fail and processes die', () => {
  it.each(SEEDS)(
    'have their effect once in each group, and only those that never work are dead (seed %i)',
    async (seed) => {
      const history = new History(seed);

      await history.run();

      const dead = await history.dead();
      for (const group of GROUPS) {
        const effects = history.effects(group);
        expect([...effects.keys()].toSorted((a, b) => a - b)).toEqual(
          all.filter((n) => !isPoison(n)),
        );
        expect([...effects.values()].every((times) => times === 1)).toBe(true);
        expect(dead.filter((letter) => letter.group === group)).toHaveLength(
          all.filter(isPoison).length,
        );
      }
    },
    60_000,
  );
});
