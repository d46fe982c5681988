import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OutboxRow } from '../../../../shared/messaging/outbox/outbox-row.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { aShop, type Shop, type ShopOptions } from '../a-shop.ts';
import { dueRows, runUntilSettled, statuses } from './due-rows.ts';

/** A shop with one shard, so that all rows meet in one walk. */
const aSmallShop = ({ mq = {}, ...options }: ShopOptions = {}): Shop =>
  aShop({ ...options, mq: { shards: 1, ...mq } });

const ordered = (onDead: 'continue' | 'block' = 'block') => ({
  orderedTopics: { 'stock.moved': { queues: ['svc--stock.fifo'], onDead } },
});

const sequencesOf = ({ context }: Shop, key = 'A'): number[] =>
  context.queues.messages
    .map(({ body }) => JSON.parse(body) as MessageEnvelope)
    .filter(({ subject }) => subject === key)
    .map(({ sequence }) => Number(sequence));

const isRow = (input: Readonly<Record<string, unknown>>, id?: string): boolean => {
  const { pk, sk } = input.Key as { pk: { S: string }; sk: { S: string } };
  return sk.S === 'message' && (id === undefined || pk.S === `message#${id}`);
};

const TAKEN = 'SET #status = :sending';

describe('the relay, when one row goes wrong', () => {
  it.each(['throttling', 'network', 'internal'] as const)(
    'sends the others after %s at a claim, and the row with the next run',
    async (fault) => {
      const shop = aSmallShop();
      await dueRows(shop, 40);
      // The lease is the first update.
      shop.context.db.failNext(fault, { operation: 'UpdateItem', after: 5 });

      const report = await shop.relay.runTask('relay');
      const first = statuses(shop.rows());
      await shop.relay.runTask('relay');

      expect(report).toMatchObject({ sent: 39, dead: 0 });
      expect(first).toEqual({ SENT: 39, PENDING: 1 });
      expect(shop.rows().map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(
        new Array(40).fill('SENT 1'),
      );
      expect(shop.context.bus.events).toHaveLength(40);
    },
  );

  it('waits for the end of a transaction that holds a row', async () => {
    const shop = aSmallShop();
    await dueRows(shop, 4);
    shop.context.db.failNext('conflict', { operation: 'UpdateItem', after: 2, times: 3 });

    await shop.relay.runTask('relay');

    expect(statuses(shop.rows())).toEqual({ SENT: 4 });
    expect(shop.context.bus.events).toHaveLength(4);
  });

  it('sends the others when a mark fails, and that row again when its claim has ended', async () => {
    const shop = aSmallShop();
    const [lost = ''] = await dueRows(shop, 20);
    const takeOff = shop.context.db.before('UpdateItem', ({ input }) => {
      const isMark = !String(input.UpdateExpression).startsWith(TAKEN);
      if (isMark && isRow(input, lost)) throw new Error('no connection');
    });

    await shop.relay.runTask('relay');
    takeOff();
    const first = statuses(shop.rows());
    shop.context.clock.advance(15_001);
    await shop.relay.runTask('relay');

    expect(first).toEqual({ SENT: 19, SENDING: 1 });
    expect(statuses(shop.rows())).toEqual({ SENT: 20 });
    expect(shop.context.bus.events.filter(({ envelope }) => envelope.id === lost)).toHaveLength(2);
  });

  it('makes a row dead that cannot be read, and sends the others', async () => {
    const shop = aSmallShop();
    const [broken = ''] = await dueRows(shop, 1, { more: { payload: '{"half' } });
    const [foreign = ''] = await dueRows(shop, 1, { more: { raw: 'no json' } });
    const noText = JSON.stringify({ DetailType: 'a', Source: 'b', Detail: { total: 1 } });
    const [wrong = ''] = await dueRows(shop, 1, { more: { raw: noText } });
    await dueRows(shop, 20);

    await runUntilSettled(shop);

    expect(statuses(shop.rows())).toEqual({ SENT: 20, DEAD: 3 });
    for (const id of [broken, foreign, wrong]) {
      expect(shop.row(id)).toMatchObject({
        attempts: 4,
        lastError: { code: 'MQ_ROW_UNREADABLE' },
      });
    }
    expect(shop.rows().every(({ status, attempts }) => status === 'DEAD' || attempts === 1)).toBe(
      true,
    );
  });

  it('makes a row dead that the bus refuses with its whole request, and no other', async () => {
    const shop = aSmallShop();
    const [huge = ''] = await dueRows(shop, 1, { topic: 'huge' });
    await dueRows(shop, 9);
    shop.context.bus.denial = (topic) => (topic === 'huge' ? 'ValidationException' : undefined);

    await runUntilSettled(shop);

    expect(statuses(shop.rows())).toEqual({ SENT: 9, DEAD: 1 });
    expect(shop.row(huge)).toMatchObject({ lastError: { code: 'ValidationException' } });
    expect(shop.context.bus.events).toHaveLength(9);
  });

  it('does not count relays that crashed as failures of the row', async () => {
    const shop = aSmallShop();
    const [held = ''] = await dueRows(shop, 1);
    shop.context.bus.mode = 'down';
    const takeOff = shop.context.db.before('UpdateItem', ({ input }) => {
      const isMark = !String(input.UpdateExpression).startsWith(TAKEN);
      if (isMark && isRow(input)) throw new Error('the relay is dead');
    });
    for (let crashes = 0; crashes < 6; crashes += 1) {
      await shop.relay.runTask('relay');
      shop.context.clock.advance(15_001);
    }
    takeOff();
    await shop.relay.runTask('relay');
    const afterOne = shop.row(held);
    shop.context.bus.mode = 'up';
    shop.context.clock.advance(60_000);
    await shop.relay.runTask('relay');

    expect(afterOne).toMatchObject({ status: 'RETRY', attempts: 7, failures: 1 });
    expect(shop.row(held)).toMatchObject({ status: 'SENT', attempts: 8 });
  });

  it('lists a dead row whose body is gone, and sends the others', async () => {
    const shop = aSmallShop({ mq: { 'payload-inline-limit': 1_024 } });
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('poison', null, 'x'.repeat(4_000));
    shop.context.bus.mode = 'up';
    shop.context.bus.refusal = (topic) => (topic === 'poison' ? 'InternalFailure' : undefined);
    shop.context.payloads.lose();
    await dueRows(shop, 5);

    await runUntilSettled(shop);

    expect(statuses(shop.rows())).toEqual({ SENT: 5, DEAD: 1 });
    expect(shop.row(messageId)).toMatchObject({
      attempts: 4,
      payloadRef: { key: `outbox/2026/03/${messageId}` },
      summary: { status: 'DEAD' },
    });
  });

  it('tries three times more to keep the body of a dying row, and lists it in the end', async () => {
    const shop = aSmallShop({ mq: { 'payload-inline-limit': 1_024 } });
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('a', null, 'x'.repeat(4_000));
    shop.context.payloads.failure = new Error('no connection');

    await runUntilSettled(shop);

    expect(shop.row(messageId)).toMatchObject({ status: 'DEAD', attempts: 7 });
  });

  it('ends a run whose notes cannot be written', async () => {
    const shop = aSmallShop();
    await dueRows(shop, 3);
    shop.context.db.before('UpdateItem', ({ input }) => {
      if ((input.Key as { sk: { S: string } }).sk.S === 'LOCK' && shop.context.bus.events.length) {
        throw new Error('no connection');
      }
    });

    await expect(shop.relay.runTask('relay')).resolves.toMatchObject({ sent: 3 });
  });

  it('goes on with the other shards when one cannot be read', async () => {
    const shop = aShop();
    await dueRows(shop, 80);
    const shards = new Set(shop.rows().map(({ gsi1pk }) => gsi1pk)).size;
    shop.context.db.failNext('throttling', { operation: 'Query' });

    await shop.relay.runTask('relay');
    const left = shop.rows().filter(({ status }) => status !== 'SENT');
    await shop.relay.runTask('relay');

    expect(shards).toBe(8);
    expect(new Set(left.map(({ gsi1pk }) => gsi1pk)).size).toBe(1);
    expect(statuses(shop.rows())).toEqual({ SENT: 80 });
  });
});

describe('the relay behind a blocked key', () => {
  const blockedKey = async (shop: Shop, count: number): Promise<string> => {
    const [head = ''] = await dueRows(shop, 1, {
      ...{ topic: 'stock.moved', key: 'A', sequence: 1 },
      more: { status: 'DEAD', gsi1pk: 'message#dead' },
    });
    const { keys } = shop.context.messaging.outbox;
    await shop.context.unitOfWork(async (unit) =>
      unit.put({
        ...keys.head('stock.moved', 'A'),
        ...{ type: 'message', lastSeq: count + 1, sentSeq: 0 },
      }),
    );
    await dueRows(shop, count, {
      ...{ topic: 'stock.moved', key: 'A', sequence: 2, dueFor: 60_000 },
    });
    return head;
  };

  it('sends an unrelated message with its first run, at the cost of one blocked row', async () => {
    const shop = aSmallShop({ topology: ordered() });
    await blockedKey(shop, 500);
    const [other = ''] = await dueRows(shop, 1);

    const { requests } = await shop.context.db.meter.costOf(() => shop.relay.runTask('relay'));

    expect(shop.row(other)).toMatchObject({ status: 'SENT', attempts: 1 });
    expect(sequencesOf(shop)).toEqual([]);
    expect(shop.rows().every(({ attempts, status }) => attempts === 0 || status === 'SENT')).toBe(
      true,
    );
    // Six pages with a lease each, one row claimed and given back, the other claimed and marked.
    expect(requests.filter((request) => request.startsWith('UpdateItem')).length).toBeLessThan(20);
  });

  it('sends all of its rows in order with one run, although the first one is due last', async () => {
    const shop = aSmallShop({ topology: ordered() });
    const head = await blockedKey(shop, 250);
    await shop.messaging.call({ method: 'POST', path: `/broker/dead-letter/${head}/requeue` });

    await shop.relay.runTask('relay');

    expect(sequencesOf(shop)).toEqual(Array.from({ length: 251 }, (_, index) => index + 1));
    expect(statuses(shop.rows())).toEqual({ SENT: 251 });
  });

  it('keeps keys apart: the failure of one does not stop another', async () => {
    const shop = aSmallShop({ topology: ordered() });
    for (const key of ['A', 'B', 'C', 'D']) {
      for (let i = 0; i < 5; i += 1) {
        shop.context.queues.failure = new Error('refused');
        await shop.context.events.publish('stock.moved', key, {});
      }
    }
    shop.context.queues.failure = undefined;
    const firstOfA = shop.rows().find(({ key, sequence }) => key === 'A' && sequence === 1);
    shop.context.queues.refusal = ({ deduplicationId }) =>
      deduplicationId === firstOfA?.messageId ? new Error('refused') : undefined;
    shop.context.clock.advance(20_000);

    await shop.relay.runTask('relay');

    expect(sequencesOf(shop, 'A')).toEqual([]);
    for (const key of ['B', 'C', 'D']) expect(sequencesOf(shop, key)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the relay over an index that lags', () => {
  it('sends everything with one run, and asks for no row twice', async () => {
    const shop = aSmallShop();
    await dueRows(shop, 300);
    shop.context.db.lag();

    const { requests } = await shop.context.db.meter.costOf(() => shop.relay.runTask('relay'));

    expect(statuses(shop.rows())).toEqual({ SENT: 300 });
    // Claim and mark of each row, three leases, one given back, the end of the run.
    expect(requests.filter((request) => request.startsWith('UpdateItem'))).toHaveLength(605);
  });

  it('goes past rows that others have sent', async () => {
    const shop = aSmallShop();
    await dueRows(shop, 300);
    shop.context.db.lag();
    await shop.relay.runTask('relay');
    shop.context.db.catchUp();
    const before = shop.context.bus.events.length;
    await dueRows(shop, 1);
    shop.context.db.lagBehind(0);

    await shop.relay.runTask('relay');

    expect(shop.context.bus.events.length - before).toBe(1);
  });

  it('sends what waits in an ordered key behind places that are out already', async () => {
    const shop = aSmallShop({ topology: ordered() });
    shop.context.queues.failure = new Error('refused');
    for (let i = 0; i < 6; i += 1) await shop.context.events.publish('stock.moved', 'A', {});
    shop.context.queues.failure = undefined;
    shop.context.clock.advance(20_000);
    shop.context.db.lag();
    await shop.relay.runTask('relay');
    const after = sequencesOf(shop);

    await shop.relay.runTask('relay');

    expect(after).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sequencesOf(shop)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('claims of the relay', () => {
  it('are given back when too little of them is left for a send, and count no attempt', async () => {
    const shop = aSmallShop();
    await dueRows(shop, 20);
    let claims = 0;
    const takeOff = shop.context.db.before('UpdateItem', ({ input }) => {
      if (!String(input.UpdateExpression).startsWith(TAKEN)) return;
      claims += 1;
      if (claims === 20) shop.context.clock.advance(12_000);
    });

    await shop.relay.runTask('relay');
    takeOff();
    const given = shop.rows().map(({ status, attempts }) => `${status} ${attempts}`);
    await runUntilSettled(shop);

    expect(given).toEqual(new Array(20).fill('RETRY 0'));
    expect(shop.rows().every(({ attempts }) => attempts === 1)).toBe(true);
    expect(statuses(shop.rows())).toEqual({ SENT: 20 });
    expect(shop.context.bus.events).toHaveLength(20);
  });

  const claimedAtFirstSend = async (shop: Shop): Promise<OutboxRow[]> => {
    let claimed: OutboxRow[] = [];
    const { client } = shop.context.bus;
    const send = client.send.bind(client);
    client.send = (async (...args: Parameters<typeof send>) => {
      if (claimed.length === 0) claimed = shop.rows().filter(({ status }) => status === 'SENDING');
      return send(...args);
    }) as typeof send;
    await shop.relay.runTask('relay');
    return claimed;
  };

  it('are bounded by bytes, whatever the batch-size', async () => {
    const shop = aSmallShop({ mq: { relay: { enabled: true, 'batch-size': 1_000 } } });
    const payload = JSON.stringify('x'.repeat(200_000));
    await dueRows(shop, 150, { more: { payload } });

    const claimed = await claimedAtFirstSend(shop);

    expect(claimed.length * 200_000).toBeLessThan(12 * 1_024 * 1_024);
    expect(statuses(shop.rows())).toEqual({ SENT: 150 });
  });

  it('are bounded by their number, whatever the batch-size', async () => {
    const shop = aSmallShop({ mq: { relay: { enabled: true, 'batch-size': 1_000 } } });
    await dueRows(shop, 450);

    const claimed = await claimedAtFirstSend(shop);

    expect(claimed).toHaveLength(100);
    expect(statuses(shop.rows())).toEqual({ SENT: 450 });
  });

  it('are not taken when the run ends', async () => {
    const shop = aSmallShop({ mq: { relay: { enabled: true, 'batch-size': 1_000 } } });
    await dueRows(shop, 300);
    const send = shop.context.bus.client.send.bind(shop.context.bus.client);
    shop.context.bus.client.send = (async (...args: Parameters<typeof send>) => {
      shop.context.clock.advance(60_000);
      return send(...args);
    }) as typeof send;

    await shop.relay.runTask('relay');

    const untouched = shop.rows().filter(({ attempts }) => attempts === 0);
    expect(untouched).toHaveLength(200);
    expect(statuses(untouched)).toEqual({ PENDING: 200 });
  });
});

describe('a busy key without an order', () => {
  it('is spread over the shards', async () => {
    const shop = aShop();
    shop.context.bus.mode = 'refusing';
    for (let i = 0; i < 80; i += 1) await shop.context.events.publish('order.placed', 'busy', {});

    expect(new Set(shop.rows().map(({ gsi1pk }) => gsi1pk)).size).toBe(8);
  });

  it('is found in the shard of its key too, where rows were stored before', async () => {
    const shop = aShop();
    const shard = createHash('sha256').update('busy').digest().readUInt32BE(0) % 8;
    await dueRows(shop, 10, { key: 'busy', more: { gsi1pk: `message#due#${shard}` } });

    await shop.relay.runTask('relay');

    expect(statuses(shop.rows())).toEqual({ SENT: 10 });
  });
});

describe('faults at random, in every request', () => {
  it.each([1, 2, 3, 4])('lose, double, swap and bury nothing (seed %i)', async (seed) => {
    const shop = aShop({ topology: ordered() });
    const { db, events, unitOfWork } = shop.context;
    db.lagBehind(20);
    db.failAtRandom({ share: 0.1, seed });
    const accepted: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      await unitOfWork(async (unit) => {
        unit.put({ pk: `HOST#order#${i}`, sk: 'order', type: 'order' });
        const all = [
          await events.publish('order.placed', 'busy', { i }),
          await events.publish('stock.moved', `K${i % 3}`, { i }),
        ];
        return all.map(({ messageId }) => messageId);
      }).then(
        (ids) => accepted.push(...ids),
        () => undefined,
      );
    }
    for (let run = 0; run < 20; run += 1) {
      shop.context.bus.mode = run % 5 === 1 ? 'refusing' : 'up';
      await shop.relay.runTask('relay');
      shop.context.clock.advance(16_000);
    }
    db.stopFailing();
    db.catchUp();
    shop.context.clock.advance(60_000);
    await runUntilSettled(shop);

    const stored = shop.rows().map(({ messageId }) => messageId);
    expect(statuses(shop.rows())).toEqual({ SENT: stored.length });
    expect(accepted.filter((id) => !stored.includes(id))).toEqual([]);
    const arrived = shop.context.bus.events.map(({ envelope }) => envelope.id);
    const queued = shop.context.queues.messages.map(({ deduplicationId = '' }) => deduplicationId);
    expect(new Set([...arrived, ...queued])).toEqual(new Set(stored));
    for (const key of ['K0', 'K1', 'K2']) {
      const firsts = [...new Set(sequencesOf(shop, key))];
      expect(firsts).toEqual(Array.from({ length: firsts.length }, (_, index) => index + 1));
    }
  });
});
