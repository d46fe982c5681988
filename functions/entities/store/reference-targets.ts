import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { exists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { ReferenceCheck } from '../domain/records/write-plan.ts';
import type { DeletionMarks } from './deletion-marks.ts';
import { recordKey } from './record-items.ts';
import { stageContended, stageReferenceCheck } from './record-staging.ts';

/*
 * Access patterns (e: entity code)
 *   announcements to refer to a record   query   DYN_REFERRING#<e>#<id> / <token>
 */
const partitionOf = ({ entity, id }: Target): string => `DYN_REFERRING#${entity}#${id}`;

/** A record that others refer to, or are below. */
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

/** How long a record counts as contended after transactions have met at it. */
const CONTENDED_MS = 60_000;
const MAX_CONTENDED = 1_000;
/** Longer than any announcement is needed. */
const KEPT_SECONDS = 24 * 3_600;

/**
 * Keeps records alive while transactions refer to them. As a rule the transaction checks the record, and so excludes every
 * other one about the same record. Where transactions have met at a record, those that follow announce themselves instead:
 * the announcement is stored, then the record is read, then the transaction deletes the announcement. A deletion marks the
 * record first and takes away the announcements that it finds: whoever announced before meets that, and whoever
 * announces later reads the mark.
 */
export class ReferenceTargets {
  readonly #deps: ReferenceTargetsDependencies;
  /** Until when records are contended, by partition, the longest known first. */
  readonly #contended = new Map<string, number>();
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
    if (this.#isContended(check)) await this.#announce(unit, check, refusal);
    else {
      const onConflict = (): void => this.#met(check);
      stageReferenceCheck(unit, check, { otherwise: refusal, onConflict });
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

  async #announce(
    unit: UnitOfWork,
    { entity, id }: Target,
    refusal: () => Promise<Error>,
  ): Promise<void> {
    const { batchWrite, clock, ids } = this.#deps;
    const announcement = { pk: partitionOf({ entity, id }), sk: ids() };
    const ttl = Math.floor(clock.now() / 1_000) + KEPT_SECONDS;
    await batchWrite({ puts: [{ ...announcement, ttl }] });
    unit.afterFailure(() => batchWrite({ deletes: [announcement] }));
    await this.#findReferable({ entity, id }, refusal);
    unit.delete(announcement, { condition: exists, otherwise: 'retry' });
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

  #isContended(target: Target): boolean {
    const until = this.#contended.get(partitionOf(target));
    return until !== undefined && this.#deps.clock.now() < until;
  }

  #met(target: Target): void {
    const key = partitionOf(target);
    this.#contended.delete(key);
    this.#contended.set(key, this.#deps.clock.now() + CONTENDED_MS);
    const [oldest] = this.#contended.keys();
    if (this.#contended.size > MAX_CONTENDED && oldest !== undefined)
      this.#contended.delete(oldest);
  }
}
