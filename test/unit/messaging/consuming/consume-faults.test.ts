import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  brokerListener,
  type HandleMessage,
  messageListener,
} from '../../../../shared/messaging/consuming/listener.ts';
import {
  NonRetryableError,
  RetryLaterError,
} from '../../../../shared/messaging/wire/messaging-error.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { anEnvelope, aShop, type Shop, type ShopOptions } from '../a-shop.ts';
import { deliver, deliverAll, drain } from './queue-records.ts';

const PATH = '/broker/dead-letter';
const DAY_MS = 86_400_000;

const listener = (handle: HandleMessage = async () => undefined) =>
  messageListener({ topic: 'order.placed', group: 'billing' }, handle);

const failing = (cause: Error) => listener(() => Promise.reject(cause));

/** What the list of dead letters shows. */
async function listed(shop: Shop) {
  const { status, body } = await shop.messaging.call({ method: 'GET', path: PATH });
  expect(status).toBe(200);
  return body.content as { id: string; messageId: string; createdAt: string; size: number }[];
}

async function shown(shop: Shop, id = '') {
  const { status, body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });
  expect(status).toBe(200);
  return body;
}

const requeue = (shop: Shop, id = '') =>
  shop.messaging.call({ method: 'POST', path: `${PATH}/${id}/requeue` });

/** Removes what has expired, as the table does in its own time. */
async function removeExpired({ context: { db, clock, unitOfWork } }: Shop): Promise<void> {
  const expired = db.items().filter(({ ttl }) => Number(ttl) * 1_000 < clock.now());
  await unitOfWork(async (unit) => {
    for (const { pk, sk } of expired) unit.delete({ pk: String(pk), sk: String(sk) });
  });
}

/** A shop whose published message has a large body, which the bucket holds. */
async function withLargeBody(options: ShopOptions = {}) {
  const shop = aShop({
    listeners: [listener()],
    ...options,
    mq: { 'payload-inline-limit': 1_024, ...options.mq },
  });
  await shop.context.events.publish('order.placed', 'A-1', { text: 'x'.repeat(5_000) });
  const [event] = shop.context.bus.events;
  if (!event) throw new Error('nothing was sent');
  return { shop, envelope: event.envelope };
}

describe('a message whose body is gone', () => {
  it('is tried as often as any other, in longer pauses, and then listed', async () => {
    const { shop, envelope } = await withLargeBody();
    shop.context.payloads.lose();

    const deliveries = await deliverAll(shop, envelope);

    expect(deliveries).toBe(4);
    expect(shop.context.queues.postponed.map(({ seconds }) => seconds)).toEqual([60, 120, 240]);
    const [letter] = await listed(shop);
    expect(letter).toMatchObject({ attempts: 4, size: 5_011, lastError: { code: 'NoSuchKey' } });
    expect(await shown(shop, letter?.id)).toMatchObject({ payload: null });
    expect((await requeue(shop, letter?.id)).body.code).toBe('MQ_BODY_MISSING');
  });

  it('is listed from its dead-letter queue too', async () => {
    const { shop, envelope } = await withLargeBody();
    shop.context.payloads.lose();

    const stays = await drain(shop, envelope, { returns: 3 });

    expect(stays).toBe(false);
    expect(await listed(shop)).toMatchObject([{ messageId: envelope.id }]);
  });

  it('is listed also when an expression should find its messageId there', async () => {
    const byOrder = brokerListener(
      { topics: 'order.placed', groupId: 'billing', messageId: '$.payload.text' },
      async () => undefined,
    );
    const { shop, envelope } = await withLargeBody({ listeners: [byOrder] });
    shop.context.payloads.lose();

    await deliverAll(shop, envelope);

    expect(await listed(shop)).toMatchObject([{ messageId: envelope.id, attempts: 4 }]);
  });
});

