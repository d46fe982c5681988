import { beforeAll, describe, expect, it } from 'vitest';
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

/** An order in twenty is rolled back, the others have two messages on average. */
const ORDERS = amount({ long: 540, short: 40 });
const MIN_ROWS = amount({ long: 1_000, short: 70 });
const MIN_KILLS = size({ long: 10, short: 3 });
const KILL_CHANCE = size({ long: 0.02, short: 0.03 });
const KILL_POINTS = [
  'relay.after-lease',
  'relay.after-query',
  'relay.after-claim',
  'relay.after-send',
  'relay.before-mark',
];
/** Few rows at once: a kill is drawn for each row that is claimed, and takes along what its relay has claimed. */
const svc = {
  mq: {
    transport: 'broker',
    'app-code': 'shop',
    relay: { enabled: true, 'batch-size': 20, 'max-retries': 100 },
  },
};
/** Lease (30 s) and claim (15 s) of a killed relay end, and a run follows. */
const SETTLED_WITHIN_MS = 60_000;

const faults = useFaultCloud();

describe('three relays that are killed', () => {
  beforeAll(() => faults.cloud.addGroup('audit', { topics: ['order.placed'] }));

  it('send every due row, and leave none stuck', { timeout: 1_500_000 }, async () => {
    const rows = async () => outboxRows(await faults.cloud.items());
    const share = async () => {
      const all = await rows();
      return all.filter(({ status }) => status === 'SENT').length / all.length;
    };
    const addRows = async (from: number) => {
      const work = { from, to: from + ORDERS, topic: 'order.placed', isAsync: true };
      await faults.start({ role: 'publisher', work }).done;
    };
    await addRows(0);
    const relays = [1, 2, 3].map(() =>
      faults.start({
        role: 'relay',
        svc,
        killChance: KILL_CHANCE,
        killPoints: KILL_POINTS,
        services: BROKEN,
      }),
    );
    const kills = () => relays.reduce((sum, relay) => sum + relay.kills, 0);
    const halfIsSent = () =>
      until('half of the rows are sent', async () => (await share()) >= 0.5, {
        timeoutMs: 600_000,
        describe: async () => ({ kills: kills(), ...countBy(await rows(), 'status') }),
      });
    await halfIsSent();
    for (let from = ORDERS; kills() < MIN_KILLS && from < 10 * ORDERS; from += ORDERS) {
      await addRows(from);
      await halfIsSent();
    }

    await Promise.all(relays.map((relay) => relay.calmDown()));
    const calmSince = Date.now();
    await until('every row is sent', async () => (await share()) === 1, {
      timeoutMs: SETTLED_WITHIN_MS,
      describe: async () => countBy(await rows(), 'status'),
    });
    const settledMs = Date.now() - calmSince;
    await faults.stopAll();

    const all = await rows();
    const delivered = await faults.cloud.takeDeliveries('audit');
    report('relay kills', {
      rows: all.length,
      kills: kills(),
      settledMs,
      deliveries: delivered.length,
    });
    expect(all.length).toBeGreaterThanOrEqual(MIN_ROWS);
    expect(kills()).toBeGreaterThanOrEqual(MIN_KILLS);
    expect(countBy(all, 'status')).toEqual({ SENT: all.length });
    expect(all.filter(({ gsi1pk }) => gsi1pk !== undefined)).toEqual([]);
    expect(new Set(delivered)).toEqual(new Set(all.map(({ messageId }) => messageId)));
  });
});
