import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  type CorsRule,
  HttpMethods,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../configuration/acknowledge.ts';
import { LOCAL_STAGE } from '../configuration/configuration.ts';
import type { Encryption } from './encryption.ts';

export interface StorageProps {
  /** Deployment stage; outside `local` data is retained after the stack. */
  readonly stage: string;
  readonly encryption: Encryption;
  /** Origins of web applications that follow links to files; none: no cross-origin calls. */
  readonly corsOrigins: readonly string[];
  /** Prefixes of files that expire, with the number of days. */
  readonly expiringFiles: Readonly<Record<string, number>>;
}

/** The platform's storage: one table and one versioned bucket. */
export class Storage extends Construct {
  readonly table: Table;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: StorageProps) {
    super(scope, id);
    const { stage, encryption, corsOrigins, expiringFiles } = props;
    const isLocal = stage === LOCAL_STAGE;
    this.table = singleTable(this, isLocal, encryption);
    this.bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      ...encryption.bucket,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // A local cloud supports plain http only, so with IAM enabled this policy would deny every call.
      enforceSSL: !isLocal,
      lifecycleRules: [...Object.entries(expiringFiles).map(expiryOf), ...lifecycleRules],
      ...(corsOrigins.length > 0 && { cors: [corsOf(corsOrigins)] }),
      removalPolicy: isLocal ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    acknowledge(this.bucket, {
      'AwsSolutions::AwsSolutions-S1':
        'Objects are reached through the functions, which log every access with its caller; an account that must log presigned downloads too turns on CloudTrail data events.',
    });
  }
}

function expiryOf([prefix, days]: [string, number]): LifecycleRule {
  return {
    id: `expire-${prefix.replace(/\W+/g, '-').replace(/-$/, '')}`,
    prefix,
    expiration: Duration.days(days),
    noncurrentVersionExpiration: Duration.days(1),
  };
}

/** Browsers download and upload by presigned links, whose signature is the only authorisation. */
function corsOf(origins: readonly string[]): CorsRule {
  return {
    allowedOrigins: [...origins],
    allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT],
    allowedHeaders: ['content-type', 'range', 'x-amz-checksum-sha256'],
    exposedHeaders: ['accept-ranges', 'content-disposition', 'content-range', 'etag'],
    maxAge: 600,
  };
}

function singleTable(scope: Construct, isLocal: boolean, encryption: Encryption): Table {
  const table = new Table(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...encryption.table,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    timeToLiveAttribute: 'ttl',
    deletionProtection: !isLocal,
    removalPolicy: isLocal ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
  for (const indexName of ['gsi1', 'gsi2']) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: `${indexName}pk`, type: AttributeType.STRING },
      sortKey: { name: `${indexName}sk`, type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['type', 'summary'],
    });
  }
  return table;
}

/**
 * Bodies of outbox messages are stored under `outbox/<yyyy>/`, so the prefix `outbox/2` covers all of them and never
 * `outbox/dead/`, which must not expire.
 */
const lifecycleRules: LifecycleRule[] = [
  {
    id: 'expire-outbox-bodies',
    prefix: 'outbox/2',
    expiration: Duration.days(30),
    noncurrentVersionExpiration: Duration.days(1),
  },
  {
    id: 'tidy-versions',
    abortIncompleteMultipartUploadAfter: Duration.days(7),
    expiredObjectDeleteMarker: true,
    noncurrentVersionExpiration: Duration.days(90),
  },
];
