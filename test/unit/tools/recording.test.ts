import { describe, expect, it } from 'vitest';
import { type AwsRequest, callingModule } from '../../tools/recording/aws-request.ts';
import { iamCalls } from '../../tools/recording/iam-calls.ts';

const names = { tableName: 'T', bucketName: 'B', eventBusName: 'bus-1' };

function signed(service: string, request: Partial<AwsRequest>): AwsRequest {
  const authorization = `AWS4-HMAC-SHA256 Credential=ASIA/20260101/us-east-1/${service}/aws4_request, Signature=0`;
  const { headers, ...rest } = request;
  return { method: 'POST', url: '/', body: '', ...rest, headers: { authorization, ...headers } };
}

function dynamodb(operation: string, body: object): AwsRequest {
  return signed('dynamodb', {
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(body),
  });
}

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });

describe('callingModule', () => {
  it.each([
    ['aws-sdk-js/3.1 ua/2.1 app/svc-cloud-settings md/x', 'settings'],
    ['aws-sdk-js/3.1 app/svc-cloud-settings-/1', 'settings'],
    ['aws-sdk-js/3.1 app/svc-cloud-messaging-relay', 'messaging-relay'],
    ['aws-sdk-js/3.1 app/other', undefined],
    [undefined, undefined],
  ])('of %s is %s', (userAgent, module) => {
    expect(callingModule(userAgent)).toBe(module);
  });
});

describe('iamCalls of DynamoDB', () => {
  it.each([
    ['GetItem', { TableName: 'T', Key: key('setting#a') }, ['setting#a']],
    ['PutItem', { TableName: 'T', Item: key('setting#b') }, ['setting#b']],
    ['BatchGetItem', { RequestItems: { T: { Keys: [key('a'), key('a'), key('b')] } } }, ['a', 'b']],
    [
      'BatchWriteItem',
      {
        RequestItems: {
          T: [{ PutRequest: { Item: key('a') } }, { DeleteRequest: { Key: key('b') } }],
        },
      },
      ['a', 'b'],
    ],
  ])('finds the partition keys of %s', (operation, body, leadingKeys) => {
    expect(iamCalls(dynamodb(operation, body), names)).toEqual([
      { action: `dynamodb:${operation}`, resource: 'table', leadingKeys },
    ]);
  });

  it('finds the partition that a query of an index reads', () => {
    const request = dynamodb('Query', {
      TableName: 'T',
      IndexName: 'gsi1',
      KeyConditionExpression: '#p = :p AND begins_with(#s, :s)',
      ExpressionAttributeNames: { '#p': 'gsi1pk', '#s': 'gsi1sk' },
      ExpressionAttributeValues: { ':p': { S: 'setting' }, ':s': { S: 'a' } },
    });

    expect(iamCalls(request, names)).toEqual([
      { action: 'dynamodb:Query', resource: 'table/index/gsi1', leadingKeys: ['setting'] },
    ]);
  });

  it('takes a transaction apart', () => {
    const request = dynamodb('TransactWriteItems', {
      TransactItems: [
        { Put: { TableName: 'T', Item: key('message#1') } },
        { ConditionCheck: { TableName: 'T', Key: key('setting#a') } },
      ],
    });

    expect(iamCalls(request, names)).toEqual([
      { action: 'dynamodb:PutItem', resource: 'table', leadingKeys: ['message#1'] },
      { action: 'dynamodb:ConditionCheckItem', resource: 'table', leadingKeys: ['setting#a'] },
    ]);
  });

  it('names the table of somebody else', () => {
    const [call] = iamCalls(dynamodb('Scan', { TableName: 'other' }), names);

    expect(call).toEqual({ action: 'dynamodb:Scan', resource: 'arn:aws:dynamodb:*:*:table/other' });
  });
});

