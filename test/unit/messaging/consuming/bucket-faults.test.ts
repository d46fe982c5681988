import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import { BUCKET_FAULTS, bucketError } from '../../../helpers/service-faults/bucket-faults.ts';
import { aShop, type Shop } from '../a-shop.ts';
import { deliver, deliverAll } from './queue-records.ts';

const PATH = '/broker/dead-letter';
const EFFECT = { pk: 'HOST#effect', sk: 'effect' };
const payload = { text: 'x'.repeat(5_000) };

const counting = messageListener({ topic: 'order.placed', group: 'billing' }, async (_, { uow }) =>
  uow.update(EFFECT, { expression: 'ADD effects :one', values: { ':one': 1 } }),
);

const anOpenShop = () => aShop({ listeners: [counting], mq: { 'payload-inline-limit': 1_024 } });

const publish = ({ context }: Shop) => context.events.publish('order.placed', 'A-1', payload);

async function withLargeMessage() {
  const shop = anOpenShop();
  await publish(shop);
  const [event] = shop.context.bus.events;
  if (!event) throw new Error('nothing was sent');
  return { shop, envelope: event.envelope };
}

const effectsOf = async ({ context }: Shop) =>
  (await context.table.get<typeof EFFECT & { type: string; effects: number }>(EFFECT))?.effects;

async function deadLetters({ messaging }: Shop) {
  const { body } = await messaging.call({ method: 'GET', path: PATH });
  return body.content as { id: string }[];
}

describe.each(BUCKET_FAULTS)('a bucket whose calls end as %s', (fault) => {
  it('has nothing published of a message that is too large for its row', async () => {
    const shop = anOpenShop();
    shop.context.payloads.failure = bucketError(fault);

    await expect(publish(shop)).rejects.toThrow();

    expect(shop.rows()).toEqual([]);
    expect(shop.context.bus.events).toEqual([]);
  });

  it('costs a message the attempts that it lasts, and nothing when it is over', async () => {
    const { shop, envelope } = await withLargeMessage();
    shop.context.payloads.failure = bucketError(fault);
    const isBack = await deliver(shop, envelope);
    shop.context.payloads.failure = undefined;
    shop.context.clock.advance(60_000);

    await deliverAll(shop, envelope);
    await deliverAll(shop, envelope);

    expect(isBack).toBe(true);
    expect(await effectsOf(shop)).toBe(1);
    expect(await deadLetters(shop)).toEqual([]);
  });

  it('makes a message dead that it outlasts, which is requeued and processed once it is over', async () => {
    const { shop, envelope } = await withLargeMessage();
    shop.context.payloads.failure = bucketError(fault);
    await deliverAll(shop, envelope);
    const [letter] = await deadLetters(shop);
    const path = `${PATH}/${letter?.id}/requeue`;

    const refused = await shop.messaging.call({ method: 'POST', path });
    shop.context.payloads.failure = undefined;
    const { status } = await shop.messaging.call({ method: 'POST', path });
    await shop.relay.runTask('relay');
    const [again] = shop.context.queues.messages;
    await deliver(shop, again?.body ?? '');

    const isGone = fault === 'missing' || fault === 'forbidden';
    expect(refused).toMatchObject(
      isGone
        ? { status: 409, body: { code: 'MQ_BODY_MISSING' } }
        : { status: 503, body: { code: 'MQ_BODY_UNREACHABLE' } },
    );
    expect(status).toBe(202);
    expect(await effectsOf(shop)).toBe(1);
  });
});
