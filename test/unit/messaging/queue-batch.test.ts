import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { handleQueueBatch } from '../../../shared/lambda/queue-batch.ts';
import {
  type HandleMessage,
  messageListener,
} from '../../../shared/messaging/consuming/listener.ts';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { anEnvelope, aShop } from './a-shop.ts';

const QUEUE = 'arn:aws:sqs:eu-west-1:000000000000:svc--stock.fifo';

/** A record of a FIFO queue; `key` groups it. */
function aRecord(
  id: string,
  key: string | undefined,
  body: MessageEnvelope | string = anEnvelope({ id, type: 'stock.moved' }),
): SQSRecord {
  return {
    messageId: `queue-${id}`,
    receiptHandle: `receipt-${id}`,
    eventSourceARN: QUEUE,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: key === undefined ? {} : { MessageGroupId: key },
  } as unknown as SQSRecord;
}

/** A function whose group fails for some messages. */
function aStock(handle: HandleMessage) {
  const listener = messageListener({ topic: 'stock.moved', group: 'stock' }, handle);
  const { context } = aShop({ listeners: [listener] });
  const batch = async (...records: readonly SQSRecord[]) => {
    const dependencies = { ...context.messaging, clock: context.clock, log: context.log };
    const { batchItemFailures } = await handleQueueBatch(records, [listener], dependencies);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { context, batch };
}

/** Listener that notes what it gets and fails for one message. */
function noting(poison?: string) {
  const seen: string[] = [];
  const handle: HandleMessage = async ({ messageId }) => {
    seen.push(messageId);
    if (messageId === poison) throw new Error('no connection');
  };
  return { seen, handle };
}

describe('a batch of a FIFO queue', () => {
  it('stops a key at its first failure and goes on with the others', async () => {
    const { seen, handle } = noting('a1');
    const { batch } = aStock(handle);

    const failed = await batch(
      aRecord('a1', 'A'),
      aRecord('b1', 'B'),
      aRecord('a2', 'A'),
      aRecord('b2', 'B'),
      aRecord('a3', 'A'),
    );

    expect(seen).toEqual(['a1', 'b1', 'b2']);
    expect(failed.toSorted()).toEqual(['queue-a1', 'queue-a2', 'queue-a3']);
  });

  it('holds a key back behind a message that may have taken its process down', async () => {
    const { seen, handle } = noting();
    const { context, batch } = aStock(handle);
    const delivery = {
      ...{ group: 'stock', messageId: 'a1', topic: 'stock.moved', key: 'A' },
      source: '/svc/shop',
    };
    await context.messaging.tracking.claim(delivery, context.clock.now() + 1_000);
    context.clock.advance(2_000);

    const failed = await batch(aRecord('a1', 'A'), aRecord('a2', 'A'), aRecord('b1', 'B'));

    expect(seen).toEqual(['b1', 'a1']);
    expect(failed).toEqual(['queue-a2']);
  });
});

describe('a batch', () => {
  it('gives back what there is no time left for', async () => {
    const { seen, handle } = noting();
    const { context, batch } = aStock(async (message, tools) => {
      await handle(message, tools);
      context.clock.advance(5_000);
    });
    const deadline = context.clock.now() + 6_000;

    const failed = await runInContext({ traceId: 't', deadline }, () =>
      batch(aRecord('a', undefined), aRecord('b', undefined), aRecord('c', undefined)),
    );

    expect(seen).toEqual(['a']);
    expect(failed).toEqual(['queue-b', 'queue-c']);
  });

  it('gives back what is no message, or has no listener, and does the rest', async () => {
    const { seen, handle } = noting();
    const { context, batch } = aStock(handle);

    const failed = await batch(
      aRecord('broken', undefined, '{"detail":'),
      aRecord('foreign', undefined, '{"detail":{"hello":"world"}}'),
      aRecord('unheard', undefined, anEnvelope({ type: 'nobody.hears' })),
      aRecord('a', undefined),
    );

    expect(failed).toEqual(['queue-broken', 'queue-foreign', 'queue-unheard']);
    expect(seen).toEqual(['a']);
    expect(context.log.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
  });

  it('names real ids only', async () => {
    const { batch } = aStock(noting('a').handle);

    const failed = await batch({ ...aRecord('a', undefined), messageId: '' });

    expect(failed).toEqual([]);
  });

  it('gives all of it back, and throws nothing, when the table cannot be reached', async () => {
    const { seen, handle } = noting();
    const { context, batch } = aStock(handle);
    context.db.failNext('network', { times: 99 });

    const failed = await batch(aRecord('a', undefined), aRecord('b', undefined));

    expect(failed).toEqual(['queue-a', 'queue-b']);
    expect(seen).toEqual([]);
  });
});
