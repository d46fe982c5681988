import { beforeAll, describe, expect, it } from 'vitest';
import {
  amount,
  BROKEN,
  countBy,
  isLong,
  outboxRows,
  report,
  SMALL_ROWS,
  until,
  useFaultCloud,
} from './harness/run.ts';

const UNITS = amount({ long: 2_000, short: 120 });
const KILL_POINTS = ['before-commit', 'after-commit', 'before-send', 'after-send', 'before-mark'];
const ROLLED_BACK = 20;
const svc = {
  mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true }, ...SMALL_ROWS },
};

const faults = useFaultCloud();

describe('publishers that are killed', () => {
  beforeAll(() => faults.cloud.addGroup('audit', { topics: ['order.placed', 'poison'] }));

  it('lose no message of a committed unit, and send none of an uncommitted one', {
    timeout: 900_000,
  }, async () => {
    const half = UNITS / 2;
    const publishers = [0, 1].map((number) =>
      faults.start({
        role: 'publisher',
        killChance: 0.02,
        killPoints: KILL_POINTS,
        // After a send without an answer a publisher leaves the next ones to the relay.
        services: { ...BROKEN, ...(isLong ? { hang: 0.002 } : {}) },
        svc,
        work: { from: number * half, to: (number + 1) * half, largeEvery: 10 },
      }),
    );
    faults.start({ role: 'relay', svc, services: BROKEN });
    await Promise.all(publishers.map(({ done }) => done));

    await until(
      'every message is settled',
      async () => !outboxRows(await faults.cloud.items()).some(isOpen),
      { timeoutMs: 120_000, describe: async () => countBy(await faults.cloud.items(), 'status') },
    );
    const kills = await faults.stopAll();

    const items = await faults.cloud.items();
    const rows = outboxRows(items);
    const orders = items.filter(({ type }) => type === 'order');
    const delivered = await faults.cloud.takeDeliveries('audit');
    report('publisher kills', {
      units: UNITS,
      kills,
      rows: countBy(rows, 'status'),
      large: rows.filter(({ payloadRef }) => payloadRef).length,
      deliveries: delivered.length,
    });
    expect(kills).toBeGreaterThan(0);
    expect(orders).toHaveLength(UNITS - UNITS / ROLLED_BACK);
    const messagesOf = Map.groupBy(rows, ({ key }) => String(key));
    for (const { pk, messages } of orders) {
      const order = String(pk).split('#').at(-1);
      expect(messagesOf.get(`order-${order}`), `messages of order ${order}`).toHaveLength(
        Number(messages),
      );
    }
    for (let order = 7; order < UNITS; order += ROLLED_BACK) {
      expect(messagesOf.get(`order-${order}`)).toBeUndefined();
    }
    expect(countBy(rows, 'status')).toEqual({ SENT: rows.length });
    expect(new Set(delivered)).toEqual(new Set(rows.map(({ messageId }) => messageId)));
  });
});

const isOpen = ({ status }: Record<string, unknown>): boolean =>
  status !== 'SENT' && status !== 'DEAD';
