import { describe, expect, it } from 'vitest';
import { anEnvelope, aShop } from '../a-shop.ts';
import { drain } from './queue-records.ts';

const refusal = Object.assign(new Error('One or more parameters are invalid'), {
  name: 'InvalidParameterValue',
  $fault: 'client',
});

/** Drains a message that its queue does not take back, delivery by delivery. @returns whether it stays, and the list */
async function drainWhile(failure: Error, deliveries: number) {
  const shop = aShop();
  const envelope = anEnvelope();
  shop.context.queues.failure = failure;
  const stays: boolean[] = [];
  for (let receives = 1; receives <= deliveries; receives += 1) {
    stays.push(await drain(shop, envelope, { receives }));
  }
  const { body } = await shop.messaging.call({ method: 'GET', path: '/broker/dead-letter' });
  return { envelope, stays, letters: body.content };
}

describe('a message that its queue does not take back from the dead-letter queue', () => {
  it('is listed after three more tries, before its dead-letter queue forgets it', async () => {
    const { envelope, stays, letters } = await drainWhile(refusal, 4);

    expect(stays).toEqual([true, true, true, false]);
    expect(letters).toMatchObject([
      { messageId: envelope.id, lastError: { code: 'InvalidParameterValue' } },
    ]);
  });

  it('stays while the queue gives no answer', async () => {
    const { stays, letters } = await drainWhile(new Error('no answer'), 5);

    expect(stays).toEqual([true, true, true, true, true]);
    expect(letters).toEqual([]);
  });
});