describe('a message that is dead while the bucket does not answer', () => {
  it('stays in its queue, and is listed with its reason when the bucket is back', async () => {
    const { shop, envelope } = await withLargeBody({
      listeners: [failing(new NonRetryableError('unknown customer', { code: 'NO_CUSTOMER' }))],
    });
    shop.context.payloads.failure = new Error('slow down');
    const first = await deliver(shop, envelope);
    shop.context.payloads.failure = undefined;

    await deliverAll(shop, envelope);

    expect(first).toBe(true);
    const [letter] = await listed(shop);
    expect(letter).toMatchObject({ lastError: { code: 'NO_CUSTOMER' } });
    expect(await shown(shop, letter?.id)).toMatchObject({ payload: { text: 'x'.repeat(5_000) } });
  });

  it('is listed without its body after three more attempts', async () => {
    const { shop, envelope } = await withLargeBody();
    shop.context.payloads.failure = new Error('slow down');

    const deliveries = await deliverAll(shop, envelope);

    expect(deliveries).toBe(4 + 1 + 3);
    expect(await listed(shop)).toMatchObject([{ lastError: { message: 'slow down' } }]);
  });

  it('is listed from its dead-letter queue after four deliveries', async () => {
    const shop = aShop();
    shop.context.payloads.failure = new Error('slow down');
    const body = 'x'.repeat(450_000);

    const stays = [];
    for (const receives of [1, 2, 3, 4]) stays.push(await drain(shop, body, { receives }));

    expect(stays).toEqual([true, true, true, false]);
    expect(await listed(shop)).toMatchObject([{ size: 450_000 }]);
  });
});

describe('a foreign message', () => {
  const large = 'ü'.repeat(250_000);

  it.each([
    ['an id of 513 characters', { id: 'i'.repeat(513) }],
    ['an id of 300 000 characters', { id: 'i'.repeat(300_000) }],
    ['an id of 512 characters of four bytes', { id: '😀'.repeat(256) }],
    ['a large key', { subject: 's'.repeat(300_000) }],
    ['a large source', { source: 's'.repeat(300_000) }],
    ['a large time and trace', { time: 't'.repeat(150_000), traceid: 't'.repeat(150_000) }],
    ['large headers', { svcheaders: { by: large } }],
    ['a large payload', { data: { text: large } }],
    ['a reference to no bucket', { dataref: 'https://elsewhere/body', data: undefined }],
    ['a reference to another bucket', { dataref: 's3://elsewhere/body', data: undefined }],
    ['a time in another form', { time: '2026-03-01T09:00:00Z' }],
    ['a sequence that is no number', { sequence: 'first' }],
  ])('with %s is listed when its group fails, and by the drain', async (_, overrides) => {
    const envelope = anEnvelope(overrides);
    const shop = aShop({ listeners: [failing(new Error('down'))] });
    const drained = aShop();

    await deliverAll(shop, envelope);
    const stays = await drain(drained, envelope, { returns: 3 });

    expect(stays).toBe(false);
    for (const each of [shop, drained]) {
      const [letter] = await listed(each);
      expect(letter?.messageId).toBe(envelope.id.slice(0, 200));
      expect(letter?.createdAt).toMatch(/\.\d{3}Z$/);
      expect(await shown(each, letter?.id)).toMatchObject({ id: letter?.id });
    }
  });

  it.each([
    ['text', 'x'.repeat(450_000)],
    ['JSON', JSON.stringify({ hello: 'x'.repeat(450_000) })],
    ['an envelope without a source', JSON.stringify({ ...anEnvelope(), source: undefined })],
    ['an empty body', ''],
    ['null', 'null'],
  ])('that is %s is listed by the drain, and can be discarded', async (_, body) => {
    const shop = aShop();

    const stays = await drain(shop, body);
    const [letter] = await listed(shop);
    const { payload } = await shown(shop, letter?.id);
    const refused = await requeue(shop, letter?.id);
    const path = `${PATH}/${letter?.id}`;
    const discarded = await shop.messaging.call({ method: 'DELETE', path });

    expect(stays).toBe(false);
    expect(letter?.size).toBe(body.length);
    expect(body.startsWith(String(payload))).toBe(true);
    expect(refused.body.code).toBe('MQ_NOT_A_MESSAGE');
    expect(discarded.status).toBe(204);
  });

  it.each([
    ['like JSON, for a caller who may reveal it', '{"total":42', '{"total":42'],
    ['of lines', 'password: hunter2', 'password: ******'],
  ])(
    'with a body that is text (%s) is dead at once, and shown as text',
    async (_, body, payload) => {
      const shop = aShop({ listeners: [listener()] });
      const { bucket, key, sha256 } = await shop.context.payloads.store('foreign', 0, body);

      const deliveries = await deliverAll(
        shop,
        anEnvelope({ data: undefined, dataref: `s3://${bucket}/${key}`, datasha256: sha256 }),
      );

      const [letter] = await listed(shop);
      expect(deliveries).toBe(1);
      expect(await shown(shop, letter?.id)).toMatchObject({
        lastError: { code: 'MQ_PAYLOAD_CORRUPT' },
        payload,
      });
    },
  );

  it('with a large payload is handed out again whole', async () => {
    const seen: unknown[] = [];
    let isUp = false;
    const shop = aShop({
      listeners: [
        listener(async ({ payload }) => {
          if (!isUp) throw new Error('down');
          seen.push(payload);
        }),
      ],
    });
    await deliverAll(shop, anEnvelope({ data: { text: large } }));
    isUp = true;
    const [letter] = await listed(shop);

    const { payload } = await shown(shop, letter?.id);
    await requeue(shop, letter?.id);
    await shop.relay.runTask('relay');
    await deliver(shop, shop.context.queues.messages[0]?.body ?? '', { returns: 0 });

    expect(payload).toEqual({ text: large });
    expect(seen).toEqual([{ text: large }]);
  });
});

