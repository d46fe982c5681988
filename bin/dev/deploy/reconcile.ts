import { ApiGatewayV2Client, UpdateApiCommand } from '@aws-sdk/client-apigatewayv2';
import { DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import {
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { localClientConfig } from '../local-cloud/aws-client.ts';
import { messageOf } from '../terminal/command-error.ts';
import type { Template, TemplateResource } from './assembly.ts';
import { bucketCors, type CorsRules } from './bucket-cors.ts';
import { bucketLifecycle, type LifecycleRules } from './bucket-lifecycle.ts';
import { resolveValue } from './resolve-value.ts';

/** A property that the local cloud's CloudFormation ignores, set through the service API instead. */
export type ReconcileAction =
  | { readonly kind: 'cors'; readonly apiId: string; readonly cors: CorsProperties }
  | { readonly kind: 'ttl'; readonly table: string; readonly attribute: string }
  | { readonly kind: 'dead-letter'; readonly functionName: string; readonly target: string }
  | { readonly kind: 'concurrency'; readonly functionName: string; readonly reserved: number }
  | { readonly kind: 'lifecycle'; readonly bucket: string; readonly rules: LifecycleRules }
  | { readonly kind: 'bucket-cors'; readonly bucket: string; readonly rules: CorsRules };

/** CORS rules of an HTTP API, as CloudFormation and the service both write them. */
export interface CorsProperties {
  readonly AllowOrigins?: string[];
  readonly AllowMethods?: string[];
  readonly AllowHeaders?: string[];
  readonly ExposeHeaders?: string[];
  readonly AllowCredentials?: boolean;
  readonly MaxAge?: number;
}

type Planner = (
  id: string,
  properties: Readonly<Record<string, unknown>>,
  resolve: (value: unknown) => unknown,
) => ReconcileAction[];

const planners: Readonly<Record<string, Planner>> = {
  'AWS::ApiGatewayV2::Api': (apiId, { CorsConfiguration }) =>
    CorsConfiguration === undefined
      ? []
      : [{ kind: 'cors', apiId, cors: CorsConfiguration as CorsProperties }],
  'AWS::DynamoDB::Table': planTtl,
  'AWS::DynamoDB::GlobalTable': planTtl,
  'AWS::Lambda::Function': (functionName, properties, resolve) => [
    ...planDeadLetter(functionName, properties, resolve),
    ...planConcurrency(functionName, properties),
  ],
  'AWS::S3::Bucket': (bucket, { LifecycleConfiguration, CorsConfiguration }) => {
    const rules = bucketLifecycle(LifecycleConfiguration);
    const cors = bucketCors(CorsConfiguration);
    return [
      ...(rules.length === 0 ? [] : [{ kind: 'lifecycle', bucket, rules } as const]),
      ...(cors.length === 0 ? [] : [{ kind: 'bucket-cors', bucket, rules: cors } as const]),
    ];
  },
};

/** Lists all properties of a template to set again, for existing resources. */
export function planReconcile(
  template: Template,
  physicalIds: Readonly<Record<string, string>>,
): ReconcileAction[] {
  const resolve = (value: unknown): unknown => resolveValue(value, template, physicalIds);
  return Object.entries(template.Resources).flatMap(
    ([logicalId, resource]: [string, TemplateResource]) => {
      const physicalId = physicalIds[logicalId];
      const planner = planners[resource.Type];
      return physicalId && planner ? planner(physicalId, resource.Properties ?? {}, resolve) : [];
    },
  );
}

function planTtl(
  table: string,
  { TimeToLiveSpecification }: Readonly<Record<string, unknown>>,
): ReconcileAction[] {
  const ttl = TimeToLiveSpecification as { Enabled?: boolean; AttributeName?: string } | undefined;
  return ttl?.Enabled && ttl.AttributeName
    ? [{ kind: 'ttl', table, attribute: ttl.AttributeName }]
    : [];
}

function planDeadLetter(
  functionName: string,
  { DeadLetterConfig }: Readonly<Record<string, unknown>>,
  resolve: (value: unknown) => unknown,
): ReconcileAction[] {
  const target = resolve((DeadLetterConfig as { TargetArn?: unknown } | undefined)?.TargetArn);
  return typeof target === 'string' ? [{ kind: 'dead-letter', functionName, target }] : [];
}

function planConcurrency(
  functionName: string,
  { ReservedConcurrentExecutions: reserved }: Readonly<Record<string, unknown>>,
): ReconcileAction[] {
  return typeof reserved === 'number' ? [{ kind: 'concurrency', functionName, reserved }] : [];
}

/** Executes a plan; idempotent. */
export async function reconcile(endpoint: string, plan: readonly ReconcileAction[]): Promise<void> {
  const config = localClientConfig(endpoint);
  const clients = {
    api: new ApiGatewayV2Client(config),
    dynamodb: new DynamoDBClient(config),
    lambda: new LambdaClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
  };
  // Send the two settings of a function in sequence: the service refuses concurrent updates.
  for (const action of plan) await apply(clients, action);
  for (const client of Object.values(clients)) client.destroy();
}

interface Clients {
  readonly api: ApiGatewayV2Client;
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
}

async function apply(clients: Clients, action: ReconcileAction): Promise<void> {
  switch (action.kind) {
    case 'cors':
      await clients.api.send(
        new UpdateApiCommand({ ApiId: action.apiId, CorsConfiguration: action.cors }),
      );
      return;
    case 'ttl':
      await enableTtl(clients.dynamodb, action.table, action.attribute);
      return;
    case 'dead-letter':
      await clients.lambda.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName: action.functionName,
          DeadLetterConfig: { TargetArn: action.target },
        }),
      );
      return;
    case 'concurrency':
      await clients.lambda.send(
        new PutFunctionConcurrencyCommand({
          FunctionName: action.functionName,
          ReservedConcurrentExecutions: action.reserved,
        }),
      );
      return;
    case 'lifecycle':
      await clients.s3.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket: action.bucket,
          LifecycleConfiguration: { Rules: [...action.rules] },
        }),
      );
      return;
    case 'bucket-cors':
      await clients.s3.send(
        new PutBucketCorsCommand({
          Bucket: action.bucket,
          CORSConfiguration: { CORSRules: [...action.rules] },
        }),
      );
      return;
  }
}

async function enableTtl(
  dynamodb: DynamoDBClient,
  table: string,
  attribute: string,
): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateTimeToLiveCommand({
        TableName: table,
        TimeToLiveSpecification: { Enabled: true, AttributeName: attribute },
      }),
    );
  } catch (error) {
    if (!/already enabled/i.test(messageOf(error))) throw error;
  }
}
