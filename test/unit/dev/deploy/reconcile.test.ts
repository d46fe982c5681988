import { describe, expect, it } from 'vitest';
import { planReconcile } from '../../../../bin/dev/deploy/reconcile.ts';

function template(resources: Record<string, { Type: string; Properties?: object }>) {
  return {
    Resources: Object.fromEntries(
      Object.entries(resources).map(([id, { Type, Properties }]) => [
        id,
        { Type, Properties: { ...Properties } },
      ]),
    ),
  };
}

describe('planReconcile', () => {
  it('sets the CORS rules of an HTTP API', () => {
    const cors = { AllowOrigins: ['https://app.example'], MaxAge: 60 };
    const stack = template({
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { CorsConfiguration: cors } },
    });

    expect(planReconcile(stack, { Api: 'abc' })).toEqual([{ kind: 'cors', apiId: 'abc', cors }]);
  });

  it('switches the time to live of a table on, unless the template has it off', () => {
    const ttl = (Enabled: boolean) => ({
      Type: 'AWS::DynamoDB::Table',
      Properties: { TimeToLiveSpecification: { Enabled, AttributeName: 'ttl' } },
    });

    const plan = planReconcile(template({ On: ttl(true), Off: ttl(false) }), { On: 'a', Off: 'b' });

    expect(plan).toEqual([{ kind: 'ttl', table: 'a', attribute: 'ttl' }]);
  });

  it('finds the ARN of the dead-letter queue of a function, and its reserved concurrency', () => {
    const stack = template({
      Dead: { Type: 'AWS::SQS::Queue' },
      Relay: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] } },
          ReservedConcurrentExecutions: 2,
        },
      },
    });

    const plan = planReconcile(stack, {
      Dead: 'http://localhost:4566/000000000000/dead',
      Relay: 'relay',
    });

    expect(plan).toEqual([
      {
        kind: 'dead-letter',
        functionName: 'relay',
        target: 'arn:aws:sqs:us-east-1:000000000000:dead',
      },
      { kind: 'concurrency', functionName: 'relay', reserved: 2 },
    ]);
  });

  it('writes the CORS rules of a bucket in the words of the service', () => {
    const rule = {
      AllowedOrigins: ['https://app.example'],
      AllowedMethods: ['PUT'],
      AllowedHeaders: ['content-type'],
      ExposedHeaders: ['etag'],
      MaxAge: 600,
    };
    const stack = template({
      Bucket: { Type: 'AWS::S3::Bucket', Properties: { CorsConfiguration: { CorsRules: [rule] } } },
      Other: { Type: 'AWS::S3::Bucket' },
    });

    expect(planReconcile(stack, { Bucket: 'files', Other: 'other' })).toEqual([
      {
        kind: 'bucket-cors',
        bucket: 'files',
        rules: [
          {
            AllowedOrigins: ['https://app.example'],
            AllowedMethods: ['PUT'],
            AllowedHeaders: ['content-type'],
            ExposeHeaders: ['etag'],
            MaxAgeSeconds: 600,
          },
        ],
      },
    ]);
  });

  it('writes the lifecycle of a bucket in the words of the service', () => {
    const stack = template({
      Bucket: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          LifecycleConfiguration: {
            Rules: [
              {
                Id: 'old',
                Status: 'Enabled',
                NoncurrentVersionExpiration: { NoncurrentDays: 30 },
                AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
              },
              { Status: 'Enabled', Prefix: 'tmp/', ExpirationInDays: 1 },
            ],
          },
        },
      },
    });

    expect(planReconcile(stack, { Bucket: 'b' })).toEqual([
      {
        kind: 'lifecycle',
        bucket: 'b',
        rules: [
          {
            ID: 'old',
            Status: 'Enabled',
            Filter: { Prefix: '' },
            NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
          },
          {
            ID: undefined,
            Status: 'Enabled',
            Filter: { Prefix: 'tmp/' },
            Expiration: { Days: 1 },
          },
        ],
      },
    ]);
  });

  it('leaves resources alone that were not made', () => {
    const stack = template({
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { CorsConfiguration: {} } },
    });

    expect(planReconcile(stack, {})).toEqual([]);
  });
});
