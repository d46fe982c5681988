import { describe, expect, it } from 'vitest';
import { aShop } from '../a-shop.ts';
import { dueRows } from './due-rows.ts';

const DAY_MS = 86_400_000;

describe('a relay whose clock was wrong', () => {
  it.each([
    ['holds no shard', { pk: 'LOCK#messaging#relay#0', owner: 'another' }, 'expiresAt'],
    ['keeps no later run from beginning', { pk: 'LOCK#messaging#relay' }, 'lastFinishedAt'],
  ])('%s for longer than a right one could', async (_what, item, attribute) => {
    const trigger = { 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '10s' };
    const shop = aShop({
      mq: { shards: 1, relay: { enabled: true, 'schedule-trigger': trigger } },
    });
    await dueRows(shop, 3);
    const instant = shop.context.clock.now() + DAY_MS;
    await shop.context.unitOfWork(async (unit) =>
      unit.put({ sk: 'LOCK', type: 'LOCK', ...item, [attribute]: instant }),
    );

    await shop.relay.runTask('relay');

    expect(shop.context.bus.events).toHaveLength(3);
  });
});