describe('a messageId expression that throws', () => {
  const throwing = brokerListener<{ order: { id: string } }>(
    {
      topics: 'order.placed',
      groupId: 'billing',
      messageId: ({ payload }) => payload.order.id,
    },
    async () => undefined,
  );

  it('costs the message its attempts, and then it is listed', async () => {
    const shop = aShop({ listeners: [throwing] });

    const deliveries = await deliverAll(shop, anEnvelope({ id: 'm-1' }));

    expect(deliveries).toBe(4);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'DEAD',
      attempts: 4,
      lastError: { code: 'MQ_MESSAGE_ID_FAILED' },
    });
  });
});

describe('without the idempotency check', () => {
  const untracked = { idempotent: { enabled: false } };

  it('a message that must not be retried is dead at once', async () => {
    const refusal = new NonRetryableError('unknown customer', { code: 'NO_CUSTOMER' });
    const shop = aShop({ listeners: [failing(refusal)], mq: untracked });

    const answers = [
      await deliver(shop, anEnvelope({ id: 'm-1' })),
      await deliver(shop, anEnvelope({ id: 'm-1' }), { receives: 2 }),
    ];

    expect(answers).toEqual([false, false]);
    expect(await listed(shop)).toMatchObject([
      { messageId: 'm-1', attempts: 1, lastError: { code: 'NO_CUSTOMER' } },
    ]);
  });

  it('a listener may say when to try again; any other failure waits for the queue', async () => {
    const causes = [new RetryLaterError(90_000), new Error('down')];
    const shop = aShop({
      listeners: [
        listener(async () => {
          throw causes.shift();
        }),
      ],
      mq: untracked,
    });

    await deliver(shop, anEnvelope());
    await deliver(shop, anEnvelope());

    expect(shop.context.queues.postponed).toEqual([{ queue: 'svc--billing', seconds: 90 }]);
  });

  it.each([
    ['that is to be tried later', new RetryLaterError(3_600_000)],
    ['whose listener fails', new Error('down')],
  ])('a message %s is dead before its queue forgets it', async (_, cause) => {
    const shop = aShop({ listeners: [failing(cause)], mq: untracked });
    const now = shop.context.clock.now();

    const young = await deliver(shop, anEnvelope(), { queuedAt: now - 12 * DAY_MS });
    const old = await deliver(shop, anEnvelope({ id: 'old' }), {
      ...{ queuedAt: now - 13 * DAY_MS - 1, receives: 30 },
    });

    expect([young, old]).toEqual([true, false]);
    expect(await listed(shop)).toMatchObject([
      { messageId: 'old', attempts: 30, lastError: { code: 'MQ_RETRY_TOO_LATE' } },
    ]);
  });
});

