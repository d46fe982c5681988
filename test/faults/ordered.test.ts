import { beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '../../shared/messaging/wire/topology.ts';
import { seededRandom, shuffle } from '../helpers/seeded-random.ts';
import { PREFIX, queueArn } from './harness/fault-cloud.ts';
import { localContext } from './harness/local-context.ts';
import {
  amount,
  BROKEN,
  countBy,
  outboxRows,
  report,
  seed,
  size,
  until,
  useFaultCloud,
} from './harness/run.ts';

const KEYS = amount({ long: 50, short: 6 });
/** Messages of each key, again and again until enough relays were killed. */
const PER_KEY = size({ long: 40, short: 8 });
const FAILURES = size({ long: 0.05, short: 0.2 });
const MIN_KILLS = size({ long: 10, short: 2 });
/** Kills of one relay; each holds up a shard until its lease (30 s) is over. */
const MAX_KILLS = size({ long: 50, short: 1 });
const topology = {
  orderedTopics: {
    'stock.moved': { queues: [queueName(PREFIX, 'stock', { isOrdered: true })], onDead: 'block' },
  },
};

const faults = useFaultCloud();

describe('an ordered topic', () => {
  beforeAll(() => faults.cloud.addGroup('stock', { isOrdered: true, maxReceiveCount: 100 }));

  it('arrives key by key in the order of the commits, through failures and killed relays', {
    timeout: 1_500_000,
  }, async () => {
    const context = localContext(faults.cloud, 'messaging', { topology });
    const random = seededRandom(seed);
    const { send } = context.messaging.queues;
    let failures = 0;
    // Sends of the publisher and of the relays fail at times.
    context.messaging.queues.send = async (message) => {
      if (random() < FAILURES) {
        failures += 1;
        throw new Error('no connection');
      }
      await send(message);
    };
    const svc = {
      mq: {
        transport: 'broker',
        'app-code': 'shop',
        relay: { enabled: true, 'max-retries': 50 },
        idempotent: { 'max-retries': 50 },
      },
    };
    const relays = [1, 2].map(() =>
      faults.start({
        role: 'relay',
        topology,
        svc,
        services: { ...BROKEN, queue: FAILURES },
        killChance: size({ long: 0.01, short: 0.2 }),
        maxKills: MAX_KILLS,
        killPoints: ['relay.after-claim', 'relay.after-send', 'relay.before-mark'],
      }),
    );
    faults.start({
      role: 'consumer',
      svc,
      services: BROKEN,
      work: { arn: queueArn('stock', { isOrdered: true }) },
    });

    const keys = Array.from({ length: KEYS }, (_, key) => `K-${key}`);
    const kills = () => relays.reduce((sum, relay) => sum + relay.kills, 0);
    const seen = async () =>
      (await faults.cloud.items()).filter(({ pk }) => String(pk).startsWith('HOST#stock#'));
    let perKey = 0;
    const hasArrived = async () =>
      (await seen()).filter(({ last }) => last === perKey).length === KEYS;
    do {
      for (let i = 0; i < PER_KEY; i += 1) {
        await Promise.all(
          shuffle(keys, random).map((key) => context.events.publish('stock.moved', key, { i })),
        );
      }
      perKey += PER_KEY;
      await until('the last message of every key has arrived', hasArrived, {
        timeoutMs: 900_000,
        describe: async () => countBy(await seen(), 'last'),
      });
    } while (kills() < MIN_KILLS && perKey < 10 * PER_KEY);
    await faults.stopAll();

    const items = await faults.cloud.items();
    report('ordered topic', { keys: KEYS, perKey, failures, kills: kills() });
    expect(kills()).toBeGreaterThanOrEqual(MIN_KILLS);
    expect(outboxRows(items).filter(({ status }) => status === 'DEAD')).toEqual([]);
    const inOrder = Array.from({ length: perKey }, (_, index) => index + 1);
    const arrivals = (await seen()).map(({ arrived }) => arrived);
    expect(arrivals).toEqual(keys.map(() => inOrder));
    const processed = items.filter(
      ({ type, status }) => type === 'message_tracking' && status === 'PROCESSED',
    );
    expect(processed).toHaveLength(KEYS * perKey);
  });
});
