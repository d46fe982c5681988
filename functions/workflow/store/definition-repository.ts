import { exists, notExists } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion, WorkflowHead } from '../domain/definitions/deployed-version.ts';
import {
  deploymentKey,
  headKey,
  listPartition,
  publishedKey,
  versionKey,
  versionsPartition,
} from './definition-keys.ts';
import { keyPart } from './key-part.ts';

interface HeadItem extends Item {
  readonly head: WorkflowHead;
}

interface VersionItem extends Item {
  readonly status: string;
  readonly deployed: DeployedVersion;
}

interface DeploymentItem extends Item {
  readonly code: string;
  readonly number: number;
}

interface PublishedItem extends Item {
  readonly deploymentId: string;
  readonly publishedAt: string;
}

const MAX_BATCH = 100;
const NOT_DELETED: Condition = {
  expression: '#status <> :deleted',
  names: { '#status': 'status' },
  values: { ':deleted': 'DELETED' },
};

/** Workflows, their versions and what is published of them. */
export class DefinitionRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async findHead(tenant: string, code: string): Promise<WorkflowHead | undefined> {
    return (await this.#table.get<HeadItem>(headKey(tenant, code)))?.head;
  }

  /** The heads of a code in several tenants, in the order of these. */
  async findHeads(tenants: readonly string[], code: string): Promise<readonly WorkflowHead[]> {
    const keys = tenants.map((tenant) => headKey(tenant, code));
    return (await this.#table.getMany<HeadItem>(keys)).map(({ head }) => head);
  }

  /** The heads of several workflows of a tenant. */
  async findHeadsOf(tenant: string, codes: readonly string[]): Promise<readonly WorkflowHead[]> {
    const items = await this.#getAll<HeadItem>(codes.map((code) => headKey(tenant, code)));
    return items.map(({ head }) => head);
  }

  /** All workflows of a tenant in the order of their codes, those without a version too. */
  async listHeads(tenant: string): Promise<readonly WorkflowHead[]> {
    const items = await readAll<HeadItem>(this.#table, {
      partition: listPartition(tenant, 'codes'),
    });
    return items.map(({ head }) => head);
  }

