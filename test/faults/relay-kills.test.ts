import { describe, expect, it } from 'vitest';
import { countBy, outboxRows, report, size, until, useFaultCloud } from './harness/run.ts';

const ORDERS = size({ long: 500, short: 40 });
const KILL_POINTS = [
  'relay.after-lease',
  'relay.after-query',
  'relay.after-claim',
  'relay.after-send',
  'relay.before-mark',
];
/** Lease (30 s) and claim (15 s) of a killed relay end, and a run follows. */
const SETTLED_WITHIN_MS = 60_000;

const faults = useFaultCloud();

describe('three relays that are killed', () => {
  it('send every due row, and leave none stuck', { timeout: 900_000 }, async () => {
    const publisher = faults.start({
      role: 'publisher',
      work: { from: 0, to: ORDERS, topic: 'order.placed', isAsync: true },
    });
    await publisher.done;
    const total = outboxRows(await faults.cloud.items()).length;
    const relays = [1, 2, 3].map(() =>
      faults.start({ role: 'relay', killChance: 0.02, killPoints: KILL_POINTS }),
    );
    const share = async () =>
      outboxRows(await faults.cloud.items()).filter(({ status }) => status === 'SENT').length /
      total;
    await until('half of the rows are sent', async () => (await share()) >= 0.5, {
      timeoutMs: 600_000,
    });

    const kills = relays.reduce((sum, relay) => sum + relay.kills, 0);
    await Promise.all(relays.map((relay) => relay.calmDown()));
    const calmSince = Date.now();
    await until('every row is sent', async () => (await share()) === 1, {
      timeoutMs: SETTLED_WITHIN_MS,
      describe: async () => countBy(outboxRows(await faults.cloud.items()), 'status'),
    });

    const rows = outboxRows(await faults.cloud.items());
    report('relay kills', { rows: total, kills, settledMs: Date.now() - calmSince });
    expect(kills).toBeGreaterThan(0);
    expect(countBy(rows, 'status')).toEqual({ SENT: total });
    expect(rows.filter(({ gsi1pk }) => gsi1pk !== undefined)).toEqual([]);
  });
});
