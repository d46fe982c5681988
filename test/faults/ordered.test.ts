import { beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '../../shared/messaging/topology.ts';
import { PREFIX, queueArn } from './harness/fault-cloud.ts';
import { localContext } from './harness/local-context.ts';
import { seededRandom, shuffle } from './harness/random.ts';
import { countBy, outboxRows, report, seed, size, until, useFaultCloud } from './harness/run.ts';

const KEYS = size({ long: 50, short: 6 });
const PER_KEY = size({ long: 40, short: 8 });
const FAILURES = 0.05;
const topology = {
  orderedTopics: {
    'stock.moved': { queues: [queueName(PREFIX, 'stock', { isOrdered: true })], onDead: 'block' },
  },
};

const faults = useFaultCloud();

describe('an ordered topic', () => {
  beforeAll(() => faults.cloud.addGroup('stock', { isOrdered: true, maxReceiveCount: 100 }));

  it('arrives key by key in the order of the commits, through failures and killed relays', {
    timeout: 900_000,
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
        work: { queueFailures: FAILURES },
        killChance: 0.01,
        killPoints: ['relay.after-claim', 'relay.after-send', 'relay.before-mark'],
      }),
    );
    faults.start({ role: 'consumer', svc, work: { arn: queueArn('stock', { isOrdered: true }) } });

    const keys = Array.from({ length: KEYS }, (_, key) => `K-${key}`);
    for (let i = 0; i < PER_KEY; i += 1) {
      await Promise.all(
        shuffle(keys, random).map((key) => context.events.publish('stock.moved', key, { i })),
      );
    }
    const seen = async () =>
      (await faults.cloud.items()).filter(({ pk }) => String(pk).startsWith('HOST#stock#'));
    await until(
      'the last message of every key has arrived',
      async () => (await seen()).filter(({ last }) => last === PER_KEY).length === KEYS,
      { timeoutMs: 600_000, describe: async () => countBy(await seen(), 'last') },
    );
    const kills = relays.reduce((sum, relay) => sum + relay.kills, 0);
    await faults.stopAll();

    const items = await faults.cloud.items();
    report('ordered topic', { keys: KEYS, perKey: PER_KEY, failures, kills });
    expect(outboxRows(items).filter(({ status }) => status === 'DEAD')).toEqual([]);
    const inOrder = Array.from({ length: PER_KEY }, (_, index) => index + 1);
    const arrivals = (await seen()).map(({ arrived }) => arrived);
    expect(arrivals).toEqual(keys.map(() => inOrder));
    const processed = items.filter(
      ({ type, status }) => type === 'message_tracking' && status === 'PROCESSED',
    );
    expect(processed).toHaveLength(KEYS * PER_KEY);
  });
});
