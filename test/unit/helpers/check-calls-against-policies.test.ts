import { describe, expect, it } from 'vitest';
import {
  checkCallsAgainstPolicies,
  describeFindings,
} from '../../helpers/grants/check-calls-against-policies.ts';
import type { Template } from '../../helpers/grants/policy-grants.ts';
import { parseRecordedCalls, type RecordedCall } from '../../helpers/grants/recorded-call.ts';
import { plain, standaloneTemplate } from '../lib/synthesise.ts';

type Statement = Record<string, unknown>;

const tableArn = { 'Fn::GetAtt': ['Table', 'Arn'] };

function onItems(keys: string[], ...actions: string[]): Statement {
  return {
    Effect: 'Allow',
    Action: actions,
    Resource: tableArn,
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } },
  };
}

function aTemplate(...statements: Statement[]): Template {
  return {
    Resources: {
      Table: { Type: 'AWS::DynamoDB::Table' },
      Bucket: { Type: 'AWS::S3::Bucket' },
      Bus: { Type: 'AWS::Events::EventBus' },
      Queue: { Type: 'AWS::SQS::Queue' },
      Role: { Type: 'AWS::IAM::Role', Properties: {} },
      Orders: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
          Environment: { Variables: { SVC_MODULE: 'orders' } },
        },
      },
      Source: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          FunctionName: { Ref: 'Orders' },
          EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
        },
      },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: statements } },
      },
    },
  };
}

function aCall(overrides: Partial<RecordedCall> = {}): RecordedCall {
  return {
    module: 'orders',
    action: 'dynamodb:GetItem',
    resource: 'table',
    leadingKeys: ['order#1'],
    ...overrides,
  };
}

const nothing = { missing: [], unused: [], needlesslyAccepted: [] };

