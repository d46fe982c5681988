import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { recoveryKey } from './document-keys.ts';

interface ProgressItem extends Item {
  readonly after: string;
}

interface RecoveryProgressDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
}

/** How far the recovery of forgotten documents has come: the next run begins behind it. */
export class RecoveryProgress {
  readonly #deps: RecoveryProgressDependencies;

  constructor(dependencies: RecoveryProgressDependencies) {
    this.#deps = dependencies;
  }

  /** The last key that was looked at; empty: none. */
  async after(): Promise<string> {
    return (await this.#deps.table.get<ProgressItem>(recoveryKey))?.after ?? '';
  }

  async keep(after: string): Promise<void> {
    await this.#deps.unitOfWork(async (unit) => {
      unit.put({ ...recoveryKey, type: 'DOCS_RECOVERY', after });
    });
  }
}
