import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { aShop, type Shop } from '../a-shop.ts';
import { dueRows } from './due-rows.ts';

const relayOptions = { mq: { shards: 1, 'broker-template-proxy-enabled': true } };
const ordered = {
  orderedTopics: { 'stock.moved': { queues: ['svc--stock.fifo'], onDead: 'block' as const } },
};

const costOfRun = ({ context, relay }: Shop) =>
  context.db.meter.costOf(() => relay.runTask('relay'));

/** Requests by operation. */
const countOf = (requests: readonly string[]) => {
  const byName = Map.groupBy(requests, (request) => request.split(' ')[0] ?? '');
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.length]));
};

describe('a run of the relay costs', () => {
  it('two requests and five write units for each row', async () => {
    const shop = aShop(relayOptions);
    const nothing = await costOfRun(shop);
    await dueRows(shop, 200);

    const { requests, readUnits, writeUnits } = await costOfRun(shop);

    // Two pages with a lease each, the lease given back; the empty third page is the one of an empty run.
    expect(requests.length - nothing.requests.length).toBe(2 * 200 + 4);
    expect(writeUnits - nothing.writeUnits).toBe(5 * 200 + 3);
    expect(readUnits).toBeLessThanOrEqual(20);
  });

  it('three requests and eight write units for each row of an ordered key', async () => {
    const shop = aShop({ ...relayOptions, topology: ordered });
    const { keys } = shop.context.messaging.outbox;
    await costOfRun(shop);
    await shop.context.unitOfWork(async (unit) =>
      unit.put({ ...keys.head('stock.moved', 'A'), type: 'message', lastSeq: 50, sentSeq: 0 }),
    );
    await dueRows(shop, 50, { topic: 'stock.moved', key: 'A', sequence: 1 });

    const { requests, writeUnits } = await costOfRun(shop);

    expect(countOf(requests)).toMatchObject({ TransactWriteItems: 50, UpdateItem: 50 + 3 });
    expect(countOf(requests).GetItem).toBeLessThanOrEqual(50 + 2);
    expect(writeUnits).toBe(8 * 50 + 3);
  });

  it('one claim, one read and one update for a key that is blocked', async () => {
    const shop = aShop({ ...relayOptions, topology: ordered });
    await costOfRun(shop);
    await dueRows(shop, 90, { topic: 'stock.moved', key: 'A', sequence: 2 });

    const { requests } = await costOfRun(shop);

    expect(countOf(requests)).toMatchObject({ UpdateItem: 2 + 3, GetItem: 1 });
  });
});

describe('a proxied send costs', () => {
  const costOfSend = async (QueueUrl: string) => {
    const { context } = aShop(relayOptions);
    const { sqs } = await context.messaging.tools().brokerClients();
    const command = new SendMessageCommand({
      ...{ QueueUrl, MessageBody: 'x', MessageDeduplicationId: 'x' },
      ...(QueueUrl.endsWith('.fifo') ? { MessageGroupId: 'A' } : {}),
    });
    return context.db.meter.costOf(() => sqs.send(command));
  };

  it('what a message costs', async () => {
    expect((await costOfSend('http://q/1/orders')).requests).toEqual(['PutItem 1', 'UpdateItem 1']);
  });

  it('a place in its group beside, to a FIFO queue', async () => {
    expect((await costOfSend('http://q/1/orders.fifo')).requests).toEqual([
      ...['GetItem', 'TransactWriteItems 2', 'GetItem', 'TransactWriteItems 2'],
    ]);
  });
});
