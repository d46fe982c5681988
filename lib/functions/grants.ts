import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { ArnFormat, type CfnElement, Stack } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import type { Grant, ItemAction } from '../../shared/module/grants.ts';
import {
  type GrantedServices,
  serviceStatements,
  serviceWildcards,
  shown,
} from './service-grants.ts';

/** Resources that grants refer to. */
export interface GrantResources {
  readonly storage: { readonly table: ITable; readonly bucket: Bucket };
  readonly messaging: { readonly bus: IEventBus };
  readonly services: GrantedServices;
}

/**
 * Turns grants into the policy statements of a role. For items there is one statement per set of keys, and an action
 * stands in one statement only: should AWS check the keys of a batch or a transaction together, that one allows all
 * keys which the role has for the action, where two statements would each refuse the keys of the other.
 */
export function statementsOf(
  scope: Construct,
  grants: readonly Grant[],
  resources: GrantResources,
): PolicyStatement[] {
  return [
    ...itemStatements(grants, resources.storage.table.tableArn),
    ...grants.flatMap((grant) => otherStatements(scope, grant, resources)),
  ];
}

/**
 * Why a grant has a wildcard, per finding of cdk-nag: where names come up at run time a prefix is the least that
 * can be granted.
 */
export function wildcardReasons(
  grant: Grant,
  { storage, services }: GrantResources,
): Record<string, string> {
  const finding = (resource: string) => `AwsSolutions::AwsSolutions-IAM5[Resource::${resource}]`;
  if (grant.on === 'secret') {
    return Object.fromEntries(
      grant.namePrefixes.map((prefix) => [
        finding(shown(services, secretArn(services, prefix))),
        `${grant.reason} Names of secrets come up at run time; only those below ${prefix} may be read.`,
      ]),
    );
  }
  if (grant.on !== 'bucket') return serviceWildcards(grant, services);
  const bucketId = Stack.of(storage.bucket).getLogicalId(
    storage.bucket.node.defaultChild as CfnElement,
  );
  return Object.fromEntries(
    grant.keyPrefixes.map((prefix) => [
      finding(`<${bucketId}.Arn>/${prefix}*`),
      `${grant.reason} Keys of objects are made at run time; only those below ${prefix} are reached.`,
    ]),
  );
}

function otherStatements(
  scope: Construct,
  grant: Grant,
  { storage, messaging, services }: GrantResources,
): PolicyStatement[] {
  switch (grant.on) {
    case 'table':
      return [];
    case 'bucket':
      return [
        new PolicyStatement({
          actions: grant.actions.map((action) => `s3:${action}`),
          resources: grant.keyPrefixes.map((prefix) => storage.bucket.arnForObjects(`${prefix}*`)),
        }),
        ...(grant.listsVersions ? [versionListing(grant.keyPrefixes, storage.bucket)] : []),
      ];
    case 'state-machine':
    case 'schedules':
    case 'mail':
    case 'generated-secret':
      return serviceStatements(grant, services);
    case 'bus':
      return [
        new PolicyStatement({
          actions: ['events:PutEvents'],
          resources: [messaging.bus.eventBusArn],
        }),
      ];
    case 'secret':
      return [
        new PolicyStatement({
          actions: ['secretsmanager:GetSecretValue'],
          resources: grant.namePrefixes.map((prefix) => secretArn(scope, prefix)),
        }),
      ];
  }
}

/** Versions are listed by the bucket, below the same prefixes. */
function versionListing(keyPrefixes: readonly string[], bucket: Bucket): PolicyStatement {
  return new PolicyStatement({
    actions: ['s3:ListBucketVersions'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': keyPrefixes.map((prefix) => `${prefix}*`) } },
  });
}

function itemStatements(grants: readonly Grant[], tableArn: string): PolicyStatement[] {
  const onItems = grants.filter((grant) => grant.on === 'table');
  return [...new Set(onItems.map(({ index }) => index))].flatMap((index) => {
    const keysByAction = new Map<ItemAction, Set<string>>();
    for (const { actions, leadingKeys } of onItems.filter((grant) => grant.index === index)) {
      for (const action of actions) {
        keysByAction.set(action, new Set([...(keysByAction.get(action) ?? []), ...leadingKeys]));
      }
    }
    const resource = index ? `${tableArn}/index/${index}` : tableArn;
    return actionsWithSameKeys(keysByAction).map(
      ({ actions, leadingKeys }) =>
        new PolicyStatement({
          actions: actions.map((action) => `dynamodb:${action}`),
          resources: [resource],
          conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } },
        }),
    );
  });
}

function actionsWithSameKeys(
  keysByAction: ReadonlyMap<ItemAction, ReadonlySet<string>>,
): { actions: ItemAction[]; leadingKeys: string[] }[] {
  const groups = new Map<string, { actions: ItemAction[]; leadingKeys: string[] }>();
  for (const [action, keys] of keysByAction) {
    const leadingKeys = [...keys].sort();
    const group = groups.get(leadingKeys.join()) ?? { actions: [], leadingKeys };
    group.actions.push(action);
    groups.set(leadingKeys.join(), group);
  }
  return [...groups.values()];
}

function secretArn(scope: IConstruct, namePrefix: string): string {
  return Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${namePrefix}*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