describe('iamCalls of S3', () => {
  it.each([
    ['GET', '/B/a%20b/c', 's3:GetObject', 'bucket/a b/c'],
    ['HEAD', '/B/k', 's3:GetObject', 'bucket/k'],
    ['GET', '/B/k?versionId=1', 's3:GetObjectVersion', 'bucket/k'],
    ['PUT', '/B/k?partNumber=1&uploadId=u', 's3:PutObject', 'bucket/k'],
    ['POST', '/B/k?uploads', 's3:PutObject', 'bucket/k'],
    ['DELETE', '/B/k?uploadId=u', 's3:AbortMultipartUpload', 'bucket/k'],
    ['DELETE', '/B/k', 's3:DeleteObject', 'bucket/k'],
    ['GET', '/B?versions=&prefix=k', 's3:ListBucketVersions', 'bucket'],
    ['GET', '/B?list-type=2&prefix=a', 's3:ListBucket', 'bucket'],
    ['GET', '/other/k', 's3:GetObject', 'arn:aws:s3:::other/k'],
  ])('%s %s is %s on %s', (method, url, action, resource) => {
    expect(iamCalls(signed('s3', { method, url }), names)).toEqual([{ action, resource }]);
  });

  it('sees that a copy reads its source', () => {
    const headers = { 'x-amz-copy-source': 'B/from%20here?versionId=7' };

    expect(iamCalls(signed('s3', { method: 'PUT', url: '/B/to', headers }), names)).toEqual([
      { action: 's3:PutObject', resource: 'bucket/to' },
      { action: 's3:GetObjectVersion', resource: 'bucket/from here' },
    ]);
  });

  it('sees every object of a bulk delete', () => {
    const body =
      '<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>c</Key></Object><Object><Key>d</Key><VersionId>1</VersionId></Object></Delete>';

    expect(iamCalls(signed('s3', { url: '/B?delete=', body }), names)).toEqual([
      { action: 's3:DeleteObject', resource: 'bucket/a&b' },
      { action: 's3:DeleteObject', resource: 'bucket/c' },
      { action: 's3:DeleteObjectVersion', resource: 'bucket/d' },
    ]);
  });
});

describe('iamCalls of other services', () => {
  const json = (service: string, target: string, body: object): AwsRequest =>
    signed(service, { headers: { 'x-amz-target': target }, body: JSON.stringify(body) });

  it.each([
    [
      json('events', 'AWSEvents.PutEvents', { Entries: [{ EventBusName: 'bus-1' }] }),
      'events:PutEvents',
      'bus',
    ],
    [
      json('sqs', 'AmazonSQS.SendMessageBatch', { QueueUrl: 'http://h:1/000000000000/q' }),
      'sqs:SendMessage',
      'arn:aws:sqs:us-east-1:000000000000:q',
    ],
    [
      json('secretsmanager', 'secretsmanager.GetSecretValue', { SecretId: 'svc-cloud/aes' }),
      'secretsmanager:GetSecretValue',
      'arn:aws:secretsmanager:us-east-1:000000000000:secret:svc-cloud/aes',
    ],
    [
      json('states', 'AWSStepFunctions.StartExecution', {
        stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
      }),
      'states:StartExecution',
      'arn:aws:states:us-east-1:000000000000:stateMachine:m',
    ],
    [
      signed('lambda', { url: '/2015-03-31/functions/f/invocations' }),
      'lambda:InvokeFunction',
      'arn:aws:lambda:us-east-1:000000000000:function:f',
    ],
    [
      signed('scheduler', { url: '/schedules/s', body: '{"GroupName":"g"}' }),
      'scheduler:CreateSchedule',
      'arn:aws:scheduler:us-east-1:000000000000:schedule/g/s',
    ],
    [signed('ses', { url: '/v2/email/outbound-emails' }), 'ses:SendEmail', '*'],
    [
      signed('ses', {
        url: '/v2/email/outbound-emails',
        body: '{"FromEmailAddress":"The shop <shop@example.com>"}',
      }),
      'ses:SendEmail',
      'arn:aws:ses:us-east-1:000000000000:identity/shop@example.com',
    ],
  ])('knows what %# does', (request, action, resource) => {
    expect(iamCalls(request, names)).toEqual([{ action, resource }]);
  });

  it('sees the role that a schedule is given', () => {
    const RoleArn = 'arn:aws:iam::000000000000:role/shop-orders';
    const body = JSON.stringify({ GroupName: 'g', Target: { RoleArn } });

    expect(
      iamCalls(signed('scheduler', { method: 'PUT', url: '/schedules/s', body }), names),
    ).toEqual([
      {
        action: 'scheduler:UpdateSchedule',
        resource: 'arn:aws:scheduler:us-east-1:000000000000:schedule/g/s',
      },
      { action: 'iam:PassRole', resource: RoleArn },
    ]);
  });
});
