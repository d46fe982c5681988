import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../shared/messaging/consuming/listener.ts';
import { aGrumpyShop, anEnvelope, aShop, deadLetters, type Shop } from './a-shop.ts';
import { dueRows } from './relay/due-rows.ts';

const PATH = '/broker/dead-letter';
const refusing = messageListener({ topic: 'order.placed', group: 'billing' }, async () => {
  throw new Error('no connection');
});

const idsOf = (body: Readonly<Record<string, unknown>>) =>
  (body.content as { id: string }[]).map(({ id }) => id);

describe('GET /broker/dead-letter', () => {
  it('lists dead letters newest first, without their payloads', async () => {
    const shop = aGrumpyShop();
    const ids = await deadLetters(shop, 3);

    const { status, body } = await shop.messaging.call({ method: 'GET', path: PATH });

    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(ids.toReversed());
    expect(body).toMatchObject({ totalElements: 3, totalRelation: 'eq', last: true });
    expect((body.content as unknown[])[0]).toEqual({
      id: ids[2],
      messageId: ids[2],
      source: 'outbox',
      topic: 'order.placed',
      key: 'A-2',
      group: null,
      status: 'DEAD',
      attempts: 1,
      requeueCount: 0,
      createdAt: expect.any(String),
      deadAt: expect.any(String),
      lastError: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
      traceId: expect.any(String),
      size: 7,
    });
  });

  it('pages through all of them, each once', async () => {
    const shop = aGrumpyShop();
    const ids = await deadLetters(shop, 25);
    const seen: string[] = [];

    let cursor: unknown = null;
    do {
      const next = cursor === null ? '' : `&cursor=${String(cursor)}`;
      const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}?size=10${next}` });
      seen.push(...idsOf(body));
      cursor = body.nextCursor;
    } while (cursor !== null);

    expect(seen).toEqual(ids.toReversed());
  });

  it('is narrowed by topic, source, group, key, messageId and time', async () => {
    const shop = aGrumpyShop({ listeners: [refusing] });
    const [first = ''] = await deadLetters(shop, 2, 'a');
    await deadLetters(shop, 1, 'b');
    await shop.messaging.deliver(anEnvelope({ id: 'm-1', subject: 'K' }));
    const count = async (query: string) =>
      idsOf((await shop.messaging.call({ method: 'GET', path: `${PATH}?${query}` })).body).length;
    const deadAt = String(shop.row(first)?.deadAt);

    expect(await count('topic=a')).toBe(2);
    expect(await count('source=consumer')).toBe(1);
    expect(await count('group=billing&key=K')).toBe(1);
    expect(await count(`messageId=${first}`)).toBe(1);
    expect(await count(`to=${deadAt}`)).toBe(0);
    expect(await count(`from=${deadAt}`)).toBe(4);
    expect(await count('topic=none')).toBe(0);
  });

  it('exists only with the relay', async () => {
    const shop = aShop({ mq: { relay: { enabled: false } } });

    expect((await shop.messaging.call({ method: 'GET', path: PATH })).status).toBe(404);
  });

  it('needs mq:dead-letter:view', async () => {
    const shop = aShop();
    const call = (permissions: string[]) =>
      shop.messaging.call({ method: 'GET', path: PATH, caller: { sub: 'x', permissions } });

    expect((await call([])).status).toBe(403);
    expect((await call(['mq:dead-letter:view'])).status).toBe(200);
    expect((await shop.messaging.call({ method: 'GET', path: PATH, caller: null })).status).toBe(
      401,
    );
  });

  it.each(['colour=red', 'size=0', 'source=x', 'from=yesterday', 'cursor=zzz'])(
    'refuses ?%s',
    async (query) => {
      const shop = aShop();

      const { status } = await shop.messaging.call({ method: 'GET', path: `${PATH}?${query}` });

      expect(status).toBe(400);
    },
  );
});

describe('GET /broker/dead-letter/{id}', () => {
  it('shows headers and payload, and hides what is secret by its name', async () => {
    const shop = aGrumpyShop();
    shop.context.bus.mode = 'down';
    const payload = { total: 1, user: { password: 'hunter2' } };
    const headers = { authorization: 'Bearer x', by: 'mai' };
    const { messageId } = await shop.context.events.publish('a', null, payload, headers);

    const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${messageId}` });

    expect(body).toMatchObject({
      id: messageId,
      headers: { authorization: '******', by: 'mai' },
      payload: { total: 1, user: { password: '******' } },
    });
  });

  it('shows a large payload from the bucket, which outlives every lifecycle rule', async () => {
    const shop = aGrumpyShop({ mq: { 'payload-inline-limit': 2_048 } });
    shop.context.bus.mode = 'down';
    const payload = { text: 'x'.repeat(4_000) };
    const { messageId } = await shop.context.events.publish('a', null, payload);

    const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${messageId}` });

    expect(body.payload).toEqual(payload);
    expect(shop.row(messageId)?.payloadRef?.key).toBe(`outbox/dead/${messageId}`);
  });

  it('shows a dead letter whose body is gone; it can be discarded, and not requeued', async () => {
    const shop = aGrumpyShop({ mq: { 'payload-inline-limit': 2_048 } });
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('a', null, 'x'.repeat(4_000));
    shop.context.payloads.lose();
    const path = `${PATH}/${messageId}`;

    const shown = await shop.messaging.call({ method: 'GET', path });
    const requeued = await shop.messaging.call({ method: 'POST', path: `${path}/requeue` });
    const discarded = await shop.messaging.call({ method: 'DELETE', path });

    expect(shown).toMatchObject({ status: 200, body: { id: messageId, payload: null } });
    expect(requeued).toMatchObject({ status: 409, body: { code: 'MQ_BODY_MISSING' } });
    expect(discarded.status).toBe(204);
    expect(shop.row(messageId)).toMatchObject({ status: 'DISCARDED' });
  });

  it('shows the text of a payload that cannot be read', async () => {
    const shop = aGrumpyShop();
    const [id = ''] = await dueRows(shop, 1, { more: { payload: '{"half' } });
    await shop.relay.runTask('relay');

    const { status, body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });

    expect(status).toBe(200);
    expect(body).toMatchObject({ payload: '{"half', lastError: { code: 'MQ_ROW_UNREADABLE' } });
  });

  it('shows of a text that cannot be looked into only size and hash, unless the caller may reveal it', async () => {
    const shop = aGrumpyShop();
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('a', null, 'the code is 4711');
    const get = (permissions: string[]) =>
      shop.messaging.call({
        method: 'GET',
        path: `${PATH}/${messageId}`,
        caller: { sub: 'x', permissions: ['mq:dead-letter:view', ...permissions] },
      });

    const hidden = await get([]);
    const shown = await get(['mq:dead-letter:reveal']);

    expect(hidden.body.payload).toEqual({
      size: 16,
      sha256: createHash('sha256').update('the code is 4711').digest('hex'),
    });
    expect(shown.body.payload).toBe('the code is 4711');
  });

  it.each([
    ['a form', 'user=mai&password=hunter2', 'user=mai&password=******'],
    ['JSON', '{"password":"hunter2"}', '{"password":"******"}'],
    ['XML', '<a><password>hunter2</password></a>', '<a><password>******</password></a>'],
  ])('hides secrets in a text payload that is %s', async (_what, payload, shown) => {
    const shop = aGrumpyShop();
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('a', null, payload);

    const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${messageId}` });

    expect(body.payload).toBe(shown);
  });

  it('hides secrets in the raw request of a broker client', async () => {
    const shop = aGrumpyShop();
    const raw = JSON.stringify({
      Detail: JSON.stringify({ apiKey: 'hunter2', total: 1 }),
      body: 'token=hunter2',
      DetailType: 'a',
    });
    const [id = ''] = await dueRows(shop, 1, { more: { raw } });
    shop.context.bus.mode = 'down';
    await shop.relay.runTask('relay');
    shop.context.machineClock.advance(3_600_000);
    await shop.relay.runTask('relay');

    const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });

    expect(JSON.parse(String(body.payload))).toEqual({
      Detail: '{"apiKey":"******","total":1}',
      body: 'token=******',
      DetailType: 'a',
    });
  });

  it('tells no secret that an error names, in the list, the detail and the table', async () => {
    const leaking = messageListener({ topic: 'order.placed', group: 'billing' }, async () => {
      throw new Error('login at https://mai:hunter2@db failed: password=hunter2');
    });
    const shop = aGrumpyShop({ listeners: [leaking] });
    const message = 'login at https://******@db failed: password= ******';
    await shop.messaging.deliver(anEnvelope());

    const { body } = await shop.messaging.call({ method: 'GET', path: PATH });
    const [id] = idsOf(body);
    const detail = await shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });

    expect(body.content).toMatchObject([{ lastError: { code: 'Error', message } }]);
    expect(detail.body).toMatchObject({ lastError: { code: 'Error', message } });
    expect(JSON.stringify(shop.context.db.items())).not.toContain('hunter2');
  });

  it('refuses to show a payload that is larger than an answer, and requeues it all the same', async () => {
    const shop = aGrumpyShop({ mq: { 'payload-inline-limit': 2_048 } });
    shop.context.bus.mode = 'down';
    const payload = { text: '"'.repeat(2_000_000) };
    const { messageId } = await shop.context.events.publish('order.placed', 'A-1', payload);
    shop.context.bus.mode = 'up';
    const path = `${PATH}/${messageId}`;

    const answer = await shop.messaging.call({ method: 'GET', path });
    const requeued = await shop.messaging.call({ method: 'POST', path: `${path}/requeue` });

    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'ANSWER_TOO_LARGE', detail: expect.stringContaining('bucket') },
    });
    expect(requeued.status).toBeLessThan(300);
  });

  it('shows a large payload that a group could not process, and hands it out again', async () => {
    let isUp = false;
    const seen: unknown[] = [];
    const listener = messageListener({ topic: 'a', group: 'billing' }, async ({ payload }) => {
      if (!isUp) throw new Error('down');
      seen.push(payload);
    });
    const shop = aGrumpyShop({ listeners: [listener], mq: { 'payload-inline-limit': 2_048 } });
    const payload = { text: 'x'.repeat(4_000) };
    await shop.context.events.publish('a', null, payload);
    const [event] = shop.context.bus.events;
    if (!event) throw new Error('nothing was sent');
    await shop.messaging.deliver(event.envelope);
    // The rule of the bucket expires what was published.
    shop.context.payloads.objects.delete(`outbox/2026/03/${event.envelope.id}`);
    const list = await shop.messaging.call({ method: 'GET', path: PATH });
    const [id = ''] = idsOf(list.body);

    const { body } = await shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });
    await shop.messaging.call({ method: 'POST', path: `${PATH}/${id}/requeue` });
    isUp = true;
    await shop.relay.runTask('relay');
    await shop.messaging.deliver(JSON.parse(shop.context.queues.messages[0]?.body ?? '{}'));

    expect(body).toMatchObject({ source: 'consumer', size: 4_011, payload });
    expect(seen).toEqual([payload]);
    expect([...shop.context.payloads.objects.keys()]).toEqual([
      expect.stringMatching(/^outbox\/2026\//),
    ]);
  });

  it('tells apart what is not there and what is not dead', async () => {
    const shop = aShop();
    const { messageId } = await shop.context.events.publish('a', null, {});
    const read = (id: string) => shop.messaging.call({ method: 'GET', path: `${PATH}/${id}` });

    expect((await read('nothing')).body).toMatchObject({
      status: 404,
      code: 'MQ_DEAD_LETTER_NOT_FOUND',
    });
    expect((await read(messageId)).body).toMatchObject({ status: 409, code: 'MQ_NOT_DEAD' });
  });
});

