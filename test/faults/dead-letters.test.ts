import { beforeAll, describe, expect, it } from 'vitest';
import { createMessagingModule } from '../../functions/messaging/module.ts';
import { systemPrincipal } from '../../shared/security/principal.ts';
import { queueArn } from './harness/fault-cloud.ts';
import { localContext } from './harness/local-context.ts';
import {
  amount,
  BROKEN,
  countBy,
  outboxRows,
  report,
  until,
  useFaultCloud,
} from './harness/run.ts';

const DEAD = amount({ long: 500, short: 60 });

const faults = useFaultCloud();

describe('dead letters', () => {
  beforeAll(() => faults.cloud.addGroup('billing', { topics: ['order.placed'] }));

  it('are listed once, requeued once by two bulk calls at once, and processed once', {
    timeout: 900_000,
  }, async () => {
    const svc = {
      mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true, 'max-retries': 0 } },
    };
    const context = localContext(faults.cloud, 'messaging', { svc });
    const { deadLetterService } = createMessagingModule(context).services;
    const { send } = context.messaging.sender;
    context.messaging.sender.send = async (rows) =>
      new Map(rows.map(({ id }) => [id, { kind: 'failed', error: { code: 'DOWN', message: '' } }]));
    for (let i = 0; i < DEAD; i += 1) await context.events.publish('order.placed', `A-${i}`, {});
    context.messaging.sender.send = send;

    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await deadLetterService.list({}, { size: 50, cursor });
      listed.push(...page.content.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const bulk = () => deadLetterService.requeueMany({ filter: {}, limit: 1_000 }, systemPrincipal);
    const [one, other] = await Promise.all([bulk(), bulk()]);
    faults.start({ role: 'relay', services: BROKEN });
    faults.start({ role: 'consumer', services: BROKEN, work: { arn: queueArn('billing') } });
    const effects = async () =>
      (await faults.cloud.items()).filter(({ pk }) => String(pk).startsWith('HOST#effect#'));
    await until('all are processed', async () => (await effects()).length === DEAD, {
      timeoutMs: 600_000,
      describe: async () => `${(await effects()).length} of ${DEAD}`,
    });
    await faults.stopAll();

    const rows = outboxRows(await faults.cloud.items());
    report('dead letters', {
      dead: DEAD,
      listed: listed.length,
      requeued: [one.requeued, other.requeued],
    });
    expect(new Set(listed).size).toBe(DEAD);
    expect(listed).toHaveLength(DEAD);
    expect(one.requeued + other.requeued).toBe(DEAD);
    expect(countBy(rows, 'requeueCount')).toEqual({ 1: DEAD });
    expect(countBy(await effects(), 'effects')).toEqual({ 1: DEAD });
  });
});
