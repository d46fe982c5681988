import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import {
  events,
  files,
  type Grant,
  indexQueries,
  items,
  objects,
  secrets,
} from '../../../../shared/module/grants.ts';
import { readGrants } from '../../../helpers/grants/policy-grants.ts';
import { aModule, plain, stackOf, standaloneTemplate } from '../synthesise.ts';

const template = standaloneTemplate({ stage: 'prod' });
const grants = readGrants(plain(template));

/** Every action that a function may be granted; a new one is a decision, not a side effect. */
const ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:DescribeStream',
  'dynamodb:GetItem',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
  'events:PutEvents',
  'iam:PassRole',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  's3:AbortMultipartUpload',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
  's3:GetObject',
  's3:GetObjectVersion',
  's3:ListBucketVersions',
  's3:PutObject',
  'scheduler:CreateSchedule',
  'scheduler:DeleteSchedule',
  'secretsmanager:GetSecretValue',
  'lambda:InvokeFunction',
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
  'sqs:SendMessage',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

/** Reading the stream: its records have no leading key. */
const ON_STREAM = [
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];

/** The only actions that AWS offers on no resource but `*`. */
const WITHOUT_RESOURCE = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];

describe('every function', () => {
  it('has a role of its own that only Lambda may take', () => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role')).flatMap(([id, role]) =>
      id.includes('ScheduleRole') ? [] : [role],
    );

    expect(roles).toHaveLength(Object.keys(template.findResources('AWS::Lambda::Function')).length);
    for (const { Properties } of roles) {
      expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
        {
          Action: 'sts:AssumeRole',
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
        },
      ]);
    }
  });

  it('leaves one other role: that of the schedules of timers, which calls one function', () => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.includes('ScheduleRole'),
    );

    expect(roles).toHaveLength(1);
    const { Principal } = roles[0]?.[1]?.Properties.AssumeRolePolicyDocument.Statement[0] ?? {};
    expect(Principal).toEqual({ Service: 'scheduler.amazonaws.com' });
    const policies = template.findResources('AWS::IAM::Policy', {
      Properties: { Roles: [{ Ref: roles[0]?.[0] }] },
    });
    const actions = Object.values(policies).flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }: { Action: unknown }) => Action),
    );
    expect(actions).toContain('lambda:InvokeFunction');
    expect(actions.filter((action) => !/^(lambda:Invoke|sqs:|kms:)/.test(String(action)))).toEqual(
      [],
    );
  });

  it('has no managed policy', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));

    expect(roles.filter(({ Properties }) => Properties.ManagedPolicyArns)).toEqual([]);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
  });

  it('may do nothing beyond the list of actions, and no wildcard stands for an action', () => {
    const granted = new Set(grants.flatMap(({ actions }) => actions));

    expect([...granted].filter((action) => !ACTIONS.includes(action))).toEqual([]);
  });

  it('is limited to named resources, except where AWS has none', () => {
    const unlimited = grants.filter(({ resources }) => resources.includes('*'));

    expect([...new Set(unlimited.flatMap(({ actions }) => actions))].sort()).toEqual(
      WITHOUT_RESOURCE,
    );
  });

  it('reaches items by the partition keys of its module only', () => {
    const onItems = grants.filter(({ actions }) =>
      actions.some((action) => action.startsWith('dynamodb:') && !ON_STREAM.includes(action)),
    );

    expect(onItems).not.toEqual([]);
    for (const { leadingKeys = [] } of onItems) {
      expect(leadingKeys).not.toEqual([]);
      for (const key of leadingKeys) {
        expect(key).toMatch(/^[A-Za-z0-9_.#@-]+\*?$/);
      }
    }
  });
});

