import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../../shared/messaging/consuming/listener.ts';
import { queueName } from '../../../../shared/messaging/wire/topology.ts';
import { anEnvelope, aShop, type Shop } from '../a-shop.ts';

/** Characters that queues refuse, and half a pair, which is written otherwise by what reads it as UTF-8. */
const ODD = ['a\ufffeb', 'a\uffffb', 'a\ud800b'];
const TOPIC = 'order.placed';
const WHOLE = ODD.filter((text) => text.isWellFormed());

function aListeningShop(isOrdered: boolean, fails = () => false) {
  const seen: unknown[] = [];
  const listener = messageListener({ topic: TOPIC, group: 'billing' }, async (message) => {
    if (fails()) throw new Error('no connection');
    seen.push([message.key, message.headers, message.payload]);
  });
  const queues = [queueName('svc', 'billing', { isOrdered: true })];
  const shop = aShop({
    listeners: [listener],
    mq: { idempotent: { 'max-retries': 0 } },
    ...(isOrdered && { topology: { orderedTopics: { [TOPIC]: { queues, onDead: 'continue' } } } }),
  });
  return { shop, seen };
}

const sentBody = ({ context }: Shop): string => context.queues.messages.at(-1)?.body ?? '';

describe('a message with characters that no queue takes', () => {
  it.each(WHOLE)('arrives as it was published, through a queue: %j', async (text) => {
    const { shop, seen } = aListeningShop(true);

    const { status } = await shop.context.events.publish(TOPIC, text, { text }, { text });
    await shop.messaging.deliver(JSON.parse(sentBody(shop)));

    expect(status).toBe('SENT');
    expect(seen).toEqual([[text, { text }, { text }]]);
  });

  it.each(ODD)('has its payload in the bucket, past the bus: %j', async (text) => {
    const { shop, seen } = aListeningShop(false);

    await shop.context.events.publish(TOPIC, 'A-1', { text });
    const envelopes = shop.context.bus.events.map(({ envelope }) => envelope);
    await shop.messaging.deliver(...envelopes);

    expect(envelopes).toMatchObject([{ dataref: expect.stringMatching(/^s3:/) }]);
    expect(seen).toEqual([['A-1', {}, { text }]]);
  });

  it.each([
    [`${TOPIC}\ud800`, null, {}, 'MQ_TOPIC_INVALID'],
    [TOPIC, '\udc00', {}, 'MQ_KEY_INVALID'],
    [TOPIC, null, { a: '\ud800' }, 'MQ_HEADERS_INVALID'],
    [TOPIC, null, { '\ud800': 'a' }, 'MQ_HEADERS_INVALID'],
  ])(
    'is refused with half a pair in topic, key or headers: %j %j %j',
    async (topic, key, headers, code) => {
      const { shop } = aListeningShop(false);

      const published = shop.context.events.publish(topic, key, {}, headers);

      await expect(published).rejects.toMatchObject({ code });
    },
  );

  it.each(WHOLE)('comes back to its queue, when others have published it: %j', async (text) => {
    let isDown = true;
    const { shop, seen } = aListeningShop(false, () => isDown);
    await shop.messaging.deliver(anEnvelope({ subject: text, data: { text } }));
    isDown = false;
    const { body } = await shop.messaging.call({ method: 'GET', path: '/broker/dead-letter' });
    const [{ id = '' } = {}] = body.content as { id?: string }[];

    await shop.messaging.call({ method: 'POST', path: `/broker/dead-letter/${id}/requeue` });
    await shop.relay.runTask('relay');
    await shop.messaging.deliver(JSON.parse(sentBody(shop)));

    expect(seen).toEqual([[text, {}, { text }]]);
  });
});
