import { readFileSync } from 'node:fs';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { platformModules } from '../../../lib/modules.ts';
import { defineHost } from '../../../shared/host/host.ts';
import {
  type HandleMessage,
  messageListener,
} from '../../../shared/messaging/consuming/listener.ts';
import { aContext, connect, type TestContext } from '../../helpers/world/a-context.ts';
import { aShop } from './a-shop.ts';

/** A function with the transport spring and listeners of its module and of its host. */
function inProcess(
  own: HandleMessage,
  ofHost: HandleMessage = async () => undefined,
  mq: Readonly<Record<string, unknown>> = {},
) {
  const listeners = [messageListener({ topic: 'order.placed', group: 'host' }, ofHost)];
  const context = aContext({ module: 'orders', host: defineHost({ listeners }), svc: { mq } });
  const publish = (work: (context: TestContext) => Promise<unknown>) =>
    connect(
      () => ({
        routes: [],
        listeners: [messageListener({ topic: 'order.placed', group: 'own' }, own)],
        tasks: { run: () => work(context) },
      }),
      context,
    ).runTask('run');
  return { context, publish };
}

describe('the guide', () => {
  it('names every topic of the platform that always uses the bus', () => {
    const guide = readFileSync('docs/messaging.md', 'utf8');
    const [sentence = ''] = /`iam-config-refresh`(?:(?!\. ).)*always use the bus/.exec(guide) ?? [];

    const named = [...sentence.matchAll(/`([a-z]+(?:[-.][a-z]+)+)`/g)].map(([, topic]) => topic);

    expect(named.sort()).toEqual(
      platformModules.flatMap(({ distributedTopics = [] }) => distributedTopics).sort(),
    );
  });
});

