import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { historyOf } from '../domain/records/history.ts';
import { identityOf, indexRows, type UniqueClaim } from '../domain/records/index-rows.ts';
import { changeLarge, type LargeChange } from '../domain/records/large-values.ts';
import { changedFields } from '../domain/records/present.ts';
import { checkWrites } from '../domain/records/write-limit.ts';
import { countWrites, planWrite, type WritePlan } from '../domain/records/write-plan.ts';
import { RECORD_TOPIC, type RecordEvent } from '../events.ts';
import type { HistoryRepository } from '../store/history-repository.ts';
import type { RowOfRecord } from '../store/record-items.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import {
  stageHeader,
  stageRewritten,
  stageRows,
  stageTrash,
  stageTree,
} from '../store/record-staging.ts';
import type { ReferenceTargets } from '../store/reference-targets.ts';
import type { RowJournal } from '../store/row-journal.ts';
import type { FieldCipher } from '../store/values/field-cipher.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { ConflictFinder } from './conflict-finder.ts';
import { JointWrites } from './joint-writes.ts';
import type { RecordFiles } from './record-files.ts';

/** Kind of change. */
export type RecordChange = RecordEvent['action'];

export interface RecordWriterDependencies {
  readonly repository: RecordRepository;
  readonly histories: HistoryRepository;
  readonly largeValues: LargeValueStore;
  readonly journal: RowJournal;
  readonly cipher: FieldCipher;
  readonly events: EventPublisher;
  readonly catalog: EntityCatalog;
  readonly conflicts: ConflictFinder;
  readonly targets: ReferenceTargets;
  readonly recordFiles: RecordFiles;
}

/** One change to stage. */
export interface RecordWrite {
  readonly action: RecordChange;
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
  readonly principal: Principal;
  /** Error when another change of the record won. */
  readonly otherwise: NonNullable<WriteGuard['otherwise']>;
  /** Rows that were written before, so the transaction leaves them out. */
  readonly rowsAreWritten?: boolean;
  /** Writes of the transaction that the change may take before its rows are written apart. */
  readonly room?: number | undefined;
  /** Rewords a refusal at the commit for the caller. */
  readonly told?: ((refusal: Error) => Error) | undefined;
}

/** A transaction holds 100 writes; the rest is room for the outbox and the answer of an idempotent call. */
const MAX_PLAN_WRITES = 90;
/** Writes that the journal adds to the transaction when rows are written apart from it. */
const JOURNAL_WRITES = 4;

interface PlanStaging extends Pick<RecordWrite, 'room' | 'told'> {
  /** Writes of large values. */
  readonly writes: number;
  readonly areWritten: boolean;
  readonly violation: (claim: UniqueClaim) => Promise<Error>;
}

/** Turns the change of a record into the writes of one transaction. */
export class RecordWriter {
  readonly #deps: RecordWriterDependencies;
  readonly #staged = new WeakMap<UnitOfWork, Set<EntityModel>>();

  constructor(dependencies: RecordWriterDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stages a change with everything that follows from it. Rows of very wide records are written before the
   * commit, when nothing references them yet, and deleted after it.
   * @returns how many writes of the transaction it takes, about
   * @throws Problem `VALIDATION_FAILED` (400) for a change that no transaction holds; `UNIQUE_VIOLATION`,
   *   `DEFINITION_CHANGED` (409), `REFERENCE_NOT_FOUND` (400) when the unit commits
   */
  async stage(unit: UnitOfWork, model: EntityModel, write: RecordWrite): Promise<number> {
    const { before, principal, otherwise, told = (refusal) => refusal } = write;
    const { code } = model;
    const plan = planWrite(model, before, write.after);
    const { after } = plan;
    const ofFiles = await this.#deps.recordFiles.stage(unit, model, { ...write, after });
    const { stored, writes: ofValues } = await this.#stageValues(unit, model, before, after);
    const writes = ofValues + ofFiles;
    checkWrites(model, plan, writes);
    const taken = await this.#stagePlan(unit, model, plan, {
      ...{ writes, areWritten: write.rowsAreWritten ?? false, room: write.room, told },
      violation: async (claim) =>
        told(await this.#deps.conflicts.violation(model, claim, principal)),
    });
    stageHeader(unit, code, stored, { seen: before, otherwise });
    stageTrash(unit, code, before, after);
    this.#stageHistory(unit, model, write);
    await this.publish(model, write);
    return taken;
  }

  /**
   * Dry run of `stage`.
   * @param files ids of those that other changes take; it gets those of this one
   * @returns what the change would write
   * @throws what `stage` throws before the commit
   */
  async preview(
    model: EntityModel,
    change: Pick<RecordWrite, 'before' | 'after' | 'principal'>,
    files: Set<string>,
  ): Promise<WritePlan> {
    const plan = planWrite(model, change.before, change.after);
    const { before, after } = plan;
    const ofFiles = await this.#deps.recordFiles.check(model, { ...change, after }, files);
    const { stored, writes } = await this.#valuesOf(model, before, after);
    checkWrites(model, plan, writes + ofFiles);
    const { spilled } = stored;
    return { ...plan, after: { ...after, ...(spilled && { spilled }) } };
  }

