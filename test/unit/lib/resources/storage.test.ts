import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { plain, standaloneTemplate } from '../synthesise.ts';

const local = standaloneTemplate({ stage: 'local' });
const prod = standaloneTemplate({ stage: 'prod' });

describe('the table', () => {
  it('has the keys, indexes, stream and expiry that every module relies on', () => {
    const index = (name: string) => ({
      IndexName: name,
      KeySchema: [
        { AttributeName: `${name}pk`, KeyType: 'HASH' },
        { AttributeName: `${name}sk`, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['type', 'summary'] },
    });

    prod.resourceCountIs('AWS::DynamoDB::Table', 1);
    prod.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [index('gsi1'), index('gsi2')],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });
});

describe('the bucket', () => {
  it('keeps versions and is closed to the public', () => {
    prod.resourceCountIs('AWS::S3::Bucket', 1);
    prod.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
        ],
      },
    });
  });

  it('refuses everything but TLS', () => {
    prod.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 's3:*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  it('expires bodies of messages after 30 days, but no body of a dead letter', () => {
    const [bucket] = Object.values(prod.findResources('AWS::S3::Bucket'));
    const rules: { Prefix?: string; ExpirationInDays?: number }[] =
      bucket?.Properties.LifecycleConfiguration.Rules;

    const expiring = rules.filter(
      ({ Prefix, ExpirationInDays }) => ExpirationInDays && Prefix?.startsWith('outbox'),
    );

    expect(expiring).toMatchObject([{ Prefix: 'outbox/2', ExpirationInDays: 30 }]);
    expect('outbox/2026/11/0197').toMatch(/^outbox\/2/);
    expect('outbox/dead/0197').not.toMatch(/^outbox\/2/);
  });
});

describe('files of modules', () => {
  it.each(['entities/exports/', 'entities/imports/', 'entities/rehearsals/'])(
    'expire below %s, old versions too',
    (Prefix) => {
      prod.hasResourceProperties('AWS::S3::Bucket', {
        LifecycleConfiguration: {
          Rules: Match.arrayWith([
            Match.objectLike({
              Prefix,
              ExpirationInDays: 7,
              NoncurrentVersionExpiration: { NoncurrentDays: 1 },
            }),
          ]),
        },
      });
    },
  );

  it('are reached from the origins of web applications by the methods of links, and from no other', () => {
    const origins = ['https://app.example'];
    const template = standaloneTemplate({
      stage: 'prod',
      config: { 'web.cors-origins': origins.join() },
    });

    template.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [
          Match.objectLike({
            AllowedOrigins: origins,
            AllowedMethods: ['GET', 'HEAD', 'PUT'],
            AllowedHeaders: Match.arrayWith(['x-amz-checksum-sha256']),
          }),
        ],
      },
    });
    prod.hasResourceProperties('AWS::S3::Bucket', { CorsConfiguration: Match.absent() });
  });
});

describe('data', () => {
  const dataTypes = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket'];

  it.each(dataTypes)('outlives its stack: %s', (type) => {
    prod.hasResource(type, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it.each(dataTypes)('goes with its stack on the local stage: %s', (type) => {
    local.hasResource(type, { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
  });

  it('cannot be deleted by hand outside the local stage', () => {
    prod.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
    local.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
  });

  it('keeps its logical ids, because another id would be another, empty resource', () => {
    const ids = Object.entries(plain(prod).Resources)
      .filter(([, { Type }]) => dataTypes.includes(Type))
      .map(([logicalId]) => logicalId);

    expect(ids).toEqual(['PlatformStorageTable9E9CC814', 'PlatformStorageBucket6FCEA167']);
  });
});
