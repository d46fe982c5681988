import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import { aShop, type Shop } from '../a-shop.ts';
import { deliverAll } from '../consuming/queue-records.ts';
import { dueRows, statuses } from './due-rows.ts';

const DAY_MS = 86_400_000;
const payload = { text: 'x'.repeat(5_000) };

/** The rule of the bucket: it forgets what is older than 30 days. */
function expireBodies({ context }: Shop, firstKey: string): void {
  context.payloads.objects.delete(firstKey);
}

/** Keys of the bodies of all rows, in the order of the rows' ids. */
const bodiesOf = (shop: Shop) =>
  shop
    .rows()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ payloadRef }) => payloadRef?.key ?? '');

/** A shop with a large message that its publisher could not send. */
async function waiting(options: Parameters<typeof aShop>[0] = {}) {
  const shop = aShop({
    ...options,
    mq: {
      ...{ 'payload-inline-limit': 1_024, relay: { enabled: true, 'max-retries': 100 } },
      ...options.mq,
    },
  });
  shop.context.bus.mode = 'down';
  const { messageId } = await shop.context.events.publish('order.placed', 'A-1', payload);
  const bodyOf = () => shop.row(messageId)?.payloadRef?.key ?? '';
  return { shop, messageId, bodyOf, firstKey: bodyOf() };
}

/** Makes a row wait for a turn that does not come: no relay claims it. */
async function hold({ context, row }: Shop, id: string): Promise<void> {
  const { pk = '', sk = '' } = row(id) ?? {};
  const update = {
    expression: 'SET gsi1sk = :later',
    values: { ':later': `9${'0'.repeat(14)}#${id}` },
  };
  await context.unitOfWork(async (unit) => unit.update({ pk, sk }, update));
}

describe('the large body of a message that waits', () => {
  it('is copied before the bucket forgets it, again and again, as long as the row is there', async () => {
    const { shop, messageId, bodyOf, firstKey } = await waiting();
    await hold(shop, messageId);
    const keys = new Set([firstKey]);

    for (let day = 0; day < 60; day += 5) {
      shop.context.clock.advance(5 * DAY_MS);
      await shop.relay.runTask('relay');
      if (day === 25) expireBodies(shop, firstKey);
      keys.add(bodyOf());
    }

    expect(shop.context.payloads.objects.get(bodyOf())).toBe(JSON.stringify(payload));
    expect(keys.size).toBe(1 + 6);
  });

  it('costs nothing while rows are young, and one look a day while they are old', async () => {
    const { shop, messageId } = await waiting();
    await hold(shop, messageId);
    const finds = async () => {
      const { requests } = await shop.context.db.meter.costOf(() => shop.relay.runTask('relay'));
      return requests.filter((request) => request === 'GetItem').length;
    };
    await finds();
    const young = await finds();
    shop.context.clock.advance(11 * DAY_MS);

    const old = [await finds(), await finds()];

    // After so long a run also asks once whether settings have changed.
    expect([young, ...old]).toEqual([0, 1 + 1, 0]);
  });

  it('is copied when the message is sent late, so that its receivers find it', async () => {
    const seen: unknown[] = [];
    const { shop, firstKey } = await waiting({
      listeners: [
        messageListener({ topic: 'order.placed', group: 'billing' }, async (message) => {
          seen.push(message.payload);
        }),
      ],
    });
    shop.context.clock.advance(29 * DAY_MS);
    shop.context.bus.mode = 'up';

    await shop.relay.runTask('relay');
    expireBodies(shop, firstKey);
    for (const { envelope } of shop.context.bus.events) await shop.messaging.deliver(envelope);

    expect(seen).toEqual([payload]);
  });

  it('is not copied when the message is sent within a day', async () => {
    const { shop, bodyOf, firstKey } = await waiting();
    shop.context.clock.advance(DAY_MS / 2);
    shop.context.bus.mode = 'up';

    await shop.relay.runTask('relay');

    expect(shop.context.bus.events).toHaveLength(1);
    expect(bodyOf()).toBe(firstKey);
  });

  it('that expired while no relay ran ends as a dead letter of each group, which can only be discarded', async () => {
    const groups = ['billing', 'stock'];
    const { shop, firstKey } = await waiting({
      listeners: groups.map((group) =>
        messageListener({ topic: 'order.placed', group }, async () => undefined),
      ),
    });
    shop.context.clock.advance(31 * DAY_MS);
    expireBodies(shop, firstKey);
    shop.context.bus.mode = 'up';

    await shop.relay.runTask('relay');
    const [event] = shop.context.bus.events;
    for (const group of groups) await deliverAll(shop, event?.envelope ?? '', { group });

    const path = '/broker/dead-letter';
    const { body } = await shop.messaging.call({ method: 'GET', path });
    const letters = body.content as { id: string; group: string }[];
    expect(letters.map(({ group }) => group).sort()).toEqual(groups);
    for (const { id } of letters) {
      const at = `${path}/${id}`;
      const shown = await shop.messaging.call({ method: 'GET', path: at });
      const requeued = await shop.messaging.call({ method: 'POST', path: `${at}/requeue` });
      const discarded = await shop.messaging.call({ method: 'DELETE', path: at });
      expect(shown.body).toMatchObject({ lastError: { code: 'NoSuchKey' }, attempts: 4 });
      expect(requeued).toMatchObject({ status: 409, body: { code: 'MQ_BODY_MISSING' } });
      expect(discarded.status).toBe(204);
    }
  });

  it('that is gone keeps no message from being sent: its receivers list it', async () => {
    const { shop, messageId } = await waiting();
    shop.context.payloads.lose();
    shop.context.clock.advance(29 * DAY_MS);
    shop.context.bus.mode = 'up';

    await shop.relay.runTask('relay');

    expect(shop.row(messageId)).toMatchObject({ status: 'SENT' });
  });

  it('that is gone keeps no other from being copied', async () => {
    const { shop } = await waiting({ mq: { shards: 1 } });
    for (let i = 0; i < 3; i += 1) {
      await shop.context.events.publish('order.placed', 'A-1', payload);
    }
    for (const { id } of shop.rows()) await hold(shop, id);
    const before = bodiesOf(shop);
    expireBodies(shop, before[0] ?? '');
    shop.context.clock.advance(11 * DAY_MS);

    await shop.relay.runTask('relay');

    const after = bodiesOf(shop);
    expect(after.map((key, at) => key === before[at])).toEqual([true, false, false, false]);
    expect(after.slice(1).every((key) => shop.context.payloads.objects.has(key))).toBe(true);
  });

  it('holds no other message up while the bucket does not answer', async () => {
    const { shop } = await waiting({ sendingMs: 40 });
    shop.context.clock.advance(29 * DAY_MS);
    await dueRows(shop, 3);
    shop.context.bus.mode = 'up';
    shop.context.payloads.hangs = true;

    await shop.relay.runTask('relay');

    expect(statuses(shop.rows())).toEqual({ SENT: 4 });
  });
});
