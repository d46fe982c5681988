import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion } from '../domain/definitions/deployed-version.ts';
import { casesOfWorkflow } from './case-keys.ts';
import { contentPartition, USED, usedKey } from './definition-keys.ts';

/** States of a case that may go on. */
export const OPEN_STATES = ['active', 'suspended', 'failed'] as const;
/** States of all cases. */
export const ALL_STATES = [...OPEN_STATES, 'completed', 'terminated'] as const;

type Used = Pick<DeployedVersion, 'deploymentId' | 'tenantCode' | 'workflowCode'>;

const PAGE = 1_000;

/** Which deployments cases refer to. The index follows the table with a delay. */
export class CaseUse {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;
  readonly #noted = new Set<string>();

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  /** Keeps in mind that a tenant has cases of a deployment that is not its own; costs nothing from the second time on. */
  async note(deploymentId: string, tenantCode: string): Promise<void> {
    const { pk, sk } = usedKey(deploymentId, tenantCode);
    if (this.#noted.has(pk + sk)) return;
    await this.#unitOfWork(async (unit) => {
      unit.put({ pk, sk, type: 'WORKFLOW_USED', tenantCode });
      unit.afterCommit(async () => {
        this.#noted.add(pk + sk);
      });
    });
  }

  /** Whether there are cases of a deployment in some states, of any tenant. */
  async hasCases(deployed: Used, states: readonly string[]): Promise<boolean> {
    for (const tenant of await this.#tenantsOf(deployed)) {
      for (const state of states) {
        const partition = casesOfWorkflow(tenant, deployed.workflowCode, state);
        if (await this.#hasAny(partition, deployed.deploymentId)) return true;
      }
    }
    return false;
  }

  /** The rows of `note`, for a deployment that goes. */
  async notesOf(deploymentId: string): Promise<readonly Item[]> {
    return readAll<Item>(this.#table, {
      partition: contentPartition(deploymentId),
      beginsWith: USED,
    });
  }

  async #tenantsOf({ deploymentId, tenantCode }: Used): Promise<readonly string[]> {
    // Only what is of no tenant serves others.
    const others = tenantCode === '' ? await this.notesOf(deploymentId) : [];
    return [tenantCode, ...others.map((item) => String(item.tenantCode))];
  }

  async #hasAny(partition: string, deploymentId: string): Promise<boolean> {
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query({
        index: 'gsi1',
        partition,
        limit: PAGE,
        startKey,
        filter: {
          expression: '#summary.#deployment = :deployment',
          names: { '#summary': 'summary', '#deployment': 'deploymentId' },
          values: { ':deployment': deploymentId },
        },
      });
      if (page.items.length > 0) return true;
      startKey = page.lastKey;
    } while (startKey);
    return false;
  }
}
