import { toInstant } from '../../../shared/primitives/clock.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeployedVersion } from '../domain/definitions/deployed-version.ts';
import { casePartition, casesOfWorkflow } from './case-keys.ts';
import { contentPartition, USED, usedKey } from './definition-keys.ts';

/** States of a case that may go on. */
export const OPEN_STATES = ['active', 'suspended', 'failed'] as const;
/** States of all cases. */
export const ALL_STATES = [...OPEN_STATES, 'completed', 'terminated'] as const;

export type Used = Pick<DeployedVersion, 'deploymentId' | 'tenantCode' | 'workflowCode'>;

/** How far a walk through the cases of a deployment has come. */
export interface UsePlace {
  /** Number of the list: one for each state of each tenant. */
  readonly list: number;
  readonly startKey?: Readonly<Record<string, unknown>> | undefined;
}

const PAGE = 1_000;
/** Rows that a step of a walk reads; those of other versions of the workflow are among them. */
const WALK_PAGE = 200;
/** What clocks of environments may differ by (ms). */
const SKEW_MS = 3_600_000;
/** Behind all places of starts. */
const LAST = '~';

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

  /** One step of a walk through the cases of a deployment, open ones first: one query. */
  async casesFrom(
    deployed: Used,
    { list, startKey }: UsePlace = { list: 0 },
  ): Promise<{ readonly ids: readonly string[]; readonly next: UsePlace | undefined }> {
    const tenants = await this.#tenantsOf(deployed);
    const lists = ALL_STATES.flatMap((state) =>
      tenants.map((tenant) => casesOfWorkflow(tenant, deployed.workflowCode, state)),
    );
    const partition = lists[list];
    if (partition === undefined) return { ids: [], next: undefined };
    const { items, lastKey } = await this.#table.query({
      ...inIndex(partition, deployed.deploymentId),
      limit: WALK_PAGE,
      startKey,
    });
    const ids = items.map(({ pk }) => pk.slice(casePartition('').length));
    if (lastKey) return { ids, next: { list, startKey: lastKey } };
    return { ids, next: list + 1 < lists.length ? { list: list + 1 } : undefined };
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
        ...inIndex(partition, deploymentId),
        limit: PAGE,
        startKey,
      });
      if (page.items.length > 0) return true;
      startKey = page.lastKey;
    } while (startKey);
    return false;
  }
}

/** Rows of a deployment's cases: those of other versions that have been started since are read and left out. */
const inIndex = (partition: string, deploymentId: string) =>
  ({
    index: 'gsi1',
    partition,
    between: { from: beforeFirstCase(deploymentId), to: LAST },
    filter: {
      expression: '#summary.#deployment = :deployment',
      names: { '#summary': 'summary', '#deployment': 'deploymentId' },
      values: { ':deployment': deploymentId },
    },
  }) as const;

/** No case of a deployment has been started before: its id says when it was made, by a clock that others may be behind. */
function beforeFirstCase(deploymentId: string): string {
  const madeAt = Number.parseInt(deploymentId.replace('-', '').slice(0, 12), 16);
  return Number.isFinite(madeAt) ? toInstant(Math.max(0, madeAt - SKEW_MS)) : '';
}
