import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import { exists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { ReferenceCheck } from '../domain/records/write-plan.ts';
import type { DeletionMarks } from './deletion-marks.ts';
import { announcementPartition, recordKey } from './record-items.ts';

const partitionOf = ({ entity, id }: Target): string => announcementPartition(entity, id);

/** A record that others refer to, or that is their parent. */
type Target = Pick<ReferenceCheck, 'entity' | 'id'>;

export interface ReferenceTargetsDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly marks: Pick<DeletionMarks, 'refusal'>;
  /** The time that all tenants share. */
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** A record at which transactions have met. */
interface Contended {
  /** How long it counts as such. */
  readonly until: number;
  /** Announcements of this environment that no unit works with. */
  readonly free: Key[];
}

/** How long a record counts as contended after transactions have met at it. */
const CONTENDED_MS = 60_000;
const MAX_CONTENDED = 1_000;
/** An announcement that has ended makes whoever uses it announce anew. */
const KEPT_SECONDS = 3_600;

/**
 * Keeps records alive while transactions refer to them. As a rule the transaction checks the record, and so excludes every
 * other one about the same record. Where transactions have met at a record, those that follow check announcements instead,
 * one transaction at a time each: an announcement is stored, then the record is read, then transactions of this environment
 * check that the announcement is there. A deletion marks the record first and takes away the announcements that it
 * finds: whoever announced before meets that, and whoever announces later reads the mark.
 */
export class ReferenceTargets {
  readonly #deps: ReferenceTargetsDependencies;
  /** Contended records by partition, the longest known first. */
  readonly #contended = new Map<string, Contended>();
  /** Targets that units hold already: several entities may refer to one. */
  readonly #held = new WeakMap<UnitOfWork, Set<string>>();

  constructor(dependencies: ReferenceTargetsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * The record is live and carries no mark when the unit commits.
   * @param told puts a refusal in the words of the caller
   */
  async hold(
    unit: UnitOfWork,
    check: ReferenceCheck,
    told: (refusal: Error) => Error,
  ): Promise<void> {
    if (!this.#isFirst(unit, check)) return;
    const refusal = async (): Promise<Error> => told(await this.#deps.marks.refusal(check));
    const contended = this.#contendedNow(check);
    if (contended) await this.#holdAnnounced(unit, check, contended.free, refusal);
    else {
      const onRetry = (): void => this.#met(check);
      stageCheck(unit, check, { otherwise: refusal, onRetry });
    }
  }

  /** Makes those who have announced themselves look again; for marked records, before their references are looked at. */
  async refuseAnnounced(entity: string, marked: readonly RecordHeader[]): Promise<void> {
    const { table, batchWrite } = this.#deps;
    for (const { id } of marked.filter(({ contended }) => contended)) {
      const partition = partitionOf({ entity, id });
      await batchWrite({ deletes: await readAll<Key>(table, { partition }) });
    }
  }

  /** Two units that check one announcement would meet at it. */
  async #holdAnnounced(
    unit: UnitOfWork,
    target: Target,
    free: Key[],
    refusal: () => Promise<Error>,
  ): Promise<void> {
    const announcement = free.pop() ?? (await this.#announce(target, refusal));
    let isValid = true;
    unit.check(announcement, {
      condition: exists,
      otherwise: 'retry',
      onRetry: () => {
        isValid = false;
        // Whoever has taken this one away has taken them all.
        free.length = 0;
      },
    });
    const giveBack = async (): Promise<void> => {
      if (isValid) free.push(announcement);
    };
    unit.afterCommit(giveBack);
    unit.afterFailure(giveBack);
  }

  async #announce({ entity, id }: Target, refusal: () => Promise<Error>): Promise<Key> {
    const { batchWrite, clock, ids } = this.#deps;
    const announcement = { pk: partitionOf({ entity, id }), sk: ids() };
    const ttl = Math.floor(clock.now() / 1_000) + KEPT_SECONDS;
    await batchWrite({ puts: [{ ...announcement, ttl }] });
    try {
      await this.#findReferable({ entity, id }, refusal);
    } catch (error) {
      await batchWrite({ deletes: [announcement] });
      throw error;
    }
    return announcement;
  }

  /** Reads a target, and says in it that others announce themselves: only then do deletions look for them. */
  #findReferable({ entity, id }: Target, refusal: () => Promise<Error>): Promise<void> {
    const { table, unitOfWork } = this.#deps;
    const work = async (unit: UnitOfWork): Promise<void> => {
      const target = await table.get<Item>(recordKey(entity, id));
      if (!target || target.deletedAt !== undefined || target.deleting !== undefined) {
        throw await refusal();
      }
      if (target.contended !== true) stageContended(unit, { entity, id }, refusal);
    };
    return apart(() => unitOfWork(work));
  }

  #isFirst(unit: UnitOfWork, target: Target): boolean {
    const held = this.#held.get(unit) ?? new Set();
    this.#held.set(unit, held);
    const { size } = held;
    return held.add(partitionOf(target)).size > size;
  }

  #contendedNow(target: Target): Contended | undefined {
    const contended = this.#contended.get(partitionOf(target));
    return contended && this.#deps.clock.now() < contended.until ? contended : undefined;
  }

  #met(target: Target): void {
    const key = partitionOf(target);
    const { free = [] } = this.#contended.get(key) ?? {};
    this.#contended.delete(key);
    this.#contended.set(key, { until: this.#deps.clock.now() + CONTENDED_MS, free });
    const [oldest] = this.#contended.keys();
    if (this.#contended.size > MAX_CONTENDED && oldest !== undefined)
      this.#contended.delete(oldest);
  }
}

/** Condition: the referenced record is live at commit. */
function stageCheck(
  unit: UnitOfWork,
  { entity, id }: Target,
  guard: Pick<WriteGuard, 'otherwise' | 'onRetry'>,
): void {
  unit.check(recordKey(entity, id), { condition: isReferable, ...guard });
}

/** Says in a record that those who refer to it announce themselves. */
function stageContended(
  unit: UnitOfWork,
  { entity, id }: Target,
  otherwise: () => Promise<Error>,
): void {
  unit.update(
    recordKey(entity, id),
    { expression: 'SET contended = :true', values: { ':true': true } },
    { condition: isReferable, otherwise },
  );
}

const isReferable: Condition = {
  expression:
    'attribute_exists(pk) AND attribute_not_exists(deletedAt) AND attribute_not_exists(deleting)',
};
