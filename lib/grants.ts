import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Messaging } from './messaging.ts';
import type { Storage } from './storage.ts';

/**
 * What a function may do with items. There is no Scan and no PartiQL: for these actions AWS always supplies the
 * leading key, so the condition on it cannot be evaded.
 */
export type ItemAction =
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';

/** What a function may do with objects of the bucket. */
export type ObjectAction =
  | 'AbortMultipartUpload'
  | 'DeleteObject'
  | 'GetObject'
  | 'GetObjectVersion'
  | 'PutObject';

/** One permission of a function, limited to an action list and to keys. */
export type Grant =
  | {
      readonly on: 'table';
      readonly index?: 'gsi1' | 'gsi2';
      readonly leadingKeys: readonly string[];
      readonly actions: readonly ItemAction[];
    }
  | {
      readonly on: 'bucket';
      readonly keyPrefixes: readonly string[];
      readonly actions: readonly ObjectAction[];
    }
  | { readonly on: 'bus' }
  | { readonly on: 'secret'; readonly namePrefixes: readonly string[] };

/** What grants refer to. */
export interface GrantResources {
  readonly storage: Storage;
  readonly messaging: Messaging;
}

/**
 * Items of the table whose partition key matches one of the patterns (`setting#*`).
 * @param leadingKeys whole keys, or prefixes that end in `*`.
 */
export function items(leadingKeys: readonly string[], actions: readonly ItemAction[]): Grant {
  return { on: 'table', leadingKeys, actions };
}

/** Queries of an index below partition keys that match one of the patterns. */
export function indexQueries(index: 'gsi1' | 'gsi2', leadingKeys: readonly string[]): Grant {
  return { on: 'table', index, leadingKeys, actions: ['Query'] };
}

/** Objects of the bucket below the prefixes (`outbox/`). */
export function objects(keyPrefixes: readonly string[], actions: readonly ObjectAction[]): Grant {
  return { on: 'bucket', keyPrefixes, actions };
}

/** Putting events on the platform's bus. */
export function events(): Grant {
  return { on: 'bus' };
}

/** Reading secrets whose name begins with one of the prefixes (`svc-cloud/`). */
export function secrets(namePrefixes: readonly string[]): Grant {
  return { on: 'secret', namePrefixes };
}

/** Turns a grant into the policy statement of a role. */
export function statementOf(
  scope: Construct,
  grant: Grant,
  resources: GrantResources,
): PolicyStatement {
  switch (grant.on) {
    case 'table':
      return new PolicyStatement({
        actions: grant.actions.map((action) => `dynamodb:${action}`),
        resources: [
          grant.index
            ? `${resources.storage.table.tableArn}/index/${grant.index}`
            : resources.storage.table.tableArn,
        ],
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...grant.leadingKeys] },
        },
      });
    case 'bucket':
      return new PolicyStatement({
        actions: grant.actions.map((action) => `s3:${action}`),
        resources: grant.keyPrefixes.map((prefix) =>
          resources.storage.bucket.arnForObjects(`${prefix}*`),
        ),
      });
    case 'bus':
      return new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [resources.messaging.bus.eventBusArn],
      });
    case 'secret':
      return new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: grant.namePrefixes.map((prefix) => secretArn(scope, prefix)),
      });
  }
}

function secretArn(scope: Construct, namePrefix: string): string {
  return Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${namePrefix}*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