describe('checkCallsAgainstPolicies', () => {
  it('finds nothing when the policies are exactly what was called', () => {
    const template = aTemplate(
      onItems(['order#*'], 'dynamodb:GetItem', 'dynamodb:PutItem'),
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: { 'Fn::GetAtt': ['Bus', 'Arn'] } },
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Bucket', 'Arn'] }, '/outbox/*']] },
      },
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: { 'Fn::Join': ['', [tableArn, '/index/gsi1']] },
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['order'] } },
      },
      {
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':secretsmanager:',
              { Ref: 'AWS::Region' },
              ':',
              { Ref: 'AWS::AccountId' },
              ':secret:svc-cloud/*',
            ],
          ],
        },
      },
    );
    const calls = [
      aCall(),
      aCall({ action: 'dynamodb:PutItem' }),
      aCall({ action: 'dynamodb:Query', resource: 'table/index/gsi1', leadingKeys: ['order'] }),
      { module: 'orders', action: 'events:PutEvents', resource: 'bus' },
      { module: 'orders', action: 's3:GetObject', resource: 'bucket/outbox/2026/11/1' },
      {
        module: 'orders',
        action: 'secretsmanager:GetSecretValue',
        resource: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:svc-cloud/aes-AbCdEf',
      },
    ];

    expect(checkCallsAgainstPolicies(calls, template)).toEqual(nothing);
  });

  it.each([
    ['another action', { action: 'dynamodb:DeleteItem' }, 'no statement for this action'],
    ['another resource', { resource: 'table/index/gsi1' }, 'no statement for this action'],
    ['another key', { leadingKeys: ['user#1'] }, 'on other keys only'],
    ['one key of several', { leadingKeys: ['order#1', 'user#1'] }, 'on other keys only'],
    ['an unknown key', { leadingKeys: [] }, 'without its leading keys'],
    ['another function', { module: 'sales' }, 'no such function'],
  ])('reports a call that is not granted: %s', (_, difference, reason) => {
    const template = aTemplate(onItems(['order#*'], 'dynamodb:GetItem'));
    const call = aCall(difference);

    const { missing } = checkCallsAgainstPolicies([aCall(), call], template);

    expect(missing).toEqual([{ call, reason: expect.stringContaining(reason) }]);
  });

  it('does not add up two statements for one call, as IAM does not', () => {
    const template = aTemplate(
      onItems(['order#*'], 'dynamodb:BatchGetItem'),
      onItems(['user#*'], 'dynamodb:BatchGetItem'),
    );
    const call = aCall({ action: 'dynamodb:BatchGetItem', leadingKeys: ['order#1', 'user#1'] });

    expect(checkCallsAgainstPolicies([call], template).missing).toHaveLength(1);
  });

  it('reports granted actions and key patterns that were never used', () => {
    const template = aTemplate(
      onItems(['order#*', 'user#*'], 'dynamodb:GetItem', 'dynamodb:PutItem'),
    );

    const { unused } = checkCallsAgainstPolicies([aCall()], template);

    expect(unused).toEqual([
      { module: 'orders', action: 'dynamodb:GetItem', resource: 'table', leadingKey: 'user#*' },
      { module: 'orders', action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'order#*' },
      { module: 'orders', action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'user#*' },
    ]);
  });

  it('does not count a call for a wide pattern when a narrow one beside it names the key', () => {
    const template = aTemplate(onItems(['order#*', 'order#@epoch'], 'dynamodb:GetItem'));

    const { unused } = checkCallsAgainstPolicies(
      [aCall({ leadingKeys: ['order#@epoch'] })],
      template,
    );

    expect(unused.map(({ leadingKey }) => leadingKey)).toEqual(['order#*']);
  });

  it('leaves aside what Lambda itself uses: logs, traces and the queues it reads', () => {
    const template = aTemplate(
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': ['Logs', 'Arn'] },
      },
      {
        Effect: 'Allow',
        Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
        Resource: '*',
      },
      {
        Effect: 'Allow',
        Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
        Resource: { 'Fn::GetAtt': ['Queue', 'Arn'] },
      },
    );

    expect(checkCallsAgainstPolicies([], template)).toEqual(nothing);
  });

  it('accepts named grants that no recording shows, as long as they are granted and unused', () => {
    const template = aTemplate(onItems(['order#*'], 'dynamodb:GetItem', 'dynamodb:DeleteItem'));
    const grant = { module: 'orders', resource: 'table', leadingKey: 'order#*', reason: 'rare' };
    const rare = { ...grant, action: 'dynamodb:DeleteItem' };
    const used = { ...grant, action: 'dynamodb:GetItem' };

    const findings = checkCallsAgainstPolicies([aCall()], template, [rare, used]);

    expect(findings).toEqual({ ...nothing, needlesslyAccepted: [used] });
  });

  it('accepts named grants that calls may happen to use, used or not', () => {
    const template = aTemplate(onItems(['order#*'], 'dynamodb:GetItem', 'dynamodb:BatchGetItem'));
    const grant = { module: 'orders', resource: 'table', leadingKey: 'order#*', mayHappen: true };
    const [used, rare] = ['dynamodb:GetItem', 'dynamodb:BatchGetItem'].map((action) => ({
      ...{ ...grant, action, reason: 'a sweep' },
    }));

    const findings = checkCallsAgainstPolicies(
      [aCall()],
      template,
      [used, rare].flatMap((a) => a ?? []),
    );

    expect(findings).toEqual(nothing);
  });

  it('leaves named grants of functions aside that the template does not have', () => {
    const template = aTemplate(onItems(['order#*'], 'dynamodb:GetItem'));
    const grant = { action: 'dynamodb:GetItem', resource: 'table', leadingKey: 'bill#*' };

    const findings = checkCallsAgainstPolicies([aCall()], template, [
      { ...grant, module: 'bills', reason: 'switched off' },
    ]);

    expect(findings).toEqual(nothing);
  });

  it.each([
    ['Deny', { Effect: 'Deny', Action: 's3:GetObject', Resource: '*' }],
    ['NotAction', { Effect: 'Allow', NotAction: 's3:GetObject', Resource: '*' }],
  ])('refuses to judge a statement it does not understand: %s', (_, statement) => {
    expect(() => checkCallsAgainstPolicies([], aTemplate(statement))).toThrow('is not understood');
  });

  it('reads the template of the platform', () => {
    const { unused } = checkCallsAgainstPolicies([], plain(standaloneTemplate({ stage: 'prod' })));

    expect(unused).toContainEqual({
      module: 'settings',
      action: 'dynamodb:GetItem',
      resource: 'table',
      leadingKey: 'setting#*',
    });
    expect(unused).toContainEqual({
      module: 'settings',
      action: 'events:PutEvents',
      resource: 'bus',
    });
  });
});

describe('describeFindings', () => {
  it('is empty when there is nothing to say', () => {
    expect(describeFindings(nothing)).toBe('');
  });

  it('says each finding once', () => {
    const template = aTemplate(onItems(['order#*'], 'dynamodb:GetItem'));
    const call = aCall({ action: 'dynamodb:PutItem' });

    const text = describeFindings(checkCallsAgainstPolicies([call, call], template));

    expect(text.split('\n')).toEqual([
      'missing: orders dynamodb:PutItem table order#1: the role has no statement for this action on this resource',
      'never used: orders dynamodb:GetItem table order#*',
    ]);
  });
});

describe('parseRecordedCalls', () => {
  it('reads one call per line', () => {
    const call = aCall();

    expect(parseRecordedCalls(`${JSON.stringify(call)}\n\n`)).toEqual([call]);
  });

  it.each(['{"module":"orders"}', 'nothing', '[]'])(
    'names the line that is no call: %s',
    (line) => {
      expect(() => parseRecordedCalls(`${JSON.stringify(aCall())}\n${line}`)).toThrow('Line 2');
    },
  );
});
