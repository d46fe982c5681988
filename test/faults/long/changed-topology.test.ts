import { beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '../../../shared/messaging/wire/topology.ts';
import { seededRandom, shuffle } from '../../helpers/seeded-random.ts';
import { breakServices } from '../harness/broken-services.ts';
import { PREFIX, queueArn } from '../harness/fault-cloud.ts';
import { localContext } from '../harness/local-context.ts';
import { BROKEN, report, seed, size, until, useFaultCloud } from '../harness/run.ts';

const KEYS = Array.from({ length: size({ long: 20, short: 3 }) }, (_, key) => `K-${key}`);
/** Messages of each key in each phase. */
const PER_KEY = size({ long: 20, short: 4 });
/** Sends to queues fail, events are refused: each phase leaves messages to the next one. */
const UNREACHABLE = { queue: 0.3, outageUntil: 0 };

const ordered = {
  orderedTopics: {
    'stock.moved': { queues: [queueName(PREFIX, 'stock', { isOrdered: true })], onDead: 'block' },
  },
};
/** What is deployed one after the other, while messages of the one before wait in the outbox. */
const PHASES = [ordered, {}, ordered, {}];
const isOrdered = (i: number): boolean => PHASES[Math.floor(i / PER_KEY)] === ordered;

const svc = {
  mq: {
    transport: 'broker',
    'app-code': 'shop',
    relay: { enabled: true, 'max-retries': 50 },
    idempotent: { 'max-retries': 50 },
  },
};

const faults = useFaultCloud();

describe('a topic that is ordered, and not, from deployment to deployment', () => {
  beforeAll(async () => {
    await faults.cloud.addGroup('stock', { isOrdered: true, maxReceiveCount: 100 });
    await faults.cloud.addGroup('stock', { topics: ['stock.moved'], maxReceiveCount: 100 });
    breakServices(UNREACHABLE, seededRandom(seed));
  });

  it('loses and doubles nothing, and keeps the order of what was published in order', {
    timeout: 1_500_000,
  }, async () => {
    const random = seededRandom(seed);
    let kills = 0;
    let left = 0;
    for (const [phase, topology] of PHASES.entries()) {
      for (const isOrdered of [true, false]) {
        faults.start({
          role: 'consumer',
          svc,
          services: BROKEN,
          topology,
          work: { arn: queueArn('stock', { isOrdered }) },
        });
      }
      for (const _ of [1, 2]) {
        faults.start({
          role: 'relay',
          svc,
          topology,
          services: { ...BROKEN, ...UNREACHABLE },
          killChance: 0.01,
          maxKills: size({ long: 20, short: 1 }),
          killPoints: ['relay.after-claim', 'relay.after-send', 'relay.before-mark'],
        });
      }
      await publishPhase(phase, topology, random);
      left += await waiting(phase);
      if (phase < PHASES.length - 1) kills += await faults.stopAll();
    }
    await until('everything has arrived', async () => (await waiting()) === 0, {
      timeoutMs: 900_000,
      describe: async () => ({ waiting: await waiting() }),
    });
    kills += await faults.stopAll();

    report('changed topology', { keys: KEYS.length, perPhase: PER_KEY, left, kills });
    const all = Array.from({ length: PHASES.length * PER_KEY }, (_, i) => i);
    const found = await arrivals();
    expect(found).toHaveLength(KEYS.length);
    expect(left).toBeGreaterThan(0);
    for (const arrived of found) {
      expect(arrived.toSorted((a, b) => a - b)).toEqual(all);
      expect(arrived.filter(isOrdered)).toEqual(all.filter(isOrdered));
    }
  });
});

async function publishPhase(phase: number, topology: object, random: () => number): Promise<void> {
  const { events } = localContext(faults.cloud, 'messaging', { topology, svc });
  for (let i = 0; i < PER_KEY; i += 1) {
    await Promise.all(
      shuffle(KEYS, random).map((key) =>
        events.publish('stock.moved', key, { i: phase * PER_KEY + i }),
      ),
    );
  }
}

/** What arrived of each key, in the order of its effects. */
async function arrivals(): Promise<number[][]> {
  const items = await faults.cloud.items();
  return items
    .filter(({ pk }) => String(pk).startsWith('HOST#stock#'))
    .map(({ numbers }) => numbers as number[]);
}

/** Messages of the phases up to this one that have not arrived. */
async function waiting(phase = PHASES.length - 1): Promise<number> {
  const arrived = (await arrivals()).reduce((sum, { length }) => sum + length, 0);
  return KEYS.length * PER_KEY * (phase + 1) - arrived;
}
