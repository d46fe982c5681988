import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { zipFolder } from '../../bin/dev/deploy/zip.ts';
import {
  localAccount,
  localClientConfig,
  localRegion,
} from '../../bin/dev/local-cloud/aws-client.ts';
import { createRelayModule } from '../../functions/messaging/module.ts';
import { packageRoot } from '../../lib/bundling/bundle.ts';
import type { ModuleContext } from '../../shared/lambda/module-context.ts';
import { messageListener } from '../../shared/messaging/consuming/listener.ts';
import { mapLimited } from '../../shared/primitives/map-limited.ts';
import { startFaultCloud } from '../faults/harness/fault-cloud.ts';
import { localContext } from '../faults/harness/local-context.ts';
import { aContext, connect } from '../helpers/world/a-context.ts';
import { startTestPlatform, type TestPlatform } from '../tools/test-platform.ts';
import type { Benchmark, Figure } from './benchmark.ts';

/** Smaller numbers are for a trial: `BENCH_MESSAGES=10 BENCH_ROWS=200 npm run bench -- messaging`. */
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 150);
const DUE_ROWS = Number(process.env.BENCH_ROWS ?? 5_000);
const WARM_UP = 10;
const MIN_PAUSE_MS = 40;
const MAX_PAUSE_MS = 120;
const UNIT_ROWS = 50;

const HOST = `
import { claimsPermissionEvaluator, defineHost, messageListener } from '${packageRoot}/shared/host/index.ts';
const arrived = (topic, transactional) =>
  messageListener({ topic, group: topic, transactional }, async ({ payload }) => {
    console.log(JSON.stringify({ bench: topic, n: payload.n, ms: Date.now() - payload.at }));
  });
const listeners = [arrived('claimed', false), arrived('ours', true)];
export default defineHost({ permissionEvaluator: claimsPermissionEvaluator, listeners });
`;

const BARE_HANDLER = `
export const handler = async ({ Records }) => {
  for (const { body } of Records) {
    const { detail } = JSON.parse(body);
    console.log(JSON.stringify({ bench: detail.way, n: detail.n, ms: Date.now() - detail.at }));
  }
};
`;

/** How long messages travel, what the relay gets done, and what a message costs. */
export default {
  name: 'Messaging',
  run: async (say) => [...(await travel(say)), ...(await relayRate(say)), ...(await costs())],
} satisfies Benchmark;