describe('POST /broker/dead-letter/{id}/requeue', () => {
  const requeue = (shop: Shop, id: string) =>
    shop.messaging.call({ method: 'POST', path: `${PATH}/${id}/requeue` });

  it('sends the message again under its own id and trace', async () => {
    const shop = aGrumpyShop();
    const [id = ''] = await deadLetters(shop, 1);
    const { traceId } = shop.row(id) ?? {};

    const answer = await requeue(shop, id);
    const requeued = shop.row(id);
    await shop.relay.runTask('relay');

    expect(answer).toMatchObject({ status: 202, body: { id, status: 'PENDING' } });
    expect(requeued).toMatchObject({ status: 'PENDING', attempts: 0, requeueCount: 1 });
    expect(shop.context.bus.events[0]?.envelope).toMatchObject({ id, traceid: traceId });
    expect(shop.context.log.named('audit')).toMatchObject([
      { action: 'requeue', deadLetter: id },
      { operation: 'requeueDeadLetter', id, status: 202 },
    ]);
  });

  it('is refused for a message that is not dead, and changes nothing', async () => {
    const shop = aShop();
    const { messageId } = await shop.context.events.publish('a', null, {});
    const before = shop.row(messageId);

    const { body } = await requeue(shop, messageId);

    expect(body).toMatchObject({ status: 409, code: 'MQ_NOT_DEAD' });
    expect(shop.row(messageId)).toEqual(before);
    expect(shop.context.bus.events).toHaveLength(1);
  });

  it('of two calls at once only one does it', async () => {
    const shop = aGrumpyShop();
    const [id = ''] = await deadLetters(shop, 1);

    const answers = await Promise.all([requeue(shop, id), requeue(shop, id)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(shop.row(id)).toMatchObject({ requeueCount: 1 });
  });

  it('sends what a group could not process back to its queue, where it is processed once', async () => {
    let isUp = false;
    const bills: string[] = [];
    const listener = messageListener(
      { topic: 'order.placed', group: 'billing' },
      async (message) => {
        if (!isUp) throw new Error('down');
        bills.push(message.messageId);
      },
    );
    const shop = aGrumpyShop({ listeners: [listener] });
    await shop.messaging.deliver(anEnvelope({ id: 'm-1' }));
    const list = await shop.messaging.call({ method: 'GET', path: PATH });
    const [id = ''] = idsOf(list.body);
    isUp = true;

    const answer = await requeue(shop, id);
    await shop.relay.runTask('relay');
    const [message] = shop.context.queues.messages;
    const envelope = JSON.parse(message?.body ?? '{}');
    await shop.messaging.deliver(envelope, envelope);

    expect(answer.status).toBe(202);
    expect(message?.queue).toBe('svc--billing');
    expect(envelope).toMatchObject({ id: 'm-1', traceid: 'trace-of-the-publisher' });
    expect(bills).toEqual(['m-1']);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'PROCESSED', requeueCount: 1 });
  });

  it('moves a large body back to where it expires', async () => {
    const shop = aGrumpyShop({ mq: { 'payload-inline-limit': 2_048 } });
    shop.context.bus.mode = 'down';
    const { messageId } = await shop.context.events.publish('a', null, { text: 'x'.repeat(4_000) });
    shop.context.bus.mode = 'up';

    await requeue(shop, messageId);

    expect(shop.row(messageId)?.payloadRef?.key).toMatch(/^outbox\/2026\//);
    expect([...shop.context.payloads.objects.keys()]).not.toContain(`outbox/dead/${messageId}`);
  });
});

describe('POST /broker/dead-letter/requeue', () => {
  const requeue = (shop: Shop, body: unknown) =>
    shop.messaging.call({ method: 'POST', path: `${PATH}/requeue`, body });

  it('takes ids and names those that it skips', async () => {
    const shop = aGrumpyShop();
    const ids = await deadLetters(shop, 3);

    const { status, body } = await requeue(shop, { ids: [...ids, ids[0], 'nothing'] });

    expect(status).toBe(200);
    expect(body).toEqual({
      requeued: 3,
      skipped: [{ id: 'nothing', reason: 'MQ_DEAD_LETTER_NOT_FOUND' }],
      remaining: false,
    });
  });

  it('takes a filter and a limit, and says whether there are more', async () => {
    const shop = aGrumpyShop();
    await deadLetters(shop, 3, 'a');
    await deadLetters(shop, 2, 'b');

    const limited = await requeue(shop, { filter: { topic: 'a' }, limit: 2 });
    const rest = await requeue(shop, { filter: { topic: 'a' } });

    expect(limited.body).toEqual({ requeued: 2, skipped: [], remaining: true });
    expect(rest.body).toEqual({ requeued: 1, skipped: [], remaining: false });
  });

  it.each([{}, { ids: [] }, { ids: ['a'], filter: {} }, { filter: { topic: 'a' }, limit: 1_001 }])(
    'refuses %j',
    async (body) => {
      expect((await requeue(aShop(), body)).status).toBe(400);
    },
  );
});

describe('DELETE /broker/dead-letter/{id}', () => {
  it('gives the message up, keeps it for 30 days and says who and why', async () => {
    const shop = aGrumpyShop();
    const [id = ''] = await deadLetters(shop, 1);
    const path = `${PATH}/${id}`;

    const answer = await shop.messaging.call({ method: 'DELETE', path: `${path}?reason=old` });
    const again = await shop.messaging.call({ method: 'DELETE', path });
    const list = await shop.messaging.call({ method: 'GET', path: PATH });

    expect([answer.status, again.status]).toEqual([204, 409]);
    expect(list.body).toMatchObject({ empty: true });
    expect(shop.row(id)).toMatchObject({ status: 'DISCARDED', discardReason: 'old' });
    expect(Number(shop.row(id)?.ttl) * 1_000).toBe(shop.context.clock.now() + 30 * 86_400_000);
    expect(shop.context.log.named('audit')).toMatchObject([
      { action: 'discard', reason: 'old' },
      { operation: 'discardDeadLetter', id, status: 204 },
      { operation: 'discardDeadLetter', id, status: 409, code: 'MQ_NOT_DEAD' },
    ]);
  });
});
