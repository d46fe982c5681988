import { describe, expect, it } from 'vitest';
import { createMessagingModule } from '../../../functions/messaging/module.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aGrumpyShop, deadLetters, type Shop } from './a-shop.ts';

const requeue = (shop: Shop, body: unknown) =>
  shop.messaging.call({ method: 'POST', path: '/broker/dead-letter/requeue', body });

describe('a bulk requeue', () => {
  it('reaches what matches behind any number that does not', { timeout: 60_000 }, async () => {
    const shop = aGrumpyShop();
    const [id] = await deadLetters(shop, 1, 'a');
    await deadLetters(shop, 2_100, 'b');

    const { body } = await requeue(shop, { filter: { topic: 'a' } });

    expect(body).toEqual({ requeued: 1, skipped: [], remaining: false });
    expect(shop.row(String(id))?.status).toBe('PENDING');
  });

  it('goes on behind what cannot be requeued', async () => {
    const shop = aGrumpyShop({ mq: { 'payload-inline-limit': 4_096 } });
    const [id] = await deadLetters(shop, 1);
    shop.context.bus.mode = 'down';
    for (let i = 0; i < 3; i += 1) {
      shop.context.clock.advance(1_000);
      await shop.context.events.publish('order.placed', null, { text: 'x'.repeat(5_000) });
    }
    shop.context.bus.mode = 'up';
    shop.context.payloads.objects.clear();

    const first = await requeue(shop, { filter: {}, limit: 3 });
    const again = await requeue(shop, { filter: {}, limit: 3, cursor: first.body.nextCursor });
    const wrong = await requeue(shop, { filter: { topic: 'x' }, cursor: first.body.nextCursor });

    const skipped = Array.from({ length: 3 }, () => ({
      id: expect.any(String),
      reason: 'MQ_BODY_MISSING',
    }));
    expect(first.body).toEqual({
      requeued: 0,
      skipped,
      remaining: true,
      nextCursor: expect.any(String),
    });
    expect(again.body).toEqual({ requeued: 1, skipped: [], remaining: false });
    expect(shop.row(String(id))?.status).toBe('PENDING');
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
  });

  it('ends before its function does, and says what it has not tried', async () => {
    const shop = aGrumpyShop();
    const ids = await deadLetters(shop, 3);
    const { deadLetterService } = createMessagingModule(shop.context).services;
    const deadline = shop.context.clock.now() + 4_000;

    const reports = await runInContext({ traceId: 't', deadline }, () =>
      Promise.all(
        [{ ids }, { filter: {}, limit: 10 }].map((selection) =>
          deadLetterService.requeueMany(selection, systemPrincipal),
        ),
      ),
    );

    expect(reports).toEqual([
      {
        requeued: 0,
        skipped: ids.map((id) => ({ id, reason: 'MQ_NOT_TRIED' })),
        remaining: false,
      },
      { requeued: 0, skipped: [], remaining: true },
    ]);
  });
});
