import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key } from '../../../shared/store/table.ts';
import { sees } from '../cases/visibility.ts';
import { caseIn } from '../domain/cases/family.ts';
import { isOver, type ProcessHead } from '../domain/processes/process-head.ts';
import { problems } from '../errors.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import {
  type ErasureMark,
  MarkedErasure,
  type MarkedErasureDependencies,
} from '../store/marked-erasure.ts';
import {
  PROCESS_ERASURES,
  processErasureKey,
  processHeadKey,
  processPartition,
  processStateKey,
} from '../store/process-keys.ts';
import type { ProcessStore } from '../store/processes/process-store.ts';

export interface ProcessDeletionDependencies extends Omit<MarkedErasureDependencies, 'clock'> {
  readonly store: ProcessStore;
  readonly families: Pick<FamilyStore, 'load'>;
  /** The clock of the machine. */
  readonly machine: Clock;
}

interface ProcessMark extends ErasureMark {
  readonly processInstanceId: string;
}

type HistoryItem = Item & { readonly command?: { readonly opened?: readonly string[] } };

/** How long a deletion that meets a command is repeated (ms). */
const PATIENCE_MS = 10_000;

/**
 * Deletes process instances that have ended. The first transaction takes state and head, so that the instance is gone at
 * once, and leaves a mark. Its history is deleted page by page, with the tasks that it names.
 */
export class ProcessDeletion {
  readonly #deps: ProcessDeletionDependencies;
  readonly #left: MarkedErasure<ProcessMark>;

  constructor(dependencies: ProcessDeletionDependencies) {
    this.#deps = dependencies;
    const { table, batchWrite, machine: clock } = dependencies;
    this.#left = new MarkedErasure(
      { ...dependencies, clock },
      {
        marks: PROCESS_ERASURES,
        idOf: ({ processInstanceId }) => processInstanceId,
        tasksIn,
        afterPages: async ({ processInstanceId: id }) => {
          const partition = processPartition(id);
          await batchWrite({ deletes: await readAll<Key>(table, { partition }) });
        },
        failure: {
          message: 'What is left of a deleted process could not be removed',
          idName: 'processInstanceId',
        },
      },
    );
  }

  /** @throws Problem `PROCESS_NOT_FOUND` (404), `PROCESS_NOT_ENDED`, `PROCESS_RESULT_AWAITED` (409) */
  async delete(id: string, principal: Principal): Promise<void> {
    const { store, unitOfWork, machine } = this.#deps;
    await unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const found = await store.load(id);
      if (!found || !sees(principal, found.head.tenantCode)) throw problems.processNotFound({ id });
      if (!isOver(found.head)) throw problems.processNotEnded({ id });
      await this.#requireTaken(found.head);
      const { version, place } = found;
      unit.delete(processStateKey(id), { condition: versionIs(version), otherwise: 'retry' });
      unit.delete(processHeadKey(id));
      const key = processErasureKey(toInstant(machine.now()), id);
      const mark = { ...key, type: 'process_erasure', processInstanceId: id, place };
      unit.put(mark);
      unit.afterCommit(async () => {
        await this.#left.finish(mark);
      });
    });
  }

  /** A case takes the end of its process over later: when it is resumed, or with the sweep after an interruption. */
  async #requireTaken({ processInstanceId: id, parent }: ProcessHead): Promise<void> {
    if (!parent?.isBlocking) return;
    const { caseInstanceId, planItemInstanceId } = parent;
    const family = await this.#deps.families.load(caseInstanceId);
    const waiting = family ? (caseIn(family, caseInstanceId)?.planItems ?? []) : [];
    if (!waiting.some((item) => item.id === planItemInstanceId)) return;
    throw problems.processResultAwaited({ id, caseInstanceId });
  }

  /** Goes on with what interrupted runs have left. @returns the number of instances */
  sweep(): Promise<number> {
    return this.#left.sweep();
  }
}

/** Tasks that its commands have opened. */
const tasksIn = (history: readonly Item[]): string[] =>
  history.flatMap((item) => (item as HistoryItem).command?.opened ?? []);
