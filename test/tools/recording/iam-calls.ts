import { localAccount, localRegion } from '../../../bin/dev/local-cloud/aws-client.ts';
import { type AwsRequest, type IamCall, type ResourceNames, signedService } from './aws-request.ts';
import { dynamodbCalls } from './dynamodb-calls.ts';
import { s3Calls } from './s3-calls.ts';

/** Services whose name in a signature is not their prefix in IAM. */
const iamPrefixes: Readonly<Record<string, string>> = { email: 'ses' };

/** Operations that need the permission of another one. */
const sameAs: Readonly<Record<string, string>> = {
  'sqs:SendMessageBatch': 'sqs:SendMessage',
  'sqs:DeleteMessageBatch': 'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibilityBatch': 'sqs:ChangeMessageVisibility',
  'lambda:Invoke': 'lambda:InvokeFunction',
};

/** What a request to AWS does, in the words of IAM: actions, resources and partition keys. */
export function iamCalls(request: AwsRequest, names: ResourceNames): IamCall[] {
  const service = signedService(request.headers.authorization) ?? 'unknown';
  if (service === 'dynamodb') return dynamodbCalls(request, names);
  if (service === 's3') return s3Calls(request, names);
  const prefix = iamPrefixes[service] ?? service;
  const restCall = restCalls(request, prefix);
  if (restCall) return [restCall, ...passedRoles(restCall, request)];
  const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? 'Unknown';
  const action = `${prefix}:${operation}`;
  const body = parseObject(request.body);
  if (action === 'events:PutEvents') return busCalls(body, names);
  return [{ action: sameAs[action] ?? action, resource: namedResource(body, prefix) }];
}

/** Services that say what they do in the path. */
function restCalls(request: AwsRequest, prefix: string): IamCall | undefined {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (invoked) {
    const arn = `arn:aws:lambda:${localRegion}:${localAccount}:function:${invoked}`;
    return {
      action: 'lambda:InvokeFunction',
      resource: invoked.startsWith('arn:') ? invoked : arn,
    };
  }
  const schedule = /^\/schedules\/([^/]+)$/.exec(path)?.[1];
  if (schedule)
    return { action: scheduleAction(request.method), resource: scheduleArn(request, schedule) };
  if (path === '/v2/email/outbound-emails') return sentMail(request);
  if (request.headers['x-amz-target']) return undefined;
  const action = new URLSearchParams(request.body).get('Action');
  return { action: `${prefix}:${action ?? `${request.method} ${path}`}`, resource: '*' };
}

/** A schedule is given the role that it acts as. */
function passedRoles({ action }: IamCall, request: AwsRequest): IamCall[] {
  if (!/^scheduler:(Create|Update)Schedule$/.test(action)) return [];
  const { RoleArn } = { ...(parseObject(request.body).Target as { RoleArn?: string } | undefined) };
  return RoleArn === undefined ? [] : [{ action: 'iam:PassRole', resource: RoleArn }];
}

function sentMail(request: AwsRequest): IamCall {
  const from = String(parseObject(request.body).FromEmailAddress ?? '*');
  const address = /<([^>]*)>\s*$/.exec(from)?.[1] ?? from;
  const resource = `arn:aws:ses:${localRegion}:${localAccount}:identity/${address}`;
  return { action: 'ses:SendEmail', resource: address === '*' ? '*' : resource };
}

function scheduleAction(method: string): string {
  const actions: Readonly<Record<string, string>> = {
    GET: 'GetSchedule',
    POST: 'CreateSchedule',
    PUT: 'UpdateSchedule',
    DELETE: 'DeleteSchedule',
  };
  return `scheduler:${actions[method] ?? method}`;
}

function scheduleArn(request: AwsRequest, schedule: string): string {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const group = query.get('groupName') ?? parseObject(request.body).GroupName ?? 'default';
  return `arn:aws:scheduler:${localRegion}:${localAccount}:schedule/${group}/${schedule}`;
}

function busCalls(body: Readonly<Record<string, unknown>>, names: ResourceNames): IamCall[] {
  const entries = Array.isArray(body.Entries) ? (body.Entries as { EventBusName?: string }[]) : [];
  const buses = [...new Set(entries.map(({ EventBusName }) => EventBusName ?? 'default'))];
  return buses.map((bus) => ({
    action: 'events:PutEvents',
    resource:
      bus.split('/').at(-1) === names.eventBusName
        ? 'bus'
        : `arn:aws:events:${localRegion}:${localAccount}:event-bus/${bus}`,
  }));
}

/** ARN of what a JSON request names, as far as it names one. */
function namedResource(body: Readonly<Record<string, unknown>>, prefix: string): string {
  const texts = Object.entries(body).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const arn = texts.find(([, value]) => value.startsWith('arn:'))?.[1];
  if (arn) return arn;
  const values = Object.fromEntries(texts);
  if (values.QueueUrl)
    return `arn:aws:sqs:${localRegion}:${localAccount}:${values.QueueUrl.split('/').at(-1)}`;
  if (values.QueueName) return `arn:aws:sqs:${localRegion}:${localAccount}:${values.QueueName}`;
  if (values.SecretId) {
    return `arn:aws:secretsmanager:${localRegion}:${localAccount}:secret:${values.SecretId}`;
  }
  if (prefix === 'ssm' && values.Name) {
    return `arn:aws:ssm:${localRegion}:${localAccount}:parameter/${values.Name.replace(/^\//, '')}`;
  }
  return '*';
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