describe('the settings function', () => {
  it('reaches settings, the outbox, its claims of messages and its kept answers, nothing of another module', () => {
    const keys = grants
      .filter(({ module, resources }) => module === 'settings' && resources.includes('table'))
      .flatMap(({ leadingKeys }) => leadingKeys);

    expect([...new Set(keys)].sort()).toEqual([
      'IDEM#settings#*',
      'message#*',
      'message_tracking#svc-cloud-config#*',
      'message_tracking#svc-cloud-config-jobs#*',
      'received_messages#svc-cloud-config#*',
      'received_messages#svc-cloud-config-jobs#*',
      'setting#*',
    ]);
  });

  it('follows a renamed tracking table', () => {
    const renamed = standaloneTemplate({
      stage: 'prod',
      config: { 'mq.message-tracking-table': 'inbox' },
    });

    const keys = readGrants(plain(renamed)).flatMap(({ leadingKeys }) => leadingKeys ?? []);

    expect(keys).toContain('inbox#svc-cloud-config#*');
    expect(keys.filter((key) => key.startsWith('message_tracking'))).toEqual([]);
  });
});

describe('the grants of a row', () => {
  function itemStatements(...grants: Grant[]) {
    const stack = stackOf([aModule({ grants: () => grants })]);
    return readGrants(plain(Template.fromStack(stack))).filter(({ leadingKeys }) => leadingKeys);
  }

  it('name an action in one statement, so that a transaction over several keys stays possible', () => {
    const statements = itemStatements(
      items(['order#*'], ['GetItem', 'PutItem'], 'Orders.'),
      items(['IDEM#orders#*'], ['GetItem', 'PutItem'], 'Orders.'),
      items(['order#@head'], ['UpdateItem'], 'Orders.'),
    );

    expect(statements).toMatchObject([
      {
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        leadingKeys: ['IDEM#orders#*', 'order#*'],
      },
      { actions: ['dynamodb:UpdateItem'], leadingKeys: ['order#@head'] },
    ]);
  });

  it('keep table and indexes apart', () => {
    const statements = itemStatements(
      items(['order#*'], ['Query'], 'Orders.'),
      indexQueries('gsi1', ['order'], 'Lists.'),
      indexQueries('gsi2', ['customer#*'], 'Lists.'),
    );

    expect(statements.map(({ resources, leadingKeys }) => [...resources, leadingKeys])).toEqual([
      ['table', ['order#*']],
      ['table/index/gsi1', ['order']],
      ['table/index/gsi2', ['customer#*']],
    ]);
  });

  it('delete files with all their versions, which are listed below their prefix only', () => {
    const stack = stackOf([aModule({ grants: () => [files(['things/'], 'Files of things.')] })]);
    const template = Template.fromStack(stack);

    const onBucket = readGrants(plain(template)).filter(({ resources }) =>
      resources.some((resource) => resource.startsWith('bucket')),
    );

    expect(onBucket).toMatchObject([
      {
        actions: [
          's3:AbortMultipartUpload',
          's3:DeleteObjectVersion',
          's3:GetObject',
          's3:PutObject',
        ],
        resources: ['bucket/things/*'],
      },
      { actions: ['s3:ListBucketVersions'], resources: ['bucket'] },
    ]);
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 's3:ListBucketVersions',
            Condition: { StringLike: { 's3:prefix': ['things/*'] } },
          }),
        ]),
      },
    });
  });

  it('reach objects and secrets by prefix, and the bus', () => {
    const stack = stackOf([
      aModule({
        grants: () => [
          objects(['outbox/'], ['PutObject'], 'Bodies.'),
          secrets(['shop/'], 'Keys.'),
          events('Orders.'),
        ],
      }),
    ]);

    const granted = readGrants(plain(Template.fromStack(stack))).filter(
      ({ isForLambda }) => !isForLambda,
    );

    expect(granted).toMatchObject([
      { actions: ['s3:PutObject'], resources: ['bucket/outbox/*'] },
      {
        actions: ['secretsmanager:GetSecretValue'],
        resources: ['arn:aws:secretsmanager:*:*:secret:shop/*'],
      },
      { actions: ['events:PutEvents'], resources: ['bus'] },
    ]);
  });
});
