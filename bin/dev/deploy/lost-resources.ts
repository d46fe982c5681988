import { ApiGatewayV2Client, GetApisCommand } from '@aws-sdk/client-apigatewayv2';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListEventBusesCommand } from '@aws-sdk/client-eventbridge';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { localClientConfig } from '../local-cloud/aws-client.ts';

/** A resource that the stack reports but that does not exist. */
export interface LostResource {
  readonly type: string;
  readonly physicalId: string;
}

/** Names of the resources that exist, by CloudFormation type. */
export type Inventory = Readonly<Record<string, ReadonlySet<string>>>;

/** The resources of a stack that are missing from the inventory; types that it does not list are skipped. */
export function findLost(
  resources: readonly { readonly type: string; readonly physicalId: string }[],
  inventory: Inventory,
): LostResource[] {
  return resources.filter(({ type, physicalId }) => {
    const existing = inventory[type];
    return existing !== undefined && !existing.has(nameOf(physicalId));
  });
}

/** Compare queues by the name at the end of the URL: its host depends on the caller. */
function nameOf(physicalId: string): string {
  return physicalId.split('/').at(-1) ?? physicalId;
}

/** Summarises the lost resources in one line. */
export function describeLost(lost: readonly LostResource[]): string {
  const counts = new Map<string, number>();
  for (const { type } of lost) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .map(
      ([type, count]) => `${count} ${type.split('::').slice(1).join(' ')}${count > 1 ? 's' : ''}`,
    )
    .join(', ');
}

/** Lists the resources of a local cloud that hold data or code. */
export async function takeInventory(endpoint: string): Promise<Inventory> {
  const config = localClientConfig(endpoint);
  const [tables, functions, buckets, queues, buses, apis] = await Promise.all([
    listTables(new DynamoDBClient(config)),
    listFunctions(new LambdaClient(config)),
    new S3Client({ ...config, forcePathStyle: true })
      .send(new ListBucketsCommand({}))
      .then(({ Buckets = [] }) => Buckets.map(({ Name }) => Name)),
    listQueues(new SQSClient(config)),
    new EventBridgeClient(config)
      .send(new ListEventBusesCommand({}))
      .then(({ EventBuses = [] }) => EventBuses.map(({ Name }) => Name)),
    new ApiGatewayV2Client(config)
      .send(new GetApisCommand({ MaxResults: '500' }))
      .then(({ Items = [] }) => Items.map(({ ApiId }) => ApiId)),
  ]);
  return {
    'AWS::DynamoDB::Table': names(tables),
    'AWS::DynamoDB::GlobalTable': names(tables),
    'AWS::Lambda::Function': names(functions),
    'AWS::S3::Bucket': names(buckets),
    'AWS::SQS::Queue': names(queues),
    'AWS::Events::EventBus': names(buses),
    'AWS::ApiGatewayV2::Api': names(apis),
  };
}

async function listTables(client: DynamoDBClient): Promise<string[]> {
  const found: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    found.push(...TableNames);
  }
  return found;
}

async function listFunctions(client: LambdaClient): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    found.push(...Functions.map(({ FunctionName }) => FunctionName));
  }
  return found;
}

async function listQueues(client: SQSClient): Promise<string[]> {
  const found: string[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, { MaxResults: 1000 })) {
    found.push(...QueueUrls);
  }
  return found;
}

function names(values: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(values.filter((value) => value !== undefined).map(nameOf));
}