  /** A version, deleted ones included. */
  async findVersion(
    tenant: string,
    code: string,
    version: number,
  ): Promise<DeployedVersion | undefined> {
    return (await this.#table.get<VersionItem>(versionKey(tenant, code, version)))?.deployed;
  }

  /** Versions that are not deleted, newest first. */
  async listVersions(
    tenant: string,
    code: string,
    page: PageRequest,
  ): Promise<ReadPage<DeployedVersion>> {
    const query = {
      partition: versionsPartition(tenant, code),
      reverse: true,
      consistent: true,
      filter: NOT_DELETED,
    };
    const found = await readPage<VersionItem>(this.#table, query, page, ['versions', tenant, code]);
    return { ...found, content: found.content.map(({ deployed }) => deployed) };
  }

  /** The first version, newest first, that passes. */
  async findNewest(
    tenant: string,
    code: string,
    isWanted: (version: DeployedVersion) => boolean,
  ): Promise<DeployedVersion | undefined> {
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query<VersionItem>({
        partition: versionsPartition(tenant, code),
        reverse: true,
        consistent: true,
        limit: MAX_BATCH,
        startKey,
      });
      const found = page.items.find(({ deployed }) => isWanted(deployed));
      if (found) return found.deployed;
      startKey = page.lastKey;
    } while (startKey);
    return undefined;
  }

  async findDeployment(tenant: string, deploymentId: string): Promise<DeployedVersion | undefined> {
    const item = await this.#table.get<DeploymentItem>(deploymentKey(tenant, deploymentId));
    return item && this.findVersion(tenant, item.code, item.number);
  }

  /** Deployments that are not deleted, newest first. */
  async listDeployments(tenant: string, page: PageRequest): Promise<ReadPage<DeployedVersion>> {
    const query = {
      partition: listPartition(tenant, 'deployments'),
      reverse: true,
      consistent: true,
    };
    const found = await readPage<DeploymentItem>(this.#table, query, page, ['deployments', tenant]);
    const keys = found.content.map(({ code, number }) => versionKey(tenant, code, number));
    const versions = await this.#getAll<VersionItem>(keys);
    return { ...found, content: versions.map(({ deployed }) => deployed) };
  }

  /** The deployment that published a case or decision last, of those that still publish it. */
  async findPublished(
    tenant: string,
    list: 'cases' | 'decisions',
    key: string,
  ): Promise<string | undefined> {
    const items = await readAll<PublishedItem>(this.#table, {
      partition: listPartition(tenant, list),
      beginsWith: `${keyPart(key)}#`,
    });
    return items.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1))[0]?.deploymentId;
  }

  async #getAll<T extends Item>(keys: readonly Key[]): Promise<T[]> {
    const items: T[] = [];
    for (let at = 0; at < keys.length; at += MAX_BATCH) {
      items.push(...(await this.#table.getMany<T>(keys.slice(at, at + MAX_BATCH))));
    }
    return items;
  }

  /** Stages a new or changed head; whoever has changed it meanwhile wins, and the unit runs again. */
  stageHead(unit: UnitOfWork, head: WorkflowHead): void {
    const condition: Condition =
      head.revision === 1
        ? notExists
        : {
            expression: '#head.#revision = :before',
            names: { '#head': 'head', '#revision': 'revision' },
            values: { ':before': head.revision - 1 },
          };
    const key = headKey(head.tenantCode, head.workflowCode);
    unit.put({ ...key, type: 'WORKFLOW', head }, { condition, otherwise: 'retry' });
  }

  stageNewVersion(unit: UnitOfWork, version: DeployedVersion): void {
    const { tenantCode, workflowCode, deploymentId, version: number } = version;
    unit.put(versionItem(version), { condition: notExists, otherwise: 'retry' });
    unit.put({
      ...deploymentKey(tenantCode, deploymentId),
      type: 'WORKFLOW_DEPLOYMENT',
      code: workflowCode,
      number,
    });
  }

  stageVersion(unit: UnitOfWork, version: DeployedVersion): void {
    unit.put(versionItem(version), { condition: exists, otherwise: 'retry' });
  }

  /** Takes a deployment from the list; its version stays. */
  stageUnlisted(unit: UnitOfWork, { tenantCode, deploymentId }: DeployedVersion): void {
    unit.delete(deploymentKey(tenantCode, deploymentId));
  }

  stageVersionGone(unit: UnitOfWork, tenant: string, code: string, version: number): void {
    unit.delete(versionKey(tenant, code, version));
  }

  /** Stages which cases and decisions a workflow publishes, from those of the version before. */
  stagePublished(
    unit: UnitOfWork,
    before: DeployedVersion | undefined,
    after: DeployedVersion | undefined,
  ): void {
    const kept = new Set((after ? publishedRows(after) : []).map(identity));
    for (const row of before ? publishedRows(before) : []) {
      if (!kept.has(identity(row))) unit.delete(row);
    }
    for (const row of after ? publishedRows(after) : []) unit.put(row);
  }
}

const identity = ({ pk, sk }: Key): string => `${pk}/${sk}`;

/** The rows by which the cases and decisions of a published version are found. */
function publishedRows(version: DeployedVersion) {
  const { tenantCode, workflowCode, deploymentId, publishedAt, cases, decisions } = version;
  const rowOf = (list: 'cases' | 'decisions') => (key: string) => ({
    ...publishedKey(tenantCode, list, key, workflowCode),
    type: 'WORKFLOW_PUBLISHED',
    ...{ deploymentId, publishedAt },
  });
  return [...cases.map(({ key }) => key).map(rowOf('cases')), ...decisions.map(rowOf('decisions'))];
}

const versionItem = (deployed: DeployedVersion) => ({
  ...versionKey(deployed.tenantCode, deployed.workflowCode, deployed.version),
  type: 'WORKFLOW_VERSION',
  status: deployed.status,
  createdAt: deployed.deployedAt,
  deployed,
});
