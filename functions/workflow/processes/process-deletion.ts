import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sees } from '../cases/visibility.ts';
import { isOver } from '../domain/processes/process-head.ts';
import { problems } from '../errors.ts';
import { casePartition } from '../store/case-keys.ts';
import { type Packed, type Packer, packedIn } from '../store/packed.ts';
import {
  PROCESS_ERASURES,
  processErasureKey,
  processHeadKey,
  processPartition,
  processStateKey,
} from '../store/process-keys.ts';
import type { ProcessStore } from '../store/processes/process-store.ts';
import { taskPartition } from '../store/task-keys.ts';

export interface ProcessDeletionDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly batchWrite: BatchWriter;
  readonly packer: Packer;
  readonly store: ProcessStore;
  /** The clock of the machine. */
  readonly machine: Clock;
  readonly log: Log;
}

/** An instance that is gone for everybody, and of which items are left. */
interface ErasureItem extends Item {
  readonly processInstanceId: string;
  /** Where its state was. */
  readonly place: Packed;
}

type HistoryItem = Item & { readonly command?: { readonly opened?: readonly string[] } };

/** How long a deletion that meets a command is repeated (ms). */
const PATIENCE_MS = 10_000;
/** A run may last as long as an invocation; then the sweep takes over (ms). */
const GRACE_MS = 60_000;
/** Time that is left of an invocation when its run stops (ms). */
const RESERVE_MS = 2_000;
const MAX_SWEPT = 50;
/** Items of an instance that go at a time. */
const PAGE = 100;
const PARALLEL = 8;

/**
 * Deletes process instances that have ended. The first transaction takes state and head, so that the instance is gone at
 * once, and leaves a mark. Its history goes page by page with the tasks that it tells of; a page is found again until it is
 * gone, so a run that is interrupted is done over. The mark goes last.
 */
export class ProcessDeletion {
  readonly #deps: ProcessDeletionDependencies;

  constructor(dependencies: ProcessDeletionDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `PROCESS_NOT_FOUND` (404), `PROCESS_NOT_ENDED` (409) */
  async delete(id: string, principal: Principal): Promise<void> {
    const { store, unitOfWork, machine } = this.#deps;
    await unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const found = await store.load(id);
      if (!found || !sees(principal, found.head.tenantCode)) throw problems.processNotFound({ id });
      if (!isOver(found.head)) throw problems.processNotEnded({ id });
      const { version, place } = found;
      unit.delete(processStateKey(id), { condition: versionIs(version), otherwise: 'retry' });
      unit.delete(processHeadKey(id));
      const key = processErasureKey(toInstant(machine.now()), id);
      const mark = { ...key, type: 'process_erasure', processInstanceId: id, place };
      unit.put(mark);
      unit.afterCommit(async () => {
        await this.#finish(mark);
      });
    });
  }

  /** Goes on with what interrupted runs have left. @returns the number of instances */
  async sweep(): Promise<number> {
    const { table, machine, log } = this.#deps;
    const { items } = await table.query<ErasureItem>({
      partition: PROCESS_ERASURES,
      between: { from: '0', to: toInstant(machine.now() - GRACE_MS) },
      limit: MAX_SWEPT,
      consistent: true,
    });
    let done = 0;
    for (const mark of items) {
      try {
        if (await this.#finish(mark)) done += 1;
      } catch (cause) {
        const { processInstanceId } = mark;
        log.error('What is left of a deleted process could not be removed', {
          ...{ processInstanceId, cause },
        });
      }
    }
    return done;
  }

  /** @returns whether nothing is left */
  #finish({ pk, sk, processInstanceId: id, place }: ErasureItem): Promise<boolean> {
    return apart(async () => {
      const { table, packer, batchWrite, unitOfWork } = this.#deps;
      for (;;) {
        if (this.#isLate()) return false;
        const partition = casePartition(id);
        const { items } = await table.query({ partition, limit: PAGE, consistent: true });
        if (items.length === 0) break;
        await this.#erasePage(items);
      }
      await batchWrite({ deletes: await readAll<Key>(table, { partition: processPartition(id) }) });
      await packer.discard(place);
      await unitOfWork(async (unit) => unit.delete({ pk, sk }));
      return true;
    });
  }

  /** What an item leads to goes before the item. */
  async #erasePage(items: readonly Item[]): Promise<void> {
    const { batchWrite, packer, table } = this.#deps;
    await mapLimited(tasksIn(items), PARALLEL, async (taskId) => {
      const partition = taskPartition(taskId);
      await batchWrite({ deletes: await readAll<Key>(table, { partition }) });
    });
    await mapLimited(items, PARALLEL, async (item) => {
      if ('object' in item) await packer.discard(packedIn(item));
    });
    await batchWrite({ deletes: items });
  }

  #isLate(): boolean {
    const { deadline } = requestContext();
    return deadline !== undefined && deadline - this.#deps.machine.now() < RESERVE_MS;
  }
}

/** Tasks that its commands have opened. */
const tasksIn = (history: readonly Item[]): string[] =>
  history.flatMap((item) => (item as HistoryItem).command?.opened ?? []);
