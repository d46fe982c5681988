import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message as QueueMessage,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { whenLeftAlone } from '../../../bin/dev/local-cloud/lives-with.ts';
import { createEntitiesModule } from '../../../functions/entities/module.ts';
import { createMessagingModule, createRelayModule } from '../../../functions/messaging/module.ts';
import type { RelayReport } from '../../../functions/messaging/relay/tally.ts';
import { sections } from '../../../functions/workflow/module.ts';
import { defineHost } from '../../../shared/host/host.ts';
import { createContext } from '../../../shared/lambda/create-context.ts';
import { readEnvironment } from '../../../shared/lambda/environment.ts';
import { connectModule } from '../../../shared/lambda/handlers/create-handler.ts';
import { messageListener } from '../../../shared/messaging/consuming/listener.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { breakServices, type ServiceFaults } from './broken-services.ts';
import { entitiesRoles } from './entities-roles.ts';
import { workflowRoles } from './workflow-roles.ts';

/*
 * One process of a fault run: the real modules over the local cloud. It notes nothing; what became of its work is
 * read from table and queues.
 */

const {
  FAULT_ROLE,
  FAULT_SEED,
  FAULT_CHANCE,
  FAULT_POINTS = '[]',
  FAULT_SERVICES = '{}',
  FAULT_WORK = '{}',
} = process.env;
whenLeftAlone(() => process.exit(1));
const random = seededRandom(Number(FAULT_SEED));
const chance = Number(FAULT_CHANCE);
const points = new Set(JSON.parse(FAULT_POINTS) as string[]);
const work = JSON.parse(FAULT_WORK) as Record<string, never>;

Object.assign(globalThis, {
  svcFault(point: string) {
    if (points.has(point) && random() < chance) process.kill(process.pid, 'SIGKILL');
  },
});

const host = defineHost({
  listeners: [
    messageListener(
      { topic: 'order.placed', group: 'billing', transactional: true },
      async ({ messageId, payload }, { uow, attempt }) => {
        if ((payload as { kills?: boolean }).kills) process.kill(process.pid, 'SIGKILL');
        if ((payload as { failsFirst?: boolean }).failsFirst && attempt === 1)
          throw new Error('no connection');
        // Not idempotent by itself: a second run would count to two.
        uow.update(
          { pk: `HOST#effect#${messageId}`, sk: 'effect' },
          { expression: 'ADD effects :one', values: { ':one': 1 } },
        );
      },
    ),
    messageListener(
      { topic: 'stock.moved', group: 'stock' },
      async ({ key, sequence = 0, payload }, { uow }) => {
        // Written down as it comes: a gap or a swap stays to be seen.
        uow.update(
          { pk: `HOST#stock#${key}`, sk: 'stock' },
          {
            expression:
              'SET #last = :now, arrived = list_append(if_not_exists(arrived, :none), :these), numbers = list_append(if_not_exists(numbers, :none), :number)',
            names: { '#last': 'last' },
            values: {
              ':now': sequence,
              ':none': [],
              ':these': [sequence],
              ':number': [(payload as { i: number }).i],
            },
          },
        );
      },
    ),
  ],
});

const faults = JSON.parse(FAULT_SERVICES) as ServiceFaults;
breakServices(faults, random);
const context = createContext(
  readEnvironment<(typeof sections)[number]>(process.env, ...sections),
  host,
);
const REMAINING_MS = 4_000;
const lambdaContext = (remainingMs: number): Context => {
  const endsAt = Date.now() + remainingMs;
  return { getRemainingTimeInMillis: () => endsAt - Date.now() } as Context;
};

const roles: Readonly<Record<string, () => Promise<void>>> = {
  publisher: runPublisher,
  relay: runRelay,
  consumer: () => runQueue(connectModule(createMessagingModule, context)),
  drain: () => runQueue(connectModule(createRelayModule, context)),
  'entities-jobs': () => runQueue(connectModule(createEntitiesModule, context)),
  ...entitiesRoles(context, work, random),
  ...workflowRoles(context, work, random),
};

interface OrderOptions {
  readonly topic?: string | undefined;
  readonly isAsync?: boolean | undefined;
  /** Each of these orders has messages of 8 KB; none when left out. */
  readonly largeEvery?: number | undefined;
}

/** Attempts of a client in a row that services fail. */
const MAX_ATTEMPTS = 10;

