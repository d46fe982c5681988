import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import {
  localAccount,
  localClientConfig,
  localRegion,
} from '../../../bin/dev/local-cloud/aws-client.ts';
import { freePort } from '../../../bin/dev/local-cloud/free-port.ts';
import { ensurePythonTool, localCloudTool } from '../../../bin/dev/local-cloud/install.ts';
import { startLocalCloud, stopLocalCloud } from '../../../bin/dev/local-cloud/start.ts';
import { cloudPaths, localFolder } from '../../../bin/dev/paths.ts';
import { envelopeOfQueueBody } from '../../../shared/messaging/wire/envelope.ts';
import { queueName } from '../../../shared/messaging/wire/topology.ts';
import { createPlatformTable } from '../../helpers/cloud/create-table.ts';
import { faultBundle } from './fault-bundle.ts';

/** A local cloud with table, bus, bucket and queues, and nothing deployed: the processes under test run outside. */
export interface FaultCloud {
  /** The file that a process under test runs. */
  readonly bundle: string;
  /** What such a process needs to be a function of it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clients: {
    readonly documents: DynamoDBDocumentClient;
    readonly sqs: SQSClient;
    readonly bus: EventBridgeClient;
  };
  readonly tableName: string;
  readonly busName: string;
  /** Everything in the table. */
  items(): Promise<Record<string, unknown>[]>;
  /** Makes the queues of a group; `topics` reach it over the bus. */
  addGroup(group: string, options?: GroupOptions): Promise<void>;
  /** Empties the queue of a group that nobody reads. @returns the messageId of each delivery. */
  takeDeliveries(group: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** How a group's queues are made. */
export interface GroupOptions {
  readonly topics?: readonly string[];
  readonly isOrdered?: boolean;
  readonly visibilitySeconds?: number;
  readonly maxReceiveCount?: number;
}

/** Beginning of all queue names. */
export const PREFIX = 'faults';

/** ARN of a group's queue. */
export const queueArn = (
  group: string,
  form: { isDead?: boolean; isOrdered?: boolean } = {},
): string => `arn:aws:sqs:${localRegion}:${localAccount}:${queueName(PREFIX, group, form)}`;

const TABLE = 'faults';
const BUS = 'faults';
const BUCKET = 'faults';

/** Starts a local cloud of its own. */
export async function startFaultCloud(): Promise<FaultCloud> {
  const python = await ensurePythonTool(localCloudTool, { onInstall: () => undefined });
  const port = await freePort(30_000 + Math.floor(Math.random() * 5_000));
  const folder = join(localFolder, `faults-${process.pid}-${port}`);
  const paths = cloudPaths(folder);
  const running = await startLocalCloud({ python, paths, port });
  const config = localClientConfig(running.endpoint);
  const dynamodb = new DynamoDBClient(config);
  const clients = {
    documents: DynamoDBDocumentClient.from(dynamodb),
    sqs: new SQSClient(config),
    bus: new EventBridgeClient(config),
  };
  await createPlatformTable(dynamodb, TABLE);
  await clients.bus.send(new CreateEventBusCommand({ Name: BUS }));
  await new S3Client({ ...config, forcePathStyle: true }).send(
    new CreateBucketCommand({ Bucket: BUCKET }),
  );
  return {
    bundle: await faultBundle(),
    environment: {
      AWS_ENDPOINT_URL: running.endpoint,
      AWS_REGION: config.region,
      AWS_ACCESS_KEY_ID: config.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: config.credentials.secretAccessKey,
      ...{ TABLE_NAME: TABLE, BUCKET_NAME: BUCKET, EVENT_BUS_NAME: BUS, SVC_STAGE: 'local' },
      ...{ POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    },
    clients,
    tableName: TABLE,
    busName: BUS,
    async items() {
      const items: Record<string, unknown>[] = [];
      const pages = paginateScan({ client: clients.documents }, { TableName: TABLE });
      for await (const { Items = [] } of pages) items.push(...Items);
      return items;
    },
    addGroup: (group, options) => addGroup(clients, group, options),
    takeDeliveries: (group) => takeDeliveries(clients.sqs, group),
    async stop() {
      await stopLocalCloud(running, paths);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addGroup(
  { sqs, bus }: FaultCloud['clients'],
  group: string,
  { topics = [], isOrdered = false, visibilitySeconds = 6, maxReceiveCount = 6 }: GroupOptions = {},
): Promise<void> {
  const fifo = isOrdered ? { FifoQueue: 'true' } : {};
  await sqs.send(
    new CreateQueueCommand({
      QueueName: queueName(PREFIX, group, { isOrdered, isDead: true }),
      Attributes: { ...fifo, VisibilityTimeout: String(visibilitySeconds) },
    }),
  );
  await sqs.send(
    new CreateQueueCommand({
      QueueName: queueName(PREFIX, group, { isOrdered }),
      Attributes: {
        ...fifo,
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: queueArn(group, { isOrdered, isDead: true }),
          maxReceiveCount,
        }),
      },
    }),
  );
  if (topics.length === 0) return;
  const pattern = { source: [{ prefix: 'svc.' }], 'detail-type': topics };
  await bus.send(
    new PutRuleCommand({ Name: group, EventBusName: BUS, EventPattern: JSON.stringify(pattern) }),
  );
  await bus.send(
    new PutTargetsCommand({
      Rule: group,
      EventBusName: BUS,
      Targets: [{ Id: 'queue', Arn: queueArn(group) }],
    }),
  );
}

/** Receives that find nothing, one after the other, until a queue counts as empty. */
const EMPTY_RECEIVES = 3;

async function takeDeliveries(sqs: SQSClient, group: string): Promise<string[]> {
  const endpoint = await sqs.config.endpoint?.();
  const QueueUrl = `http://${endpoint?.hostname}:${endpoint?.port}/${localAccount}/${queueName(PREFIX, group)}`;
  const ids: string[] = [];
  for (let empty = 0; empty < EMPTY_RECEIVES; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    empty = Messages.length === 0 ? empty + 1 : 0;
    if (Messages.length === 0) continue;
    ids.push(...Messages.map(({ Body = '' }) => envelopeOfQueueBody(Body)?.id ?? Body));
    const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
  return ids;
}
