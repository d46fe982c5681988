import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { NonRetryableError } from '../../../../shared/messaging/wire/messaging-error.ts';
import { aShop, type Shop } from '../a-shop.ts';
import { deliver, deliverAll } from './queue-records.ts';

const PATH = '/broker/dead-letter';
const payload = { text: 'x'.repeat(5_000) };

/** A shop whose published message has a large body, and whose group refuses it. */
async function aShopThatRefuses() {
  const refusing = messageListener({ topic: 'order.placed', group: 'billing' }, async () => {
    throw new NonRetryableError('unknown customer');
  });
  const shop = aShop({ listeners: [refusing], mq: { 'payload-inline-limit': 1_024 } });
  await shop.context.events.publish('order.placed', 'A-1', payload);
  const [event] = shop.context.bus.events;
  if (!event) throw new Error('nothing was sent');
  return { shop, envelope: event.envelope as MessageEnvelope };
}

async function deadLetterOf(shop: Shop): Promise<string> {
  const { body } = await shop.messaging.call({ method: 'GET', path: PATH });
  const [letter] = body.content as { id: string }[];
  return `${PATH}/${letter?.id}`;
}

describe('the large body of a dead letter', () => {
  it('stays when the message is dead again before its requeue has ended', async () => {
    const { shop, envelope } = await aShopThatRefuses();
    const { payloads, queues } = shop.context;
    await deliver(shop, envelope);
    const letter = await deadLetterOf(shop);
    const { drop } = payloads;
    payloads.drop = async (ref) => {
      await shop.relay.runTask('relay');
      await deliver(shop, queues.messages[0]?.body ?? '', { returns: 0 });
      await drop(ref);
    };

    const requeued = await shop.messaging.call({ method: 'POST', path: `${letter}/requeue` });
    const { body } = await shop.messaging.call({ method: 'GET', path: letter });

    expect(requeued.status).toBe(202);
    expect(body).toMatchObject({ requeueCount: 1, payload });
    expect([...payloads.objects.keys()].filter((key) => key.startsWith('outbox/dead/'))).toEqual([
      expect.stringMatching(/\.1$/),
    ]);
  });

  it.each(['requeue', 'discard'])(
    'stays for the other groups after a %s, when it could not be copied at the death',
    async (action) => {
      const { shop, envelope } = await aShopThatRefuses();
      const { payloads } = shop.context;
      payloads.failure = new Error('slow down');
      await deliverAll(shop, envelope);
      payloads.failure = undefined;
      const letter = await deadLetterOf(shop);
      const published = [...payloads.objects.keys()];

      const { status } = await shop.messaging.call(
        action === 'requeue'
          ? { method: 'POST', path: `${letter}/requeue` }
          : { method: 'DELETE', path: letter },
      );

      expect(status).toBeLessThan(300);
      expect(published).toHaveLength(1);
      expect([...payloads.objects.keys()]).toEqual(expect.arrayContaining(published));
    },
  );
});
