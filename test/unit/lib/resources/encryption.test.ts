import { describe, expect, it } from 'vitest';
import { plain, standaloneTemplate } from '../synthesise.ts';

const ARN = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';
const templateWith = (config: Record<string, unknown>) =>
  plain(standaloneTemplate({ stage: 'prod', config }));
type Resource = ReturnType<typeof templateWith>['Resources'][string];

/** Follows a path of members; `undefined` where it ends early. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (node, name) => (node as Record<string, unknown> | undefined)?.[name],
    value,
  );

/** What must not be readable without the key, and where it names the key. */
const ENCRYPTED: readonly [type: string, path: readonly (string | number)[]][] = [
  ['AWS::DynamoDB::Table', ['SSESpecification', 'KMSMasterKeyId']],
  [
    'AWS::S3::Bucket',
    [
      'BucketEncryption',
      'ServerSideEncryptionConfiguration',
      0,
      'ServerSideEncryptionByDefault',
      'KMSMasterKeyID',
    ],
  ],
  ['AWS::SQS::Queue', ['KmsMasterKeyId']],
  ['AWS::SNS::Topic', ['KmsMasterKeyId']],
  ['AWS::Events::EventBus', ['KmsKeyIdentifier']],
  ['AWS::Logs::LogGroup', ['KmsKeyId']],
  ['AWS::Lambda::Function', ['KmsKeyArn']],
];

const ofType = (template: ReturnType<typeof templateWith>, type: string): Resource[] =>
  Object.values(template.Resources).filter(({ Type }) => Type === type);

describe('svc.security.kms-key', () => {
  const own = templateWith({});
  const created = templateWith({ 'security.kms-key': 'create' });
  const named = templateWith({ 'security.kms-key': ARN });

  it('is off: keys of the services, and no key of the stack', () => {
    const keys = ENCRYPTED.flatMap(([type, path]) =>
      ofType(own, type).map(({ Properties }) => at(Properties, ...path)),
    );

    expect(keys.filter((key) => key !== undefined)).toEqual([]);
    expect(ofType(own, 'AWS::KMS::Key')).toEqual([]);
  });

  it.each(ENCRYPTED)('encrypts every %s', (type, path) => {
    const keyOf = ({ Properties }: Resource) => at(Properties, ...path);
    const resources = ofType(created, type);
    const [logicalId] = Object.entries(created.Resources).find(
      ([, { Type }]) => Type === 'AWS::KMS::Key',
    ) ?? [''];

    expect(resources.length).toBeGreaterThan(0);
    for (const resource of resources) {
      expect(keyOf(resource)).toEqual({ 'Fn::GetAtt': [logicalId, 'Arn'] });
    }
    for (const resource of ofType(named, type)) expect(keyOf(resource)).toBe(ARN);
  });

  it('makes a key that rotates and outlives the stack, as the data does', () => {
    const [key] = ofType(created, 'AWS::KMS::Key');

    expect(key).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    });
  });

  it('lets the services in that hand messages on, of this account only', () => {
    const [key] = ofType(created, 'AWS::KMS::Key');
    const statements = at(key?.Properties, 'KeyPolicy', 'Statement') as {
      Principal: { Service?: unknown };
      Condition?: unknown;
    }[];
    const services = statements.filter(({ Principal }) => Principal.Service !== undefined);

    expect(JSON.stringify(services.map(({ Principal }) => Principal.Service))).toMatch(
      /cloudwatch\.amazonaws\.com.*events\.amazonaws\.com.*sns\.amazonaws\.com.*logs\./,
    );
    expect(services.filter(({ Condition }) => Condition === undefined)).toEqual([]);
  });

  it('lets the functions use the key, and no other', () => {
    const withKms = ofType(named, 'AWS::IAM::Policy').filter(({ Properties }) =>
      JSON.stringify(Properties?.PolicyDocument).includes('kms:'),
    );
    const roleOf = (text: string | undefined) =>
      /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(text ?? '')?.[1];
    const allowed = withKms.map(({ Properties }) => roleOf(JSON.stringify(Properties?.Roles)));

    for (const { Properties } of ofType(named, 'AWS::Lambda::Function'))
      expect(allowed).toContain(roleOf(JSON.stringify(Properties?.Role)));
    for (const { Properties } of withKms)
      expect(JSON.stringify(Properties?.PolicyDocument)).toContain(ARN);
  });

  it('refuses what is no key', () => {
    expect(() => templateWith({ 'security.kms-key': 'alias/mine' })).toThrow(
      /svc\.security\.kms-key.*must be create or the ARN of a key/,
    );
  });
});
