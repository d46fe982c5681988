import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../shared/messaging/consuming/listener.ts';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { NonRetryableError } from '../../../shared/messaging/wire/messaging-error.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { aShop, type Shop } from './a-shop.ts';

const traceId = 'trace-of-the-request';
const TOPIC = 'order.placed';

/** A shop whose listener does what it is told, and notes the trace it was called in. */
function aTracedShop() {
  const seen: string[] = [];
  const behaviour = { fails: false };
  const listener = messageListener({ topic: TOPIC, group: 'billing' }, async (_, context) => {
    seen.push(context.traceId);
    if (behaviour.fails) throw new NonRetryableError('no connection');
  });
  return { shop: aShop({ listeners: [listener] }), seen, behaviour };
}

const publish = ({ context }: Shop) =>
  runInContext({ traceId }, () => context.events.publish(TOPIC, 'A-1', {}));

/** The trace in each of the log's lines about a message that was processed. */
const logged = ({ context }: Shop) => context.log.named('message').map((line) => line.traceId);

async function published(shop: Shop): Promise<MessageEnvelope> {
  await publish(shop);
  const event = shop.context.bus.events.at(-1);
  if (!event) throw new Error('nothing was sent');
  return event.envelope;
}

describe('the trace of a request', () => {
  it('stands in the row, the envelope and the log line of the listener', async () => {
    const { shop, seen } = aTracedShop();

    const envelope = await published(shop);
    await shop.messaging.deliver(envelope);

    expect(shop.rows()).toMatchObject([{ traceId }]);
    expect(envelope.traceid).toBe(traceId);
    expect(seen).toEqual([traceId]);
    expect(logged(shop)).toEqual([traceId]);
  });

  it('also after the relay has sent the message', async () => {
    const { shop, seen } = aTracedShop();
    shop.context.bus.mode = 'down';
    await publish(shop);
    shop.context.bus.mode = 'up';
    shop.context.clock.advance(60_000);

    await shop.relay.runTask('relay');
    const [event] = shop.context.bus.events;
    await shop.messaging.deliver(...(event ? [event.envelope] : []));

    expect(shop.rows()).toMatchObject([{ traceId, status: 'SENT', attempts: 2 }]);
    expect(event?.envelope.traceid).toBe(traceId);
    expect(seen).toEqual([traceId]);
    expect(logged(shop)).toEqual([traceId]);
  });

  it('also after another environment has taken the message over', async () => {
    const { shop, seen } = aTracedShop();
    const envelope = await published(shop);
    const delivery = {
      ...{ group: 'billing', messageId: envelope.id, topic: TOPIC, key: 'A-1' },
      source: envelope.source,
    };
    await shop.context.messaging.tracking.claim(delivery, shop.context.clock.now() + 1_000);
    shop.context.clock.advance(2_000);

    await shop.messaging.deliver(envelope);

    expect(shop.tracking('billing', envelope.id)).toMatchObject({ attempts: 2 });
    expect(seen).toEqual([traceId]);
    expect(logged(shop)).toEqual([traceId]);
  });

  it('also after an operator has requeued the message in a trace of their own', async () => {
    const { shop, seen, behaviour } = aTracedShop();
    behaviour.fails = true;
    const envelope = await published(shop);
    await shop.messaging.deliver(envelope);
    behaviour.fails = false;
    const { body } = await shop.messaging.call({ method: 'GET', path: '/broker/dead-letter' });
    const [{ id = '' } = {}] = body.content as { id?: string }[];

    await shop.messaging.call({
      method: 'POST',
      path: `/broker/dead-letter/${id}/requeue`,
      headers: { 'x-trace-id': 'trace-of-the-operator' },
    });
    await shop.relay.runTask('relay');
    const [message] = shop.context.queues.messages;
    const again = JSON.parse(message?.body ?? '{}') as MessageEnvelope;
    await shop.messaging.deliver(again);

    expect(again).toMatchObject({ id: envelope.id, traceid: traceId });
    expect(seen).toEqual([traceId, traceId]);
    expect(logged(shop)).toEqual([traceId]);
    expect(shop.context.log.named('audit')).toMatchObject([
      { action: 'requeue', deadLetter: id, traceId: 'trace-of-the-operator' },
      { operation: 'requeueDeadLetter', id, traceId: 'trace-of-the-operator' },
    ]);
  });
});
