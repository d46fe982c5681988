import type { Principal } from '../../../shared/security/principal.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sees } from '../cases/visibility.ts';
import { isOver } from '../domain/processes/process-head.ts';
import { problems } from '../errors.ts';
import { casePartition } from '../store/case-keys.ts';
import { type Packer, packedIn } from '../store/packed.ts';
import { processPartition } from '../store/process-keys.ts';
import type { ProcessStore } from '../store/processes/process-store.ts';
import { taskPartition } from '../store/task-keys.ts';

export interface ProcessDeletionDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly packer: Packer;
  readonly store: ProcessStore;
}

type HistoryItem = Item & { readonly command?: { readonly opened?: readonly string[] } };

/** Items of one transaction. */
const CHUNK = 90;

/** Deletes process instances that have ended. */
export class ProcessDeletion {
  readonly #deps: ProcessDeletionDependencies;

  constructor(dependencies: ProcessDeletionDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deletes an instance: its tasks and history first, itself last, so that an interrupted deletion is asked for again.
   * @throws Problem `PROCESS_NOT_FOUND` (404), `PROCESS_NOT_ENDED` (409)
   */
  async delete(id: string, principal: Principal): Promise<void> {
    const { store, table, packer } = this.#deps;
    const found = await store.load(id);
    if (!found || !sees(principal, found.head.tenantCode)) throw problems.processNotFound({ id });
    if (!isOver(found.head)) throw problems.processNotEnded({ id });
    const history = await readAll<Item>(table, { partition: casePartition(id) });
    for (const taskId of tasksIn(history)) {
      await this.#deleteAll(await readAll<Item>(table, { partition: taskPartition(taskId) }));
    }
    await this.#deleteAll(history);
    for (const item of history) await packer.discard(packedIfAny(item));
    await this.#deleteAll(await readAll<Item>(table, { partition: processPartition(id) }));
    await packer.discard(found.place);
  }

  async #deleteAll(items: readonly Item[]): Promise<void> {
    for (let at = 0; at < items.length; at += CHUNK) {
      const chunk = items.slice(at, at + CHUNK);
      await this.#deps.unitOfWork(async (unit) => {
        for (const { pk, sk } of chunk) unit.delete({ pk, sk });
      });
    }
  }
}

/** Tasks that its commands have opened. */
const tasksIn = (history: readonly Item[]): string[] =>
  history.flatMap((item) => (item as HistoryItem).command?.opened ?? []);

const packedIfAny = (item: Item) => ('object' in item ? packedIn(item) : undefined);