async function travel(say: (text: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-bench-'));
  const hostEntry = join(folder, 'host.ts');
  writeFileSync(hostEntry, HOST);
  const platform = await startTestPlatform({ hostEntry, onProgress: say });
  try {
    const putBare = await deployBarePath(platform, folder);
    const putRow = rowWriter(platform);
    const { events } = contextOf(platform);
    const ways: readonly ((n: number, at: number) => Promise<unknown>)[] = [
      (n, at) => events.publish('ours', null, { n, at }),
      (n, at) => events.publish('claimed', null, { n, at }),
      (n, at) => putBare('bare', { n, at }),
      (n, at) => putRow(n).then(() => putBare('bare-with-row', { n, at })),
    ];
    say(`${MESSAGES} messages each way, in turn`);
    for (let n = -WARM_UP; n < MESSAGES; n += 1) {
      for (const send of ways) {
        await send(n, Date.now());
        await pause();
      }
    }
    say(`${MESSAGES} messages by asyncPublish`);
    for (let n = 0; n < MESSAGES; n += 1) {
      await events.asyncPublish('async', { n });
      await pause();
    }
    const [ours, claimed] = [await arrivals(platform, 'ours'), await arrivals(platform, 'claimed')];
    const floors = [
      { what: 'bare PutEvents, queue and function', times: await arrivals(platform, 'bare') },
      {
        what: 'the same after one write to the table',
        times: await arrivals(platform, 'bare-with-row'),
      },
    ];
    const sent = await sendTimes(platform);
    const against = (what: string, values: readonly number[], goal?: number): Figure[] =>
      [0.5, 0.95].flatMap((share) =>
        floors.map((floor) => ({
          what: `${what}, p${share * 100}`,
          value: percentile(values, share),
          unit: 'ms' as const,
          floor: { what: floor.what, value: percentile(floor.times, share) },
          ...(goal !== undefined && share === 0.5 ? { goal } : {}),
        })),
      );
    return [
      ...against('publish to start of a transactional listener', ours, 2),
      ...against('publish to start of any other listener', claimed),
      ...against('asyncPublish to SENT', sent),
    ];
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The context of a publisher outside of the functions, over the platform's table and bus. */
function contextOf({ outputs }: TestPlatform): ModuleContext {
  const { credentials } = localClientConfig(outputs.endpoint);
  const environment = {
    AWS_ENDPOINT_URL: outputs.endpoint,
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    TABLE_NAME: outputs.tableName,
    BUCKET_NAME: outputs.bucketName,
    EVENT_BUS_NAME: outputs.eventBusName,
    SVC_STAGE: 'local',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
  return localContext({ environment }, 'bench');
}

async function deployBarePath(
  { outputs }: TestPlatform,
  folder: string,
): Promise<(way: string, detail: object) => Promise<void>> {
  const config = localClientConfig(outputs.endpoint);
  const [lambda, sqs, bus] = [
    new LambdaClient(config),
    new SQSClient(config),
    new EventBridgeClient(config),
  ];
  const code = join(folder, 'bare');
  mkdirSync(code);
  writeFileSync(join(code, 'index.mjs'), BARE_HANDLER);
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: 'bare',
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: `arn:aws:iam::${localAccount}:role/bare`,
      Code: { ZipFile: zipFolder(code) },
    }),
  );
  await sqs.send(new CreateQueueCommand({ QueueName: 'bare' }));
  const arn = `arn:aws:sqs:${localRegion}:${localAccount}:bare`;
  await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: 'bare',
      EventSourceArn: arn,
      BatchSize: 10,
    }),
  );
  const EventBusName = outputs.eventBusName;
  await bus.send(
    new PutRuleCommand({ Name: 'bare', EventBusName, EventPattern: '{"detail-type":["bare"]}' }),
  );
  await bus.send(
    new PutTargetsCommand({ Rule: 'bare', EventBusName, Targets: [{ Id: 'queue', Arn: arn }] }),
  );
  return async (way, detail) => {
    const entry = {
      EventBusName,
      Source: 'bench',
      DetailType: 'bare',
      Detail: JSON.stringify({ ...detail, way }),
    };
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
  };
}

/** One write of an item, as anything that is to survive a crash begins. */
function rowWriter({ outputs }: TestPlatform): (n: number) => Promise<unknown> {
  const config = localClientConfig(outputs.endpoint);
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  return (n) =>
    documents.send(
      new PutCommand({ TableName: outputs.tableName, Item: { pk: `bench#${n}`, sk: 'row' } }),
    );
}

/** Of uneven length, so that no way of sending keeps meeting the same moment of the local cloud's pollers. */
function pause(): Promise<void> {
  return sleep(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
}

/** Travel times that functions have written into their logs, warm ones only. */
async function arrivals({ outputs }: TestPlatform, name: string): Promise<number[]> {
  const client = new CloudWatchLogsClient(localClientConfig(outputs.endpoint));
  for (let round = 0; round < 60; round += 1) {
    const times = new Map<number, number>();
    for (const message of await logMessages(client)) {
      for (const [line] of message.matchAll(/\{"bench":.*\}/g)) {
        const { bench, n, ms } = JSON.parse(line);
        if (bench === name && n >= 0) times.set(n, ms);
      }
    }
    if (times.size === MESSAGES) return [...times.values()];
    await sleep(500);
  }
  throw new Error(`Not all messages of ${name} have arrived`);
}

async function logMessages(client: CloudWatchLogsClient): Promise<string[]> {
  const messages: string[] = [];
  const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({}));
  for (const { logGroupName } of logGroups) {
    for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
      messages.push(...events.map(({ message = '' }) => message));
    }
  }
  return messages;
}

async function sendTimes(platform: TestPlatform): Promise<number[]> {
  const config = localClientConfig(platform.outputs.endpoint);
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  for (let round = 0; round < 60; round += 1) {
    const times: number[] = [];
    const pages = paginateScan({ client: documents }, { TableName: platform.outputs.tableName });
    for await (const { Items = [] } of pages) {
      for (const { topic, createdAt, sentAt } of Items) {
        if (topic === 'async' && sentAt) times.push(Date.parse(sentAt) - Date.parse(createdAt));
      }
    }
    if (times.length === MESSAGES) return times;
    await sleep(500);
  }
  throw new Error('Not all async messages were sent');
}