describe('the identity of a message', () => {
  const seenBy = (topics: readonly string[]) => {
    const seen: string[] = [];
    const listeners = topics.map((topic) =>
      messageListener({ topic, group: 'billing' }, async (message) => {
        seen.push(`${message.topic} ${message.source} ${message.messageId}`);
      }),
    );
    return { seen, shop: aShop({ listeners }) };
  };

  it('is its source and id, for each topic of a group', async () => {
    const { seen, shop } = seenBy(['order.placed', 'order.changed']);
    const envelope = anEnvelope({ id: 'O-1' });

    await deliver(shop, envelope);
    await deliver(shop, { ...envelope, type: 'order.changed' });
    await deliver(shop, { ...envelope, source: '/svc/another' });
    await deliver(shop, envelope, { receives: 2 });

    expect(seen).toEqual([
      'order.placed /svc/shop O-1',
      'order.changed /svc/shop O-1',
      'order.placed /svc/another O-1',
    ]);
  });

  it('counts what was processed before an upgrade, when its queue delivers it again', async () => {
    const { seen, shop } = seenBy(['order.placed', 'order.changed']);
    const earlier = {
      ...{ pk: 'message_tracking#billing#m-1', sk: 'message_tracking', type: 'message_tracking' },
      ...{ status: 'PROCESSED', group: 'billing', messageId: 'm-1', topic: 'order.placed' },
    };
    await shop.context.unitOfWork(async (unit) => unit.put(earlier));
    const envelope = anEnvelope({ id: 'm-1' });

    const answers = [
      await deliver(shop, envelope, { receives: 2 }),
      await deliver(shop, envelope, { receives: 3 }),
    ];
    await deliver(shop, { ...envelope, type: 'order.changed' }, { receives: 2 });

    expect(answers).toEqual([false, false]);
    expect(seen).toEqual(['order.changed /svc/shop m-1']);
  });

  it('lets a dead letter of the earlier form be requeued', async () => {
    const { seen, shop } = seenBy(['order.placed']);
    const id = `c.${Buffer.from(JSON.stringify(['billing', 'm-1'])).toString('base64url')}`;
    await shop.context.unitOfWork(async (unit) =>
      unit.put({
        ...{ pk: 'message_tracking#billing#m-1', sk: 'message_tracking', type: 'message_tracking' },
        ...{ status: 'DEAD', group: 'billing', messageId: 'm-1', topic: 'order.placed', key: null },
        ...{ queue: 'svc--billing', envelope: JSON.stringify(anEnvelope({ id: 'm-1' })) },
        ...{ attempts: 4, summary: { id } },
      }),
    );

    const { status } = await requeue(shop, id);
    await shop.relay.runTask('relay');
    await deliver(shop, shop.context.queues.messages[0]?.body ?? '', { returns: 0 });

    expect(status).toBe(202);
    expect(seen).toEqual(['order.placed /svc/shop m-1']);
  });
});

describe('the drain, of a group of a module that declares its expression', () => {
  const declaration = {
    topic: 'order.placed',
    group: 'billing',
    messageIdFrom: '$.payload.orderId',
  } as const;
  const topology = {
    expressions: { [declaration.topic]: { [declaration.group]: declaration.messageIdFrom } },
  };
  const envelope = anEnvelope({ data: { orderId: 'O-1' } });
  const listened = (shop: Shop, handle: HandleMessage): void =>
    shop.context.messaging.listen([{ ...declaration, handle }]);

  it('drops what is dead or processed under that identity, and lists the rest once', async () => {
    const dead = aShop({ topology });
    listened(dead, () => Promise.reject(new NonRetryableError('no')));
    const done = aShop({ topology });
    listened(done, async () => undefined);

    for (const shop of [dead, done]) {
      await deliver(shop, envelope);
      await drain(shop, envelope, { returns: 0 });
      await drain(shop, envelope, { returns: 3 });
    }
    const lost = aShop({ topology });
    await drain(lost, envelope, { returns: 3 });

    expect([dead, done].map(({ context }) => context.queues.messages)).toEqual([[], []]);
    expect(await listed(dead)).toMatchObject([{ messageId: 'O-1' }]);
    expect(await listed(done)).toEqual([]);
    expect(await listed(lost)).toMatchObject([{ messageId: 'O-1' }]);
  });

  it('lists a message that breaks the schema of its listener once', async () => {
    const shop = aShop({ topology });
    const schema = z.object({ total: z.number() });
    shop.context.messaging.listen([{ ...declaration, schema, handle: async () => undefined }]);

    await deliver(shop, envelope);
    await deliver(shop, { ...envelope, id: 'sent-again' });
    await drain(shop, envelope, { returns: 3 });

    expect(await listed(shop)).toMatchObject([{ messageId: 'O-1', attempts: 1 }]);
  });

  it('refuses a module whose expression only its own function has', () => {
    const [listener] = brokerListener(
      { topics: 'order.placed', groupId: 'billing', messageId: '$.payload.orderId' },
      async () => undefined,
    );
    const module = { routes: [], listeners: listener ? [listener] : [] };

    expect(() => connect(() => module, aContext({ module: 'notes' }))).toThrow(
      /MQ_LISTENER_INVALID/,
    );
  });
});

