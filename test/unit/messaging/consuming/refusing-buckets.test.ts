import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { NonRetryableError } from '../../../../shared/messaging/wire/messaging-error.ts';
import { anEnvelope, aShop, type Shop, type ShopOptions } from '../a-shop.ts';
import { deliver, deliverAll, drain } from './queue-records.ts';

const PATH = '/broker/dead-letter';

/** What the service answers, as its client throws it. */
const answer = (name: string, status: number) =>
  Object.assign(new Error(name), {
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
  });

const refusing = messageListener({ topic: 'order.placed', group: 'billing' }, () =>
  Promise.reject(new NonRetryableError('unknown customer')),
);

const elsewhere = (dataref: string): MessageEnvelope =>
  anEnvelope({ data: undefined, dataref, datasha256: 'a'.repeat(64), datasize: 9 });

async function letters(shop: Shop) {
  const { status, body } = await shop.messaging.call({ method: 'GET', path: PATH });
  expect(status).toBe(200);
  return body.content as { id: string; messageId: string }[];
}

async function answers(shop: Shop) {
  const [{ id } = { id: '' }] = await letters(shop);
  const path = `${PATH}/${id}`;
  const shown = await shop.messaging.call({ method: 'GET', path });
  const requeued = await shop.messaging.call({ method: 'POST', path: `${path}/requeue` });
  const many = await shop.messaging.call({
    ...{ method: 'POST', path: `${PATH}/requeue`, body: { ids: [id] } },
  });
  const discarded = await shop.messaging.call({ method: 'DELETE', path });
  return { shown, requeued, many, discarded };
}

describe('a dead letter whose bucket refuses its body', () => {
  it.each([
    ['NoSuchBucket', 404],
    ['InvalidBucketName', 400],
    ['KeyTooLongError', 400],
    ['PermanentRedirect', 301],
    ['AuthorizationHeaderMalformed', 400],
    ['InvalidObjectState', 403],
    ['AllAccessDisabled', 403],
    ['KMS.DisabledException', 400],
  ])('by %s (%i) is shown without it, and can only be discarded', async (name, status) => {
    const shop = aShop({ listeners: [refusing] });
    shop.context.payloads.failure = answer(name, status);

    const deliveries = await deliverAll(shop, elsewhere('s3://elsewhere/body'));
    const { shown, requeued, many, discarded } = await answers(shop);

    expect(deliveries).toBe(4);
    expect(shown).toMatchObject({ status: 200, body: { payload: null } });
    expect(requeued).toMatchObject({ status: 409, body: { code: 'MQ_BODY_MISSING' } });
    expect(many.body.skipped).toMatchObject([{ reason: 'MQ_BODY_MISSING' }]);
    expect(discarded.status).toBe(204);
  });

  it.each([
    ['SlowDown', 503],
    ['InternalError', 500],
    ['RequestTimeout', 400],
    ['ExpiredToken', 400],
    ['RequestTimeTooSkewed', 403],
  ])('for a while, by %s (%i), answers that, and can be discarded', async (name, status) => {
    const shop = aShop({ listeners: [refusing] });
    shop.context.payloads.failure = answer(name, status);
    await deliverAll(shop, elsewhere('s3://elsewhere/body'));

    const { shown, requeued, many, discarded } = await answers(shop);

    const unreachable = { status: 503, body: { code: 'MQ_BODY_UNREACHABLE' } };
    expect(shown).toMatchObject(unreachable);
    expect(requeued).toMatchObject(unreachable);
    expect(many.body.skipped).toMatchObject([{ reason: 'MQ_BODY_UNREACHABLE' }]);
    expect(discarded.status).toBe(204);
  });

  it.each([
    's3://UPPER/body',
    's3://a/body',
    's3://arn:aws:s3:::elsewhere/body',
    's3://../../body',
    `s3://${'b'.repeat(64)}/body`,
    `s3://elsewhere/${'k'.repeat(1_025)}`,
    's3://elsewhere/\ud800',
    's3://elsewhere/',
    'https://elsewhere/body',
    '',
  ])('that no bucket can have (%s) is dead at once, and asks no bucket', async (dataref) => {
    const shop = aShop({ listeners: [refusing] });
    shop.context.payloads.failure = new Error('asked');

    const stays = await deliver(shop, elsewhere(dataref));
    const { shown, discarded } = await answers(shop);

    expect(stays).toBe(false);
    expect(shown).toMatchObject({ body: { lastError: { code: 'MQ_PAYLOAD_CORRUPT' } } });
    expect([shown.status, discarded.status]).toEqual([200, 204]);
  });
});

describe('a bucket or a table that does not answer', () => {
  /** A batch of messages with bodies in the bucket, in a shop that gives services 30 ms. */
  async function inTime(options: ShopOptions, hang: (shop: Shop) => () => void) {
    const shop = aShop({
      ...{ listeners: [refusing], bucketMs: 30, burialMs: 60 },
      ...options,
      mq: { 'payload-inline-limit': 1_024 },
    });
    for (let i = 0; i < 10; i += 1) {
      await shop.context.events.publish('order.placed', null, { text: 'x'.repeat(5_000) });
    }
    const envelopes = shop.context.bus.events.map(({ envelope }) => envelope);
    const goOn = hang(shop);
    const begin = performance.now();
    const stay: boolean[] = [];
    for (const envelope of envelopes) stay.push(await deliver(shop, envelope));
    for (const envelope of envelopes) stay.push(await drain(shop, envelope, { returns: 3 }));
    const ms = performance.now() - begin;
    goOn();
    return { shop, envelopes, stay, ms };
  }

  it.each([
    [
      'bucket',
      (shop: Shop) => {
        shop.context.payloads.hangs = true;
        return () => {
          shop.context.payloads.hangs = false;
        };
      },
    ],
    [
      'table, when a message is buried',
      ({ context: { db } }: Shop) =>
        db.before('UpdateItem', ({ input }) =>
          JSON.stringify(input).includes('DEAD') ? new Promise(() => undefined) : undefined,
        ),
    ],
  ])('(%s) takes no more than its time, and all messages are listed later', async (_, hang) => {
    const { shop, envelopes, stay, ms } = await inTime({}, hang);
    shop.context.clock.advance(60_000);

    for (const envelope of envelopes) await deliverAll(shop, envelope);

    expect(stay).toEqual(stay.map(() => true));
    expect(ms).toBeLessThan(4_000);
    expect(await letters(shop)).toHaveLength(10);
  });

  it('keeps a publish of a large body no longer than its time', async () => {
    const shop = aShop({ bucketMs: 30, mq: { 'payload-inline-limit': 1_024 } });
    shop.context.payloads.hangs = true;

    const publish = shop.context.events.publish('order.placed', null, { text: 'x'.repeat(5_000) });

    await expect(publish).rejects.toThrow('There was no answer in time');
    expect(shop.rows()).toEqual([]);
  });
});