/** Commits each order with its messages once; those that are there already refuse the repetition. */
async function runPublisher(): Promise<void> {
  const { from, to, ...options } = work as unknown as OrderOptions & {
    from: number;
    to: number;
  };
  const all = Array.from({ length: to - from }, (_, index) => from + index);
  const orders = (await withFaults(() => missing(all))) ?? all;
  await mapLimited(orders, 3, (order) => untilPlaced(order, options));
}

/** What services fail is called again later, as a function that has thrown is. @returns `undefined`: they did. */
async function withFaults<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (cause) {
    if (Object.keys(faults).length === 0) throw cause;
    return undefined;
  }
}

/** A client whose order could not be placed tries again. */
async function untilPlaced(order: number, options: OrderOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await placeOrder(order, options);
      return;
    } catch (cause) {
      if (cause instanceof ExpectedError) return;
      if (attempt === MAX_ATTEMPTS) throw cause;
    }
  }
}

/** Orders that a run before this one did not commit. */
async function missing(orders: readonly number[]): Promise<number[]> {
  const open: number[] = [];
  for (let start = 0; start < orders.length; start += 100) {
    const some = orders.slice(start, start + 100);
    const found = await context.table.getMany(
      some.map((order) => ({ pk: `HOST#order#${order}`, sk: 'order' })),
    );
    const there = new Set(found.map(({ pk }) => pk));
    open.push(...some.filter((order) => !there.has(`HOST#order#${order}`)));
  }
  return open;
}

class ExpectedError extends Error {}

function placeOrder(
  order: number,
  { topic, isAsync = false, largeEvery }: OrderOptions,
): Promise<void> {
  const isLarge = largeEvery !== undefined && order % largeEvery === 1;
  return context.unitOfWork(async (unit) => {
    const messages = 1 + (order % 3);
    unit.put(
      { pk: `HOST#order#${order}`, sk: 'order', type: 'order', messages },
      {
        condition: { expression: 'attribute_not_exists(pk)' },
        otherwise: () => new ExpectedError('it is there'),
      },
    );
    for (let i = 0; i < messages; i += 1) {
      const to = topic ?? (order % 50 === 3 ? 'poison' : 'order.placed');
      const payload = { order, i, ...(isLarge && { text: 'x'.repeat(8_000) }) };
      if (isAsync) await context.events.asyncPublish(to, payload);
      else await context.events.publish(to, `order-${order}`, payload);
    }
    if (order % 20 === 7) throw new ExpectedError('no stock: the unit is rolled back');
  });
}

/** Between two runs of a relay; longer while there is nothing to send, such as until the lease of a killed one ends. */
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 320;

async function runRelay(): Promise<void> {
  const handler = connectModule(createRelayModule, context);
  let pauseMs = MIN_PAUSE_MS;
  for (;;) {
    const report = await withFaults(() => handler({ task: 'relay' }, lambdaContext(30_000)));
    const { sent = 0, retried = 0 } = (report ?? {}) as Partial<RelayReport>;
    pauseMs = sent + retried > 0 ? MIN_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
    await sleep(pauseMs);
  }
}

type Handler = ReturnType<typeof connectModule>;

/** Polls a queue as the service does: a batch, the function's answer, the deletion of what is done. */
async function runQueue(handler: Handler): Promise<void> {
  const { arn = '' } = work as unknown as { arn?: string };
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  const QueueName = arn.split(':').at(-1);
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) continue;
    const Records = Messages.map((message) => toRecord(message, arn));
    const answer = (await withFaults(() => handler({ Records }, lambdaContext(REMAINING_MS)))) as
      | SQSBatchResponse
      | undefined;
    if (!answer) continue;
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { MessageId, ReceiptHandle } of Messages) {
      if (failed.has(MessageId ?? '')) continue;
      await sqs
        .send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
        .catch(ignoreLateReceipt);
    }
  }
}

/** A job that outlasts the visibility of its message: another one has received it since. */
function ignoreLateReceipt(error: unknown): void {
  if (!(error instanceof ReceiptHandleIsInvalid)) throw error;
}

function toRecord(message: QueueMessage, eventSourceARN: string): SQSRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} } = message;
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(
    ([name, { StringValue }]) => [name, { stringValue: StringValue }],
  );
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes) as SQSRecord['messageAttributes'],
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: 'us-east-1',
  };
}

// A process that is killed leaves nothing to the next one otherwise.
flushCompileCache();
await roles[FAULT_ROLE ?? '']?.();
