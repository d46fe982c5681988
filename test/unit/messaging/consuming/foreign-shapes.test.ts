import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import { anEnvelope, aShop, type Shop } from '../a-shop.ts';
import { deliver, drain } from './queue-records.ts';

const PATH = '/broker/dead-letter';
const MANY = 230_000;
/** Half of a surrogate pair, which JSON can hold and UTF-8 cannot. */
const HALF = 'a\ud800b';
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** What an envelope of others may have in each place, up to what a queue takes. */
const members: Readonly<Record<string, readonly unknown[]>> = {
  id: [HALF, 'i'.repeat(1_025), 'ü'.repeat(1_025), '"'.repeat(100_000), 'i'.repeat(MANY)],
  source: [HALF, 's'.repeat(2_049), 's'.repeat(MANY)],
  subject: [HALF, '', 's'.repeat(513), 's'.repeat(2_049), 'ü'.repeat(100_000), '"'.repeat(110_000)],
  sequence: ['', '0', '-1', '9'.repeat(15), '9'.repeat(16), '9'.repeat(1_025), '9'.repeat(MANY)],
  svcafter: [
    { billing: 7 },
    { billing: Number.MAX_SAFE_INTEGER },
    { billing: -7 },
    Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`another-group-${i}`, i])),
    {
      billing: 7,
      ...Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`group-${i}`, i])),
    },
  ],
  svcondead: ['block'],
  time: ['', 'yesterday', '+275760-09-13T00:00:00Z', '-000001-01-01T00:00:00Z', 't'.repeat(MANY)],
  traceid: [HALF, '', 't'.repeat(MANY)],
  traceparent: ['', 't'.repeat(MANY)],
  svcheaders: [{ [HALF]: HALF }, { a: '"'.repeat(100_000) }],
  data: [null, { [HALF]: HALF }, 'x'.repeat(MANY), JSON.parse(deep(50_000))],
  extension: ['x'.repeat(MANY), JSON.parse(deep(50_000))],
};

const places = { 'in order': { sequence: '9', svcafter: { billing: 8 } }, 'without a place': {} };

/** A text of nested lists as JSON, which `JSON.stringify` may not be able to write. */
const textOf = (envelope: object): string => {
  const nested = deep(50_000);
  const marked = JSON.stringify(envelope, (_, value) =>
    Array.isArray(value) && value.length === 1 ? '@deep' : value,
  );
  return marked.replace('"@deep"', nested);
};

const shapes = Object.entries(places).flatMap(([place, overrides]) =>
  Object.entries(members).flatMap(([name, values]) =>
    values.map((value, index) => ({
      name: `${name} ${index}, ${place}`,
      body: textOf({ ...anEnvelope(overrides), [name]: value }),
    })),
  ),
);

const failing = messageListener({ topic: 'order.placed', group: 'billing' }, () =>
  Promise.reject(new Error('down')),
);

/** Delivers a message, and drains it from the dead-letter queue, until its queues have done with it. */
async function exhaust(shop: Shop, body: string, returns: number): Promise<void> {
  const { clock } = shop.context;
  for (let receives = 1; receives <= 8; receives += 1) {
    if (!(await deliver(shop, body, { receives }))) return;
    clock.advance(16 * 60_000);
  }
  for (let receives = 1; receives <= 8; receives += 1) {
    if (!(await drain(shop, body, { receives, returns }))) return;
    clock.advance(60_000);
  }
  throw new Error('Its dead-letter queue keeps it');
}

/** Queues and relay until the message is nowhere but in the table. */
async function runDown(shop: Shop, body: string): Promise<void> {
  const { queues, clock } = shop.context;
  let inQueue: string[] = [body];
  for (let round = 0; inQueue.length > 0; round += 1) {
    if (round > 20) throw new Error('It comes back for ever');
    for (const each of inQueue) await exhaust(shop, each, Math.min(round, 3));
    await shop.relay.runTask('relay');
    // What waits for a message that never comes goes on after 15 days.
    clock.advance(16 * 86_400_000);
    await shop.relay.runTask('relay');
    inQueue = queues.messages.splice(0).map((message) => message.body);
  }
}

const call = (shop: Shop, method: string, id: string, rest = '') =>
  shop.messaging.call({ method, path: `${PATH}/${id}${rest}` });

describe('an envelope of others', () => {
  it.each(shapes)('ends as one dead letter: $name', async ({ body }) => {
    const shop = aShop({ listeners: [failing] });

    await runDown(shop, body);

    const list = await shop.messaging.call({ method: 'GET', path: PATH });
    const letters = list.body.content as { id: string }[];
    expect(letters).toHaveLength(1);
    const [{ id } = { id: '' }] = letters;
    expect((await call(shop, 'GET', id)).status).toBe(200);
    const requeued = await call(shop, 'POST', id, '/requeue');
    expect([202, 409]).toContain(requeued.status);
    if (requeued.status === 202) {
      await shop.relay.runTask('relay');
      const [message] = shop.context.queues.messages;
      expect(message).toBeDefined();
      await runDown(shop, shop.context.queues.messages.splice(0)[0]?.body ?? '');
    }
    expect((await call(shop, 'DELETE', id)).status).toBe(204);
  });

  it('with a body of too many levels in the bucket is dead at once, and is shown as text', async () => {
    const shop = aShop({ listeners: [failing] });
    const body = deep(200_000);
    const { bucket, key, sha256 } = await shop.context.payloads.store('foreign', 0, body);
    const dataref = `s3://${bucket}/${key}`;

    const stays = await deliver(
      shop,
      anEnvelope({ data: undefined, dataref, datasha256: sha256, datasize: body.length }),
    );

    const { body: list } = await shop.messaging.call({ method: 'GET', path: PATH });
    const [letter] = list.content as { id: string; lastError: unknown }[];
    const shown = await call(shop, 'GET', letter?.id ?? '');
    expect(stays).toBe(false);
    expect(letter).toMatchObject({ lastError: { code: 'MQ_PAYLOAD_CORRUPT' } });
    // The caller may reveal what cannot be looked into.
    expect(shown.body.payload).toBe(body);
  });
});

describe('a payload of more levels than can be read again', () => {
  it('is refused when it is published', async () => {
    const { events } = aShop().context;

    await expect(
      events.publish('order.placed', null, JSON.parse(deep(500))),
    ).resolves.toBeDefined();
    for (const depth of [501, 100_000]) {
      await expect(events.publish('order.placed', null, JSON.parse(deep(depth)))).rejects.toThrow(
        /MQ_PAYLOAD_NOT_JSON/,
      );
    }
  });
});