describe('the transport spring', () => {
  it('runs the listeners of the function after the commit, the module before the host', async () => {
    const order: string[] = [];
    const { publish, context } = inProcess(
      async ({ payload }) => void order.push(`own ${JSON.stringify(payload)}`),
      async () => void order.push('host'),
    );

    await publish(({ unitOfWork, events }) =>
      unitOfWork(async () => {
        await events.publish('order.placed', 'A-1', { total: 42, when: undefined });
        order.push('published');
      }),
    );

    expect(order).toEqual(['published', 'own {"total":42}', 'host']);
    expect(context.db.items()).toEqual([]);
    expect(context.bus.events).toEqual([]);
  });

  it('publishes nothing when the unit fails', async () => {
    let calls = 0;
    const { publish } = inProcess(async () => {
      calls += 1;
    });

    const run = publish(({ unitOfWork, events }) =>
      unitOfWork(async () => {
        await events.publish('order.placed', null, {});
        await events.asyncPublish('order.placed', {});
        throw new Error('no stock');
      }),
    );

    await expect(run).rejects.toThrow('no stock');
    expect(calls).toBe(0);
  });

  it('logs the failure of a listener, runs the others, and rethrows it', async () => {
    let calls = 0;
    const { publish, context } = inProcess(
      () => Promise.reject(new Error('no connection')),
      async () => {
        calls += 1;
      },
    );

    const run = publish(({ events }) => events.publish('order.placed', null, {}));

    await expect(run).rejects.toThrow('no connection');
    expect(calls).toBe(1);
    expect(context.log.named('A listener failed')).toHaveLength(1);
  });

  it('leaves a unit committed and its caller without an error when a listener fails, and counts it', async () => {
    let calls = 0;
    const { publish, context } = inProcess(
      () => Promise.reject(new Error('no connection')),
      async () => {
        calls += 1;
      },
    );

    await publish(({ unitOfWork, events }) =>
      unitOfWork(async (unit) => {
        unit.put({ pk: 'HOST#order', sk: 'order', type: 'order' });
        await events.publish('order.placed', null, {});
      }),
    );

    expect(calls).toBe(1);
    expect(context.db.items()).toMatchObject([{ pk: 'HOST#order' }]);
    expect(context.log.named('A listener failed')).toMatchObject([{ group: 'own' }]);
    expect(context.metrics.counts).toMatchObject({ 'own Failed': 1 });
  });

  it('does not make asyncPublish wait, but lets the invocation end after the listeners', async () => {
    const order: string[] = [];
    const { publish } = inProcess(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push('listener');
    });

    await publish(async ({ events }) => {
      await events.asyncPublish('order.placed', {});
      order.push('published');
    });
    order.push('invocation ended');

    expect(order).toEqual(['published', 'listener', 'invocation ended']);
  });

  it.each([
    [
      'outside of a unit',
      async ({ events }: TestContext) => void events.publish('order.placed', null, {}),
    ],
    [
      'in a unit',
      ({ events, unitOfWork }: TestContext) =>
        unitOfWork(async () => void events.publish('order.placed', null, {})),
    ],
    [
      'behind a commit',
      ({ events, unitOfWork }: TestContext) =>
        unitOfWork(async (unit) =>
          unit.afterCommit(async () => void events.publish('order.placed', null, {})),
        ),
    ],
  ])('lets the invocation end after a publish %s that is not awaited', async (_, work) => {
    const order: string[] = [];
    const { publish } = inProcess(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push('listener');
    });

    await publish(work);
    order.push('invocation ended');

    expect(order).toEqual(['listener', 'invocation ended']);
  });

  it.each(['spring', 'broker'])(
    'lets the invocation end after a unit that is not awaited: %s',
    async (transport) => {
      const { publish, context } = inProcess(async () => undefined, undefined, { transport });
      const waited = () => new Promise((resolve) => setTimeout(resolve, 20));

      await publish(async ({ events, unitOfWork }) => {
        void unitOfWork(async (unit) => {
          await waited();
          unit.put({ pk: 'HOST#order', sk: 'order', type: 'order' });
          await events.publish('order.placed', 'A-1', {});
          unit.afterCommit(async () => {
            await waited();
            context.log.info('committed');
          });
        });
      });

      const sent = transport === 'broker' ? [{ type: 'message', status: 'SENT' }] : [];
      expect(context.db.items()).toMatchObject([{ pk: 'HOST#order' }, ...sent]);
      expect(context.log.named('committed')).toHaveLength(1);
    },
  );

  it('ends at the end of its time, and has no later invocation wait for what does not end', async () => {
    const { publish, context } = inProcess(async () => undefined);
    const late = () =>
      context.log.named('Work in the background did not end within the invocation');
    let hangs = true;
    const run = () =>
      publish(async ({ unitOfWork }) => {
        if (hangs) void unitOfWork(() => new Promise(() => undefined));
        context.clock.advance(60_000);
      });

    await run();
    hangs = false;
    await run();

    expect(late()).toMatchObject([{ unfinished: 1 }]);
  });

  it('waits for what an earlier invocation has begun after its end', async () => {
    const order: string[] = [];
    const { publish } = inProcess(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('listener');
    });
    let goOn = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      goOn = resolve;
    });

    await publish(
      async ({ events }) => void later.then(() => events.asyncPublish('order.placed', {})),
    );
    await publish(async () => {
      goOn();
      await new Promise((resolve) => setImmediate(resolve));
    });
    order.push('invocation ended');

    expect(order).toEqual(['listener', 'invocation ended']);
  });

  it('only logs the failure of a listener of asyncPublish', async () => {
    const { publish, context } = inProcess(() => Promise.reject(new Error('no connection')));

    await publish(({ events }) => events.asyncPublish('order.placed', {}));

    expect(context.log.named('Work in the background failed')).toHaveLength(1);
  });

  it('sends refresh notices over the bus all the same', async () => {
    const { publish, context } = inProcess(async () => undefined);

    await publish(({ events }) =>
      events.publish('iam-config-refresh', 'a', { key: 'a', epoch: 1 }),
    );

    expect(context.bus.events).toMatchObject([{ type: 'iam-config-refresh' }]);
    expect(context.db.items()).toMatchObject([{ type: 'message', status: 'SENT' }]);
  });
});

