import type { Key } from '../../../shared/store/table.ts';
import { keyPart } from './key-part.ts';

/*
 * Access patterns: definitions of a tenant (empty: of no tenant)
 *   head of a workflow            get    WF#<tenant>#@codes / <code>
 *   workflows of a tenant         query  WF#<tenant>#@codes
 *   a version                     get    WF#<tenant>#<code> / V#<number>
 *   versions, newest first        query  WF#<tenant>#<code>, reversed
 *   version of a deployment       get    WF#<tenant>#@deployments / <deployment id>
 *   deployments, newest first     query  WF#<tenant>#@deployments, reversed
 *   published cases of a key      query  WF#<tenant>#@cases / <case key>#
 *   published decisions of a key  query  WF#<tenant>#@decisions / <decision key>#
 *   compiled model, snapshot      get    WF#<deployment id> / MODEL, SNAPSHOT
 *   tenants with cases of a shared deployment   query  WF#<deployment id> / USED#<tenant>
 *   deployments under way         query  WF#@intents / <deployment id>
 *   deleted deployments           query  WF#@purges / <deployment id>
 *
 * A code holds neither # nor @, so that no two of these partitions meet.
 */

/** Partitions of a tenant that are not workflows. */
export type TenantList = 'codes' | 'deployments' | 'cases' | 'decisions';

export const listPartition = (tenant: string, list: TenantList): string =>
  `WF#${keyPart(tenant)}#@${list}`;

export const versionsPartition = (tenant: string, code: string): string =>
  `WF#${keyPart(tenant)}#${code}`;

export const headKey = (tenant: string, code: string): Key => ({
  pk: listPartition(tenant, 'codes'),
  sk: code,
});

export const versionKey = (tenant: string, code: string, version: number): Key => ({
  pk: versionsPartition(tenant, code),
  sk: `V#${String(version).padStart(8, '0')}`,
});

export const deploymentKey = (tenant: string, deploymentId: string): Key => ({
  pk: listPartition(tenant, 'deployments'),
  sk: deploymentId,
});

/** A case or decision that a workflow has published; several may publish the same key. */
export const publishedKey = (
  tenant: string,
  list: 'cases' | 'decisions',
  key: string,
  code: string,
): Key => ({ pk: listPartition(tenant, list), sk: `${keyPart(key)}#${code}` });

/** The parts of a deployment that are stored as a whole. */
export type ContentPart = 'MODEL' | 'SNAPSHOT';

export const contentKey = (deploymentId: string, part: ContentPart): Key => ({
  pk: contentPartition(deploymentId),
  sk: part,
});

export const USED = 'USED#';

export const contentPartition = (deploymentId: string): string => `WF#${deploymentId}`;

export const usedKey = (deploymentId: string, tenant: string): Key => ({
  pk: contentPartition(deploymentId),
  sk: USED + tenant,
});

export const INTENTS_PARTITION = 'WF#@intents';
export const PURGES_PARTITION = 'WF#@purges';

export const intentKey = (deploymentId: string): Key => ({
  pk: INTENTS_PARTITION,
  sk: deploymentId,
});

export const purgeKey = (deploymentId: string): Key => ({ pk: PURGES_PARTITION, sk: deploymentId });