describe('the drain, of a group that identifies its messages by an expression', () => {
  const byOrder = (handle: HandleMessage = async () => undefined) =>
    brokerListener(
      { topics: 'order.placed', groupId: 'billing', messageId: '$.payload.orderId' },
      handle,
    );
  const envelope = anEnvelope({ data: { orderId: 'O-1' } });

  it('drops what is dead or processed under that identity', async () => {
    const dead = aShop({ listeners: [byOrder(() => Promise.reject(new NonRetryableError('no')))] });
    const done = aShop({ listeners: [byOrder()] });

    for (const shop of [dead, done]) {
      await deliver(shop, envelope);
      await drain(shop, envelope, { returns: 0 });
      await drain(shop, envelope, { returns: 3 });
    }

    expect(dead.context.queues.messages).toEqual([]);
    expect(done.context.queues.messages).toEqual([]);
    expect(await listed(dead)).toMatchObject([{ messageId: 'O-1' }]);
    expect(await listed(done)).toEqual([]);
  });

  it('waits for a bucket that fails for a moment, rather than list what is processed', async () => {
    const shop = aShop({ listeners: [byOrder()], mq: { 'payload-inline-limit': 1_024 } });
    const { context } = shop;
    await context.events.publish('order.placed', null, { orderId: 'O-1', text: 'x'.repeat(5_000) });
    const large = context.bus.events[0]?.envelope ?? anEnvelope();
    await deliver(shop, large);

    const { load } = context.payloads;
    context.payloads.load = async () => {
      context.payloads.load = load;
      throw new Error('slow down');
    };
    const stayed = await drain(shop, large, { returns: 3 });
    const stays = await drain(shop, large, { returns: 3, receives: 2 });

    expect([stayed, stays]).toEqual([true, false]);
    expect(context.queues.messages).toEqual([]);
    expect(await listed(shop)).toEqual([]);
  });

  it('lists a message once, and its requeue is processed', async () => {
    const seen: string[] = [];
    const shop = aShop({
      listeners: [byOrder(async ({ messageId }) => void seen.push(messageId))],
    });
    await drain(shop, envelope, { returns: 3 });
    const letters = await listed(shop);

    await requeue(shop, letters[0]?.id);
    await shop.relay.runTask('relay');
    const body = shop.context.queues.messages[0]?.body ?? '';
    await deliver(shop, body, { returns: 0 });
    await deliver(shop, body, { returns: 0, receives: 2 });

    expect(letters).toMatchObject([{ messageId: 'O-1' }]);
    expect(seen).toEqual(['O-1']);
    expect(shop.tracking('billing', 'O-1')).toMatchObject({ status: 'PROCESSED', requeueCount: 1 });
  });
});

describe('RetryLaterError', () => {
  it.each([
    [90_000, 90],
    [12 * 3_600_000, 42_300],
    [Number.POSITIVE_INFINITY, 42_300],
    [-1, 0],
    [Number.NaN, 0],
  ])('of %s ms hides the message for %s s: what its queue can hold', async (delayMs, seconds) => {
    const shop = aShop({ listeners: [failing(new RetryLaterError(delayMs))] });

    await deliver(shop, anEnvelope());

    expect(shop.context.queues.postponed).toEqual([{ queue: 'svc--billing', seconds }]);
  });

  it('makes a message dead that its queue would forget before, or within a day after', async () => {
    const shop = aShop({
      listeners: [failing(new RetryLaterError(3_600_000))],
      mq: { idempotent: { 'max-retries': 100 } },
    });
    const now = shop.context.clock.now();

    const young = await deliver(shop, anEnvelope(), { queuedAt: now - 12 * DAY_MS });
    const old = await deliver(shop, anEnvelope({ id: 'old' }), { queuedAt: now - 13 * DAY_MS });

    expect([young, old]).toEqual([true, false]);
    expect(await listed(shop)).toMatchObject([
      { messageId: 'old', attempts: 1, lastError: { code: 'MQ_RETRY_TOO_LATE' } },
    ]);
  });

  it('counts as an attempt, also when it is longer than processed messages are remembered', async () => {
    const shop = aShop({
      listeners: [failing(new RetryLaterError(3_600_000))],
      mq: { 'tracking-retention': 60_000, idempotent: { 'max-retries': 2 } },
    });
    const { clock } = shop.context;
    const envelope = anEnvelope();
    const queuedAt = clock.now();
    const stays: boolean[] = [];

    for (const receives of [1, 2, 3]) {
      stays.push(await deliver(shop, envelope, { receives, queuedAt }));
      clock.advance(3_600_000);
      await removeExpired(shop);
    }

    expect(stays).toEqual([true, true, false]);
    expect(await listed(shop)).toMatchObject([{ messageId: envelope.id, attempts: 3 }]);
  });
});