describe('svc.mq.enabled=false', () => {
  it('drops messages with a warning, and writes nothing', async () => {
    let calls = 0;
    const { publish, context } = inProcess(
      async () => {
        calls += 1;
      },
      undefined,
      { enabled: false },
    );

    await publish(async ({ events }) => {
      await events.publish('order.placed', null, {});
      await events.asyncPublish('order.placed', {});
    });

    expect(calls).toBe(0);
    expect(context.db.items()).toEqual([]);
    expect(context.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  it('puts refresh notices on the bus once, without an outbox, whatever becomes of them', async () => {
    const { publish, context } = inProcess(async () => undefined, undefined, { enabled: false });

    await publish(({ events }) => events.publish('iam-config-refresh', 'a', { key: 'a' }));
    context.bus.mode = 'down';
    await publish(({ events }) => events.publish('iam-config-refresh', 'a', { key: 'a' }));

    expect(context.bus.events).toHaveLength(1);
    expect(context.db.items()).toEqual([]);
  });

  it('puts a refresh notice on the bus before the invocation ends, also when nobody awaits it', async () => {
    const { publish, context } = inProcess(async () => undefined, undefined, { enabled: false });

    await publish(
      async ({ events }) => void events.publish('iam-config-refresh', 'a', { key: 'a' }),
    );

    expect(context.bus.events).toHaveLength(1);
  });
});

describe('svc.mq.broker-template-proxy-enabled', () => {
  const proxied = { 'broker-template-proxy-enabled': true };

  it('turns sends of broker clients into rows of the unit, sent after its commit', async () => {
    const { context, rows } = aShop({ mq: proxied });
    const { eventBridge, sqs } = await context.messaging.tools().brokerClients();

    const ids = await context.unitOfWork(async () => {
      const event = {
        Source: 'erp',
        DetailType: 'stock',
        Detail: '{"n":1}',
        EventBusName: 'other',
      };
      const { Entries = [] } = await eventBridge.send(
        new PutEventsCommand({ Entries: [event, { ...event, Time: new Date(0) }] }),
      );
      const { MessageId } = await sqs.send(
        new SendMessageCommand({ QueueUrl: 'http://q/1/orders', MessageBody: 'hello' }),
      );
      const { Successful = [] } = await sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: 'http://q/1/orders',
          Entries: [{ Id: 'one', MessageBody: 'batch', DelaySeconds: 5 }],
        }),
      );
      expect(context.bus.events).toEqual([]);
      return [...Entries.map(({ EventId }) => EventId), MessageId, Successful[0]?.MessageId];
    });

    expect(rows().map(({ id }) => id)).toEqual(ids);
    expect(rows().every(({ status }) => status === 'SENT')).toBe(true);
    expect(context.bus.events).toMatchObject([
      { bus: 'other', source: 'erp', type: 'stock' },
      { bus: 'other', source: 'erp', type: 'stock' },
    ]);
    expect(context.queues.messages).toMatchObject([
      { queue: 'http://q/1/orders', body: 'hello' },
      { queue: 'http://q/1/orders', body: 'batch', delaySeconds: 5 },
    ]);
  });

  it('sends nothing when the unit fails', async () => {
    const { context, rows } = aShop({ mq: proxied });
    const { sqs } = await context.messaging.tools().brokerClients();

    const unit = context.unitOfWork(async () => {
      await sqs.send(new SendMessageCommand({ QueueUrl: 'http://q/1/orders', MessageBody: 'x' }));
      throw new Error('no stock');
    });

    await expect(unit).rejects.toThrow('no stock');
    expect(rows()).toEqual([]);
    expect(context.queues.messages).toEqual([]);
  });

  it('refuses a request that no row can hold, before the commit', async () => {
    const { context, rows } = aShop({ mq: proxied });
    const { sqs } = await context.messaging.tools().brokerClients();
    const MessageBody = 'x'.repeat(400_000);

    const send = sqs.send(new SendMessageCommand({ QueueUrl: 'http://q/1/orders', MessageBody }));

    await expect(send).rejects.toMatchObject({ code: 'MQ_PROXY_TOO_LARGE' });
    expect(rows()).toEqual([]);
  });

  it('keeps texts only', async () => {
    const { context } = aShop({ mq: proxied });
    const { sqs } = await context.messaging.tools().brokerClients();
    const MessageAttributes = { a: { DataType: 'Binary', BinaryValue: new Uint8Array(1) } };

    const send = sqs.send(
      new SendMessageCommand({ QueueUrl: 'http://q', MessageBody: 'x', MessageAttributes }),
    );

    await expect(send).rejects.toMatchObject({ code: 'MQ_PROXY_BINARY' });
  });

  it('takes a batch as a whole: when it refuses one of its messages, it sends none', async () => {
    const { context, rows } = aShop({ mq: proxied });
    const { eventBridge, sqs } = await context.messaging.tools().brokerClients();
    const bytes = { a: { DataType: 'Binary', BinaryValue: new Uint8Array(1) } };
    const batch = new SendMessageBatchCommand({
      QueueUrl: 'http://q/1/orders',
      Entries: [
        { Id: '1', MessageBody: 'x' },
        { Id: '2', MessageBody: 'x', MessageAttributes: bytes },
      ],
    });
    const events = new PutEventsCommand({
      Entries: ['x', 'x'.repeat(400_000)].map((Detail) => ({ DetailType: 'stock', Detail })),
    });

    await expect(sqs.send(batch)).rejects.toMatchObject({ code: 'MQ_PROXY_BINARY' });
    await expect(eventBridge.send(events)).rejects.toMatchObject({ code: 'MQ_PROXY_TOO_LARGE' });

    expect(rows()).toEqual([]);
    expect(context.queues.messages).toEqual([]);
  });
});
