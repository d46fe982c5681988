import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { endsWithin } from '../../../shared/primitives/request-context.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { casePartition } from './case-keys.ts';
import { sweepDueRows } from './due-rows.ts';
import type { Packed, Packer } from './packed.ts';
import { taskPartition } from './task-keys.ts';

export interface MarkedErasureDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly batchWrite: BatchWriter;
  readonly packer: Packer;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** A case or process that is gone for everybody, and of which items are left. */
export interface ErasureMark extends Item {
  /** Where its state was. */
  readonly place: Packed;
}

/** What is marked and erased. */
export interface Erased<M extends ErasureMark> {
  /** The partition of the marks. */
  readonly marks: string;
  readonly idOf: (mark: M) => string;
  /** Ids of the tasks that a page of its items names. */
  readonly tasksIn: (items: readonly Item[]) => readonly string[];
  /** Deletes whatever else the items of a page refer to. */
  readonly beforePage?: (items: readonly Item[], mark: M) => Promise<void>;
  readonly afterPage?: () => void;
  /** Deletes what is besides its pages. */
  readonly afterPages?: (mark: M) => Promise<void>;
  /** Log line of a failure, and the name of the id in it. */
  readonly failure: { readonly message: string; readonly idName: string };
}

/** A run may last as long as an invocation; then the sweep takes over (ms). */
const GRACE_MS = 60_000;
/** Time that is left of an invocation when its run stops (ms). */
const RESERVE_MS = 2_000;
/** Items that go at a time. */
const PAGE = 100;
const PARALLEL = 8;

/**
 * Erases what is left of a case or process after the transaction that has taken its state and left a mark. It goes page by
 * page, whatever an item refers to before the item; a page is found again until it is gone, so a run that is interrupted is
 * done over. The mark goes last.
 */
export class MarkedErasure<M extends ErasureMark> {
  readonly #deps: MarkedErasureDependencies;
  readonly #erased: Erased<M>;

  constructor(dependencies: MarkedErasureDependencies, erased: Erased<M>) {
    this.#deps = dependencies;
    this.#erased = erased;
  }

  /** Goes on with what interrupted runs have left. @returns how many are gone */
  sweep(): Promise<number> {
    const { marks, idOf, failure } = this.#erased;
    return sweepDueRows<M>(this.#deps, {
      partition: marks,
      until: this.#deps.clock.now() - GRACE_MS,
      work: (mark) => this.finish(mark),
      failure: failure.message,
      about: (mark) => ({ [failure.idName]: idOf(mark) }),
    });
  }

  /** Erases as much as the invocation has time for. @returns whether nothing is left */
  finish(mark: M): Promise<boolean> {
    return apart(async () => {
      const { table, packer, unitOfWork, clock } = this.#deps;
      const { idOf, afterPage, afterPages } = this.#erased;
      for (;;) {
        if (endsWithin(RESERVE_MS, clock)) return false;
        const partition = casePartition(idOf(mark));
        const { items } = await table.query({ partition, limit: PAGE, consistent: true });
        if (items.length === 0) break;
        await this.#erasePage(items, mark);
        afterPage?.();
      }
      await afterPages?.(mark);
      await packer.discard(mark.place);
      await unitOfWork(async (unit) => unit.delete({ pk: mark.pk, sk: mark.sk }));
      return true;
    });
  }

  async #erasePage(items: readonly Item[], mark: M): Promise<void> {
    const { batchWrite, packer } = this.#deps;
    const { tasksIn, beforePage } = this.#erased;
    await mapLimited(tasksIn(items), PARALLEL, (taskId) => this.#eraseTask(taskId));
    await beforePage?.(items, mark);
    await mapLimited(items, PARALLEL, async ({ object }) => {
      if (typeof object === 'string') await packer.discard({ object });
    });
    await batchWrite({ deletes: items });
  }

  /** Until its own item is gone, people may add remarks to a task: they are found by reading again. */
  async #eraseTask(taskId: string): Promise<void> {
    const { batchWrite, table } = this.#deps;
    const partition = taskPartition(taskId);
    const read = () => readAll<Key>(table, { partition });
    for (let left = await read(); left.length > 0; left = await read()) {
      await batchWrite({ deletes: left });
    }
  }
}
