import { beforeAll, describe, expect, it } from 'vitest';
import { createMessagingModule } from '../../functions/messaging/module.ts';
import { systemPrincipal } from '../../shared/security/principal.ts';
import { localContext } from './harness/local-context.ts';
import {
  amount,
  BROKEN,
  countBy,
  outboxRows,
  report,
  size,
  until,
  useFaultCloud,
} from './harness/run.ts';

const ORDERS = amount({ long: 500, short: 60 });
const OUTAGE_MS = size({ long: 30_000, short: 2_000 });

const faults = useFaultCloud();

describe('a broker that refuses entries, throttles, fails and goes away', () => {
  beforeAll(() => faults.cloud.addGroup('audit', { topics: ['order.placed', 'poison'] }));

  it('loses nothing: what dies in the outage is sent after a bulk requeue', {
    timeout: 600_000,
  }, async () => {
    const publisher = faults.start({
      role: 'publisher',
      work: { from: 0, to: ORDERS, isAsync: true },
    });
    await publisher.done;
    const services = { ...BROKEN, outageUntil: Date.now() + OUTAGE_MS };
    for (const _ of [1, 2]) faults.start({ role: 'relay', services });
    const open = async () =>
      outboxRows(await faults.cloud.items()).filter(
        ({ status }) => status !== 'SENT' && status !== 'DEAD',
      ).length;
    const settle = () =>
      until('every row is settled', async () => (await open()) === 0, { timeoutMs: 240_000 });
    await settle();
    const afterOutage = countBy(outboxRows(await faults.cloud.items()), 'status');

    const { deadLetterService } = createMessagingModule(
      localContext(faults.cloud, 'messaging'),
    ).services;
    let requeued = 0;
    for (let round = 0; round < 20; round += 1) {
      const filter = { topic: 'order.placed' };
      const answer = await deadLetterService.requeueMany({ filter, limit: 1_000 }, systemPrincipal);
      requeued += answer.requeued;
      if (answer.requeued === 0 && !answer.remaining) break;
      await settle();
    }
    await faults.stopAll();

    const rows = outboxRows(await faults.cloud.items());
    const poison = rows.filter(({ topic }) => topic === 'poison');
    const others = rows.filter(({ topic }) => topic !== 'poison');
    const delivered = await faults.cloud.takeDeliveries('audit');
    report('broker faults', {
      rows: rows.length,
      afterOutage,
      requeued,
      poison: poison.length,
      deliveries: delivered.length,
    });
    expect(countBy(others, 'status')).toEqual({ SENT: others.length });
    expect(countBy(poison, 'status')).toEqual({ DEAD: poison.length });
    expect(countBy(poison, 'attempts')).toEqual({ 4: poison.length });
    expect(poison.length).toBeGreaterThan(0);
    expect(new Set(delivered)).toEqual(new Set(others.map(({ messageId }) => messageId)));
  });
});
