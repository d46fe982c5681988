import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import { countWrites, planWrite } from '../domain/records/write-plan.ts';
import { problems } from '../errors.ts';
import type { RecordReader } from '../records/record-reader.ts';
import { type DeletionMarks, MarkLost } from '../store/deletion-marks.ts';
import type { OpenWork, SubtreeDeletion } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { stageMark } from '../store/record-staging.ts';
import type { ReferenceTargets } from '../store/reference-targets.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { References } from './references.ts';
import type { Siblings } from './subtree-walk.ts';
import type { Trash } from './trash.ts';

export interface SubtreeDependencies {
  readonly repository: RecordRepository;
  readonly reader: RecordReader;
  readonly largeValues: LargeValueStore;
  readonly marks: DeletionMarks;
  readonly targets: ReferenceTargets;
  readonly openWork: OpenWork;
  readonly references: References;
  readonly trash: Trash;
  readonly unitOfWork: RunUnitOfWork;
}

/** The deletion of a subtree as one request or one step of a job sees it. */
export interface SubtreeCall {
  readonly model: EntityModel;
  readonly incoming: readonly IncomingReference[];
  readonly deletion: SubtreeDeletion;
}

/** A transaction holds 100 writes; the rest is room for jobs that clear references, and for the outbox. */
const MAX_GROUP_WRITES = 75;
/** A transaction holds 4 MB; the rest is room for what is written besides values. */
const MAX_GROUP_BYTES = 2_500_000;
/** Writes of one record besides those of its plan: history, event, work. */
const MORE_WRITES = 3;

/** Marks, frees and deletes records of a subtree, several in one transaction. */
export class Subtree {
  readonly #deps: SubtreeDependencies;

  constructor(dependencies: SubtreeDependencies) {
    this.#deps = dependencies;
  }

  /** Marks the root of a subtree whose mark was lost. @returns it; none when it is gone. @throws Problem `DELETION_IN_PROGRESS` (409) */
  async markRoot({
    model: { code },
    deletion: { id, mark },
  }: SubtreeCall): Promise<RecordHeader | undefined> {
    const { marks } = this.#deps;
    return marks.change(code, id, async (current) => {
      await marks.refuseLeaving(code, current);
      return mark;
    });
  }

  /**
   * Marks children of a marked record, and checks that they may go.
   * @param onMarked gets those that are still its children before they are checked
   * @throws Problem `HAS_CHILDREN` where the caller may not delete all of them, `REFERENCED`, `DELETION_IN_PROGRESS` (409)
   */
  async mark(
    call: SubtreeCall,
    { parentId, ids }: Siblings,
    grant: RecordGrant,
    onMarked: (children: readonly RecordHeader[]) => void = () => undefined,
  ): Promise<void> {
    const { repository, marks, unitOfWork } = this.#deps;
    const { code } = call.model;
    const { mark } = call.deletion;
    const marked = await apart(() =>
      unitOfWork(async (unit) => {
        const headers = await repository.findHeaders(code, ids, true);
        const children = [...headers.values()].filter(
          (child) => child.parentId === parentId && child.deletedAt === undefined,
        );
        for (const child of children) {
          if (child.deleting === mark) continue;
          await marks.refuseLeaving(code, child);
          stageMark(unit, code, child, mark);
        }
        return children.map((child) => ({ ...child, deleting: mark }));
      }),
    );
    onMarked(marked);
    await this.#refuseHidden(call.model, marked, grant);
    await this.refuseReferenced(call, marked);
  }

  /** Looks at marked records. @throws Problem `REFERENCED` (409) when a record that stays refers to one of them */
  async refuseReferenced(
    { model, incoming, deletion: { mark, principal } }: SubtreeCall,
    marked: readonly RecordHeader[],
  ): Promise<void> {
    await this.#deps.targets.refuseAnnounced(model.code, marked);
    const isLeaving = (_entity: string, { deleting }: RecordHeader): boolean => deleting === mark;
    const ids = marked.map(({ id }) => id);
    await this.#deps.references.refuse(incoming, ids, isLeaving, principal);
  }

  /** Takes the mark of a deletion off records that have it. */
  async free(
    { model: { code }, deletion: { mark } }: SubtreeCall,
    ids: readonly string[],
  ): Promise<void> {
    const { repository, unitOfWork } = this.#deps;
    await apart(() =>
      unitOfWork(async (unit) => {
        for (const header of (await repository.findHeaders(code, ids, true)).values()) {
          if (header.deleting === mark) stageMark(unit, code, header, undefined);
        }
      }),
    );
  }

  /** Records in groups of one transaction each, whole and as the current schema reads them. */
  async *groups(
    { model, deletion }: SubtreeCall,
    headers: readonly RecordHeader[],
  ): AsyncGenerator<RecordHeader[]> {
    const { trash, largeValues } = this.#deps;
    let group: RecordHeader[] = [];
    let writes = 0;
    let bytes = 0;
    for await (const some of largeValues.inParts(model, headers)) {
      for (const stored of some) {
        const { before, after } = await trash.deleted(model, stored, deletion.principal);
        const large = 2 * (stored.spilled?.length ?? 0);
        const own = countWrites(planWrite(model, before, after)) + large + MORE_WRITES;
        const size = Buffer.byteLength(JSON.stringify(stored.values));
        const isFull = writes + own > MAX_GROUP_WRITES || bytes + size > MAX_GROUP_BYTES;
        if (group.length > 0 && isFull) {
          yield group;
          group = [];
          writes = 0;
          bytes = 0;
        }
        group.push(stored);
        writes += own;
        bytes += size;
      }
    }
    if (group.length > 0) yield group;
  }

  /**
   * Deletes a group of marked records with what else the unit stages.
   * @throws MarkLost when one of them is not marked any more
   */
  async delete(
    { model, incoming, deletion }: SubtreeCall,
    group: readonly RecordHeader[],
    also: (unit: UnitOfWork) => void,
  ): Promise<void> {
    const { reader, trash, references, openWork, unitOfWork } = this.#deps;
    const { principal, mark } = deletion;
    const leaving = group.map(({ id }) => ({
      id,
      purges: deletion.purge ? openWork.newName() : undefined,
    }));
    let isFirst = true;
    await unitOfWork(async (unit) => {
      const isFresh = isFirst;
      isFirst = false;
      for (const [at, { id, purges }] of leaving.entries()) {
        const stored = isFresh ? group[at] : await reader.stored(model, id);
        if (!stored || stored.deletedAt !== undefined) continue;
        if (stored.deleting !== mark) throw new MarkLost();
        await trash.stage(unit, model, stored, { principal, purges });
      }
      const ids = leaving.map(({ id }) => id);
      await references.clearLater(incoming, ids, principal);
      also(unit);
    });
    for (const { id, purges } of leaving) {
      if (purges) await trash.purge(model, id, principal, { work: purges });
    }
  }

  async #refuseHidden(
    model: EntityModel,
    headers: readonly RecordHeader[],
    grant: RecordGrant,
  ): Promise<void> {
    if (grant.filter.kind === 'all') return;
    const needed = neededBy(model, grant.filter, []);
    for await (const some of this.#deps.largeValues.inParts(model, headers, needed)) {
      if (!some.every((header) => isGranted(model, header, grant))) throw problems.hasChildren();
    }
  }
}

/** @throws Problem `UNIT_TOO_LARGE` (422) when a subtree does not fit into the unit of work of the caller */
export const refuseTooLarge = (count: number): Error =>
  httpProblems.unitTooLarge({ writes: count, maxWrites: 100 });
