import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapLimited } from '../../shared/primitives/map-limited.ts';
import { seededRandom, shuffle } from '../helpers/seeded-random.ts';
import { PREFIX, queueArn } from './harness/fault-cloud.ts';
import { countBy, report, seed, size, until, useFaultCloud } from './harness/run.ts';

const MESSAGES = size({ long: 1_000, short: 60 });
const KILL_POINTS = [
  'consumer.after-claim',
  'consumer.before-commit',
  'consumer.after-commit',
  'consumer.before-ack',
];

const faults = useFaultCloud();
const random = seededRandom(seed);

/** Deliveries of one message: 1 to 5 of the same envelope. */
function deliveriesOf(number: number): string[] {
  const envelope = JSON.stringify({
    specversion: '1.0',
    id: `m-${number}`,
    source: '/svc/shop',
    type: 'order.placed',
    time: '2026-03-01T09:00:00.000Z',
    datacontenttype: 'application/json',
    // The last one takes its process down whenever it is processed; every tenth fails once.
    data: { kills: number === MESSAGES - 1, failsFirst: number % 10 === 0 },
  });
  return Array.from({ length: 1 + Math.floor(random() * 5) }, () => envelope);
}

describe('consumers that are killed', () => {
  beforeAll(() => faults.cloud.addGroup('billing', { visibilitySeconds: 6 }));
  afterAll(() => faults.stopAll());

  it('process every message once, and make only the one dead that takes them down', {
    timeout: 1_200_000,
  }, async () => {
    const numbers = Array.from({ length: MESSAGES }, (_, number) => number);
    const bodies = shuffle(numbers.flatMap(deliveriesOf), random);
    const QueueUrl = `${faults.cloud.environment.AWS_ENDPOINT_URL}/000000000000/${PREFIX}--billing`;
    await mapLimited(bodies, 8, (MessageBody) =>
      faults.cloud.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody })),
    );
    const consumers = [1, 2].map(() =>
      faults.start({
        role: 'consumer',
        killChance: 0.02,
        killPoints: KILL_POINTS,
        work: { arn: queueArn('billing') },
      }),
    );
    faults.start({ role: 'drain', work: { arn: queueArn('billing', { isDead: true }) } });

    const settled = async () => {
      const tracking = (await faults.cloud.items()).filter(
        ({ type }) => type === 'message_tracking',
      );
      return countBy(tracking, 'status');
    };
    await until(
      'every message is settled',
      async () => {
        const { PROCESSED = 0, DEAD = 0 } = await settled();
        return PROCESSED + DEAD === MESSAGES && DEAD >= 1;
      },
      { timeoutMs: 1_000_000, describe: settled },
    );
    const kills = consumers.reduce((sum, { kills: each }) => sum + each, 0);
    await faults.stopAll();

    const items = await faults.cloud.items();
    const effects = items.filter(({ pk }) => String(pk).startsWith('HOST#effect#'));
    const dead = items.filter(({ status }) => status === 'DEAD');
    report('consumer kills', {
      messages: MESSAGES,
      deliveries: bodies.length,
      kills,
      statuses: await settled(),
    });
    expect(kills).toBeGreaterThan(0);
    expect(effects).toHaveLength(MESSAGES - 1);
    expect(effects.filter(({ effects: times }) => times !== 1)).toEqual([]);
    expect(dead.map(({ messageId }) => messageId)).toEqual([`m-${MESSAGES - 1}`]);
  });
});
