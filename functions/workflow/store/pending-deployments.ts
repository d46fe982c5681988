import { exists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { INTENTS_PARTITION, intentKey, PURGES_PARTITION, purgeKey } from './definition-keys.ts';

/** A deployment that has announced its files: until its transaction takes this away, they may be left over. */
export interface DeploymentIntent {
  readonly deploymentId: string;
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly files: readonly string[];
  /** Epoch milliseconds of the machine: when the compensation tries (again). */
  readonly dueAt: number;
  readonly attempts: number;
}

/** A deleted deployment whose content stays while cases refer to it. */
export interface DeploymentPurge {
  readonly deploymentId: string;
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly version: number;
  /** Who wanted its cases deleted with it: cases that are found later go too. */
  readonly casesGoFor?: string | undefined;
  readonly files: readonly string[];
  /** Epoch milliseconds of the machine. */
  readonly dueAt: number;
}

interface IntentItem extends Item {
  readonly state: 'DEPLOYING' | 'UNDOING';
  readonly intent: DeploymentIntent;
}

interface PurgeItem extends Item {
  readonly purge: DeploymentPurge;
}

const IS_DEPLOYING: Condition = {
  expression: '#state = :deploying',
  names: { '#state': 'state' },
  values: { ':deploying': 'DEPLOYING' },
};

/** Work that deployments leave behind: files of those that failed, content of those that were deleted. */
export class PendingDeployments {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  /** Announces the files of a deployment before they are written. */
  async announce(intent: DeploymentIntent): Promise<void> {
    await this.#unitOfWork(async (unit) => unit.add(intentItem(intent, 'DEPLOYING')));
  }

  /** The deployment has succeeded; where the compensation has begun meanwhile, the unit runs again with new files. */
  stageDone(unit: UnitOfWork, deploymentId: string): void {
    unit.delete(intentKey(deploymentId), { condition: IS_DEPLOYING, otherwise: 'retry' });
  }

  async intents(): Promise<readonly DeploymentIntent[]> {
    const items = await readAll<IntentItem>(this.#table, { partition: INTENTS_PARTITION });
    return items.map(({ intent }) => intent);
  }

  /**
   * Claims what a deployment has left over; from then on its transaction cannot succeed.
   * @returns `false` when it has succeeded before.
   */
  async claim(intent: DeploymentIntent): Promise<boolean> {
    let isThere = true;
    await this.#unitOfWork(async (unit) => {
      const found = await this.#table.get(intentKey(intent.deploymentId));
      isThere = found !== undefined;
      if (found) {
        unit.put(intentItem(intent, 'UNDOING'), { condition: exists, otherwise: 'retry' });
      }
    });
    return isThere;
  }

  stageUndone(unit: UnitOfWork, deploymentId: string): void {
    unit.delete(intentKey(deploymentId));
  }

  async purges(): Promise<readonly DeploymentPurge[]> {
    const items = await readAll<PurgeItem>(this.#table, { partition: PURGES_PARTITION });
    return items.map(({ purge }) => purge);
  }

  stagePurge(unit: UnitOfWork, purge: DeploymentPurge): void {
    unit.put({ ...purgeKey(purge.deploymentId), type: 'WORKFLOW_PURGE', purge });
  }

  stagePurged(unit: UnitOfWork, deploymentId: string): void {
    unit.delete(purgeKey(deploymentId));
  }
}

const intentItem = (intent: DeploymentIntent, state: IntentItem['state']) => ({
  ...intentKey(intent.deploymentId),
  type: 'WORKFLOW_INTENT',
  state,
  intent,
});