  /**
   * Stages a record as the current definition stores it, with the rows, claims and counts that it lacks; for those
   * who read it nothing changes.
   * @param taken error when another record holds one of its unique values
   */
  async rewrite(
    unit: UnitOfWork,
    model: EntityModel,
    { before, after }: { readonly before: RecordHeader; readonly after: RecordHeader },
    taken: (claim: UniqueClaim) => Error,
  ): Promise<void> {
    const plan = planWrite(model, before, after);
    const { stored, writes } = await this.#stageValues(unit, model, before, plan.after);
    await this.#stagePlan(unit, model, plan, {
      writes,
      areWritten: false,
      violation: async (claim) => taken(claim),
    });
    stageRewritten(unit, model.code, stored, before);
  }

  async #stagePlan(
    unit: UnitOfWork,
    model: EntityModel,
    plan: WritePlan,
    { writes, areWritten, violation, room, told = (refusal) => refusal }: PlanStaging,
  ): Promise<number> {
    this.#confirmLast(unit, model);
    JointWrites.of(unit, model).add(plan, {
      ...{ violation, told, targets: this.#deps.targets },
    });
    const rows = plan.rows.added.length + plan.rows.removed.length;
    const others = countWrites(plan) - rows + writes;
    const isWithin = !areWritten && (await this.#stageRows(unit, model, plan, { writes, room }));
    stageTree(unit, model.code, plan.after.id, plan.tree);
    return others + (isWithin ? rows : JOURNAL_WRITES);
  }

  /** Checks before the commit that the definition is still in force: by a newer one the record may need other rows. */
  #confirmLast(unit: UnitOfWork, model: EntityModel): void {
    const models = this.#staged.get(unit) ?? new Set();
    this.#staged.set(unit, models);
    if (models.has(model)) return;
    models.add(model);
    unit.beforeCommit(() => this.#deps.catalog.confirm(model));
  }

  /** @returns whether the rows are part of the transaction */
  async #stageRows(
    unit: UnitOfWork,
    model: EntityModel,
    plan: WritePlan,
    { writes, room = MAX_PLAN_WRITES }: Pick<PlanStaging, 'writes' | 'room'>,
  ): Promise<boolean> {
    const { repository, journal } = this.#deps;
    const { code, definition } = model;
    const { shards } = definition.options;
    const { id } = plan.after;
    if (countWrites(plan) + writes <= room) {
      stageRows(unit, code, shards, id, plan.rows);
      return true;
    }
    const { added, removed } = plan.rows;
    const past = new Set(plan.before ? indexRows(model, plan.before).map(identityOf) : []);
    // Rows are unproven until the commit: readers look up the record.
    const puts = added.map((row) => ({ row: { ...row, text: false as const }, id }));
    const isChanged = ({ row }: RowOfRecord): boolean => past.has(identityOf(row));
    await repository.writeRows(code, shards, { puts: puts.filter(isChanged) });
    const early = puts.filter((put) => !isChanged(put));
    if (early.length > 0) (await journal.write(code, shards, early)).commitWith(unit);
    if (removed.length > 0) await journal.deleteAfter(unit, code, shards, id, removed);
    return false;
  }

  /** Stages the large values of a record. @returns the record without them, and the number of writes */
  async #stageValues(
    unit: UnitOfWork,
    model: EntityModel,
    before: RecordHeader | undefined,
    after: RecordHeader,
  ): Promise<Pick<LargeChange, 'stored' | 'writes'>> {
    const { largeValues } = this.#deps;
    const { code } = model;
    const change = await this.#valuesOf(model, before, after);
    for (const [name, text] of change.changed) {
      await largeValues.stage(unit, code, after.id, { name, text });
    }
    for (const name of change.gone) largeValues.stageGone(unit, code, after.id, name);
    const { replaced } = change;
    if (replaced.length > 0) largeValues.eraseLater(unit, code, after.id, replaced);
    return change;
  }

  async #valuesOf(
    model: EntityModel,
    before: RecordHeader | undefined,
    after: RecordHeader,
  ): Promise<LargeChange> {
    return changeLarge(before, after, await this.#deps.cipher.encrypt(model, after));
  }

  #stageHistory(
    unit: UnitOfWork,
    model: EntityModel,
    { action, before, after, principal }: RecordWrite,
  ): void {
    if (!model.definition.options.history) return;
    const isHidden = (field: string): boolean => {
      const definition = model.field(field);
      return definition?.encrypted === true || definition?.writeOnly === true;
    };
    const changed = changedFields(before?.values ?? {}, after.values).filter(
      (field) => !isHidden(field),
    );
    const changes = historyOf(changed, before?.values ?? {}, after.values);
    const entry = {
      version: after.version,
      action,
      at: after.updatedAt,
      ...actorOf(principal),
      changes,
    };
    this.#deps.histories.stage(unit, model.code, after.id, entry);
  }

  /** Publishes the event of a change, if enabled for the entity. */
  async publish(
    { code, definition }: EntityModel,
    {
      action,
      before,
      after,
      principal,
    }: Pick<RecordWrite, 'action' | 'before' | 'after' | 'principal'>,
  ): Promise<void> {
    const { events } = definition.options;
    if (events === 'none') return;
    const open = (header: RecordHeader): Record<string, unknown> =>
      Object.fromEntries(
        definition.fields
          .filter(
            ({ code: field, encrypted, writeOnly }) =>
              !encrypted && !writeOnly && field in header.values,
          )
          .map(({ code: field }) => [field, header.values[field]]),
      );
    const payload: RecordEvent = {
      action,
      entityCode: code,
      id: after.id,
      version: after.version,
      changedFields: changedFields(before?.values ?? {}, after.values),
      actor: principal.id,
      ...(events === 'full' && before && { before: open(before) }),
      ...(events === 'full' && { after: open(after) }),
    };
    await this.#deps.events.publish(RECORD_TOPIC, `${code}/${after.id}`, payload);
  }
}
