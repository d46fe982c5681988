import { TableEncryption, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import { QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { LOCAL_STAGE } from '../configuration/configuration.ts';

/** Encryption keys of stored data: AWS-managed keys or a customer-managed key. */
export interface EncryptionProps {
  readonly stage: string;
  /**
   * Customer-managed key for table, bucket, queues, bus, alarm topic, logs and environments of functions: a key, the
   * ARN of one, or `create` for one of the stack. Keys of the services when left out. The policy of a key that is
   * named by its ARN has to let the services in; that of any other is extended.
   */
  readonly key?: IKey | string | undefined;
}

/** Services that use the key directly, besides the functions. */
const SERVICES = ['events.amazonaws.com', 'cloudwatch.amazonaws.com', 'sns.amazonaws.com'];

/** Encryption at rest of everything the platform stores. */
export class Encryption extends Construct {
  /** The customer-managed key; `undefined`: AWS-managed keys. */
  readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, { stage, key }: EncryptionProps) {
    super(scope, id);
    this.key = typeof key === 'string' ? this.#named(key, stage) : key;
    if (this.key) letServicesUse(this.key, Stack.of(this));
  }

  get table(): Pick<TableProps, 'encryption' | 'encryptionKey'> {
    return this.key
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.key }
      : {};
  }

  get bucket(): Pick<BucketProps, 'encryption' | 'encryptionKey' | 'bucketKeyEnabled'> {
    return this.key
      ? { encryption: BucketEncryption.KMS, encryptionKey: this.key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED };
  }

  get queue(): Pick<QueueProps, 'encryption' | 'encryptionMasterKey'> {
    return this.key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: this.key }
      : { encryption: QueueEncryption.SQS_MANAGED };
  }

  #named(key: string, stage: string): IKey {
    if (key !== 'create') return Key.fromKeyArn(this, 'Key', key);
    return new Key(this, 'Key', {
      description: `Data of svc-cloud, stage ${stage}`,
      enableKeyRotation: true,
      removalPolicy: stage === LOCAL_STAGE ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
  }
}

/** EventBridge, CloudWatch alarms and SNS send to encrypted queues and topics; CloudWatch Logs encrypts. */
function letServicesUse(key: IKey, { account, region, partition }: Stack): void {
  for (const service of SERVICES) {
    key.grant(
      new ServicePrincipal(service, {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
      'kms:Decrypt',
      'kms:GenerateDataKey*',
    );
  }
  key.grantEncryptDecrypt(
    new ServicePrincipal(`logs.${region}.amazonaws.com`, {
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      },
    }),
  );
}