/** A backlog as an outage leaves it, against the same requests without anything else. */
async function relayRate(say: (text: string) => void): Promise<Figure[]> {
  const cloud = await startFaultCloud();
  try {
    const context = localContext(cloud, 'bench-relay');
    say(`${DUE_ROWS} due rows`);
    const units = Array.from({ length: DUE_ROWS / UNIT_ROWS }, (_, index) => index);
    await mapLimited(units, 4, () =>
      context.unitOfWork(async () => {
        for (let i = 0; i < UNIT_ROWS; i += 1) await context.events.asyncPublish('a', { i });
      }),
    );
    const { relayService } = createRelayModule(context).services;
    const relayed = await perSecond(DUE_ROWS, async () => {
      let sent = 0;
      while (sent < DUE_ROWS) sent += (await relayService.run()).sent;
    });
    const bare = await perSecond(DUE_ROWS, () => sendBare(cloud));
    return [
      { what: 'relay', value: relayed, unit: 'rows/s', goal: 100, goalIs: 'at-least' },
      {
        what: 'relay',
        value: relayed,
        unit: 'rows/s',
        floor: { what: 'the same requests sent bare', value: bare },
      },
    ];
  } finally {
    await cloud.stop();
  }
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (count / (performance.now() - startedAt)) * 1_000;
}

/** For each hundred rows what the relay asks: an update for each, a PutEvents for ten, an update for each. */
async function sendBare({
  clients: { documents, bus },
  tableName,
  busName,
}: Awaited<ReturnType<typeof startFaultCloud>>): Promise<void> {
  const update = (n: number, returned: 'ALL_NEW' | 'NONE') =>
    documents.send(
      new UpdateCommand({
        TableName: tableName,
        Key: { pk: `bare#${n}`, sk: 'bare' },
        UpdateExpression: 'SET gsi1pk = :p, gsi1sk = :s, n = if_not_exists(n, :z) + :o',
        ConditionExpression: 'attribute_not_exists(gone)',
        ExpressionAttributeValues: { ':p': 'bare', ':s': `bare#${n}`, ':z': 0, ':o': 1 },
        ReturnValues: returned,
      }),
    );
  const entry = { EventBusName: busName, Source: 'bench', DetailType: 'bare', Detail: '{}' };
  const tens = Array.from({ length: 10 }, () => Array.from({ length: 10 }, () => entry));
  for (let from = 0; from < DUE_ROWS; from += 100) {
    const numbers = Array.from({ length: 100 }, (_, index) => from + index);
    await mapLimited(numbers, 16, (n) => update(n, 'ALL_NEW'));
    await mapLimited(tens, 8, (Entries) => bus.send(new PutEventsCommand({ Entries })));
    await mapLimited(numbers, 16, (n) => update(n, 'NONE'));
  }
}

/** What a message costs in requests and capacity units, counted on a table in memory. */
async function costs(): Promise<Figure[]> {
  const svc = { mq: { transport: 'broker', 'app-code': 'bench', relay: { enabled: true } } };
  const listeners = [
    messageListener({ topic: 'a', group: 'bench', transactional: true }, async () => undefined),
  ];
  const context = aContext({ module: 'bench', svc });
  const module = connect(() => ({ routes: [], listeners }), context);
  const { meter } = context.db;
  const published = await meter.costOf(() => context.events.publish('a', null, { total: 42 }));
  await context.events.publish('a', null, { total: 43 });
  const [first, second] = context.bus.events.map(({ envelope }) => envelope);
  // The first call of an environment also reads the epoch of the settings.
  await module.deliver(...(first ? [first] : []));
  const consumed = await meter.costOf(() => module.deliver(...(second ? [second] : [])));
  const rows = 500;
  for (let i = 0; i < rows; i += 1) await context.events.asyncPublish('a', { i });
  const { relayService } = createRelayModule(context).services;
  const before = context.bus.requests.length;
  const relayed = await meter.costOf(() => relayService.run());
  const requests = relayed.requests.length + context.bus.requests.length - before;
  return [
    { what: 'one published event', value: published.writeUnits, unit: 'write units', goal: 4 },
    {
      what: 'one published event',
      value: published.requests.length + 1,
      unit: 'requests',
      goal: 3,
    },
    { what: 'one relayed row', value: requests / rows, unit: 'requests', goal: 2.5 },
    { what: 'one relayed row', value: relayed.writeUnits / rows, unit: 'write units' },
    { what: 'one consumed message', value: consumed.writeUnits, unit: 'write units', goal: 2 },
    { what: 'one consumed message', value: consumed.requests.length, unit: 'requests', goal: 1 },
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
