import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataRefOf, type PayloadStore } from '../../shared/messaging/wire/payload-store.ts';
import { mapLimited } from '../../shared/primitives/map-limited.ts';
import { seededRandom, shuffle } from '../helpers/seeded-random.ts';
import { PREFIX, queueArn } from './harness/fault-cloud.ts';
import { localContext } from './harness/local-context.ts';
import { amount, BROKEN, countBy, report, seed, until, useFaultCloud } from './harness/run.ts';

const MESSAGES = amount({ long: 1_000, short: 60 });
/**
 * Messages whose large body is not there: each is read again after 1, 2 and 4 minutes, and after 8 more when it cannot be
 * listed then.
 */
const BODILESS = amount({ long: 10, short: 0 });
const KILL_POINTS = [
  'consumer.after-claim',
  'consumer.before-commit',
  'consumer.after-commit',
  'consumer.before-ack',
];

const faults = useFaultCloud();
const random = seededRandom(seed);

const envelopeOf = (id: string, content: object): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source: '/svc/shop',
    type: 'order.placed',
    time: '2026-03-01T09:00:00.000Z',
    datacontenttype: 'application/json',
    ...content,
  });

const bodiless = (number: number): string =>
  envelopeOf(`gone-${number}`, {
    dataref: `s3://faults/outbox/2026/03/gone-${number}`,
    datasha256: '0',
    datasize: 1,
  });

/** Deliveries of one message: 1 to 5 of the same envelope. Every twentieth has its body in the bucket. */
async function deliveriesOf(number: number, payloads: PayloadStore): Promise<string[]> {
  // The last one takes its process down whenever it is processed; every tenth fails once.
  const data = { kills: number === MESSAGES - 1, failsFirst: number % 10 === 0 };
  const id = `m-${number}`;
  const content =
    number % 20 === 5
      ? dataRefOf(await payloads.store(id, Date.now(), JSON.stringify(data)))
      : { data };
  const envelope = envelopeOf(id, content);
  return Array.from({ length: 1 + Math.floor(random() * 5) }, () => envelope);
}

describe('consumers that are killed', () => {
  beforeAll(() => faults.cloud.addGroup('billing', { visibilitySeconds: 6 }));
  afterAll(() => faults.stopAll());

  it('process every message once, and make only those dead that take them down or cannot be read', {
    timeout: 1_800_000,
  }, async () => {
    const numbers = Array.from({ length: MESSAGES }, (_, number) => number);
    const gone = Array.from({ length: BODILESS }, (_, number) => number);
    const { payloads } = localContext(faults.cloud, 'messaging').messaging;
    const deliveries = await mapLimited(numbers, 8, (number) => deliveriesOf(number, payloads));
    const bodies = shuffle([...deliveries.flat(), ...gone.map(bodiless)], random);
    const QueueUrl = `${faults.cloud.environment.AWS_ENDPOINT_URL}/000000000000/${PREFIX}--billing`;
    await mapLimited(bodies, 8, (MessageBody) =>
      faults.cloud.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody })),
    );
    const consumers = [1, 2].map(() =>
      faults.start({
        role: 'consumer',
        killChance: 0.02,
        killPoints: KILL_POINTS,
        services: BROKEN,
        work: { arn: queueArn('billing') },
      }),
    );
    const isDead = true;
    faults.start({
      role: 'drain',
      services: BROKEN,
      work: { arn: queueArn('billing', { isDead }) },
    });

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
        return PROCESSED + DEAD === MESSAGES + BODILESS && DEAD >= 1;
      },
      { timeoutMs: 1_700_000, describe: settled },
    );
    const kills = consumers.reduce((sum, { kills: each }) => sum + each, 0);
    await faults.stopAll();

    const items = await faults.cloud.items();
    const effects = items.filter(({ pk }) => String(pk).startsWith('HOST#effect#'));
    const dead = items.filter(({ status }) => status === 'DEAD');
    report('consumer kills', {
      messages: MESSAGES,
      bodiless: BODILESS,
      deliveries: bodies.length,
      kills,
      statuses: await settled(),
    });
    expect(kills).toBeGreaterThan(0);
    expect(effects).toHaveLength(MESSAGES - 1);
    expect(effects.filter(({ effects: times }) => times !== 1)).toEqual([]);
    expect(dead.map(({ messageId }) => messageId).toSorted()).toEqual(
      [`m-${MESSAGES - 1}`, ...gone.map((number) => `gone-${number}`)].toSorted(),
    );
  });
});
