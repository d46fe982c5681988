import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { currentUnitOfWork, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { checkVersion, isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import type { IsLeaving } from '../queries/references.ts';
import { JointWrites } from '../records/joint-writes.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import { type DeletionMarks, MarkLost } from '../store/deletion-marks.ts';
import type { OpenWork } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { ReferenceTargets } from '../store/reference-targets.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { References } from './references.ts';
import type { SubtreeDeletionService } from './subtree-deletion-service.ts';
import type { Trash } from './trash.ts';

export interface DeleteOptions {
  readonly ifMatch?: string | undefined;
  /** Deletes permanently, from the trash or directly. */
  readonly purge?: boolean;
  /** Also deletes its descendants in the tree. */
  readonly cascade?: boolean;
}

export interface DeletionServiceDependencies {
  readonly repository: RecordRepository;
  readonly reader: RecordReader;
  readonly definitions: DefinitionRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
  readonly marks: DeletionMarks;
  readonly targets: ReferenceTargets;
  readonly openWork: OpenWork;
  readonly references: References;
  readonly trash: Trash;
  readonly subtrees: SubtreeDeletionService;
  readonly unitOfWork: RunUnitOfWork;
}

/** A deletion of one live record. */
interface Deletion {
  readonly model: EntityModel;
  /** The record as it was just read. */
  readonly header: RecordHeader;
  readonly incoming: readonly IncomingReference[];
  readonly principal: Principal;
  readonly grant: RecordGrant;
  readonly options: DeleteOptions;
  /** Name of the work that deletes the record for good after that. */
  readonly purges: string | undefined;
}

/** A unit of work changes at most so many records. */
const MAX_CHANGES = 100;
/** Attempts of a deletion whose mark is lost. */
const MAX_ROUNDS = 4;

/**
 * Deletes records. A record that may be referenced is marked first, which refuses new references; then existing
 * references are checked; then the record is deleted or the mark removed. Whatever is interrupted is ended by the sweep.
 */
export class DeletionService {
  readonly #deps: DeletionServiceDependencies;

  constructor(dependencies: DeletionServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Moves a record to the trash, or deletes it permanently.
   * @returns the job that goes on with a subtree too large for one request
   * @throws Problem `RECORD_NOT_FOUND` (404), `REFERENCED`, `HAS_CHILDREN`, `DELETION_IN_PROGRESS` (409),
   *   `VERSION_CONFLICT` (412)
   */
  async delete(
    model: EntityModel,
    id: string,
    principal: Principal,
    options: DeleteOptions = {},
  ): Promise<EntityJob | undefined> {
    const { access, openWork, trash } = this.#deps;
    const grant = await access.check(model, principal, 'delete');
    const { header, incoming } = await this.#find(model, id.toLowerCase());
    const exists = header !== undefined && isGranted(model, header, grant);
    if (!exists || (header.deletedAt !== undefined && !options.purge)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    checkVersion(model, header, options.ifMatch);
    const purges = options.purge ? openWork.newName() : undefined;
    if (header.deletedAt === undefined) {
      const call = { model, header, principal, grant, options, purges };
      const guarded = incoming.filter(({ onDelete }) => onDelete !== 'none');
      const job = await this.#deleteLive({ ...call, incoming: guarded });
      if (job || this.#takesSubtree(call)) return job;
    }
    if (purges) await trash.purge(model, header.id, principal, { work: purges });
    return undefined;
  }

  /**
   * Dry run of a deletion that leaves the records below where they are.
   * @param isLeaving whether another record is deleted as well
   * @throws Problem `RECORD_NOT_FOUND` (404), `REFERENCED`, `HAS_CHILDREN`, `DELETION_IN_PROGRESS` (409)
   */
  async preview(
    model: EntityModel,
    id: string,
    principal: Principal,
    isLeaving: (entity: string, record: RecordHeader) => ReturnType<IsLeaving>,
  ): Promise<void> {
    const { access, marks, references } = this.#deps;
    const grant = await access.check(model, principal, 'delete');
    const { header, incoming } = await this.#find(model, id);
    if (!header || header.deletedAt !== undefined || !isGranted(model, header, grant)) {
      throw problems.recordNotFound({ entity: model.code, id });
    }
    await marks.refuseLeaving(model.code, header);
    await references.refuse(incoming, [id], isLeaving, principal);
    if (model.definition.hierarchical) await this.#refuseStaying(model.code, id, isLeaving);
  }

  async #refuseStaying(
    code: string,
    parentId: string,
    isLeaving: (entity: string, record: RecordHeader) => ReturnType<IsLeaving>,
  ): Promise<void> {
    const { repository } = this.#deps;
    let from: string | undefined;
    do {
      const limit = MAX_CHANGES;
      const { children, isEnd } = await repository.children(code, parentId, { from, limit });
      const ids = children.map(({ id }) => id);
      const found = await repository.findHeaders(code, ids, true);
      for (const header of found.values()) {
        const isGone = header.deletedAt !== undefined || (await isLeaving(code, header));
        if (!isGone) throw problems.hasChildren();
      }
      from = isEnd ? undefined : `${children.at(-1)?.place}\u0000`;
    } while (from !== undefined);
  }

  async #deleteLive(deletion: Deletion): Promise<EntityJob | undefined> {
    const { model, header, incoming } = deletion;
    if (this.#takesSubtree(deletion)) return this.#deps.subtrees.delete(deletion);
    const isGuarded = model.definition.hierarchical || incoming.length > 0 || header.contended;
    if (isGuarded || !(await this.#isDeletedUnmarked(deletion))) await this.#deleteMarked(deletion);
    return undefined;
  }

  /** Deletes without a mark. @returns whether nobody has announced a reference meanwhile */
  async #isDeletedUnmarked(deletion: Deletion): Promise<boolean> {
    try {
      await this.#toTrash(deletion, deletion.header);
      return true;
    } catch (error) {
      if (error instanceof MarkLost) return false;
      throw error;
    }
  }

  #takesSubtree({ model: { definition }, options }: Pick<Deletion, 'model' | 'options'>): boolean {
    const isAsked = options.cascade ?? definition.options.onDeleteChildren === 'cascade';
    return definition.hierarchical && isAsked;
  }

  /**
   * The mark must be visible at once, so it is set outside the unit of work of the caller, and removed when that one
   * fails.
   */
  async #deleteMarked(deletion: Deletion): Promise<void> {
    const { marks } = this.#deps;
    const { model, header, incoming, principal } = deletion;
    for (let round = 1; ; round += 1) {
      const { mark, set, marked } = await this.#mark(deletion, round === 1);
      const release = () => marks.release(model.code, header.id, mark);
      const around = currentUnitOfWork();
      around?.afterFailure(release);
      try {
        const isLeaving = (entity: string, { id }: RecordHeader): boolean =>
          entity === model.code && id === header.id;
        await this.#deps.targets.refuseAnnounced(model.code, [set]);
        await this.#deps.references.refuse(incoming, [header.id], isLeaving, principal);
        if (model.definition.hierarchical) await this.#refuseChildren(model, header.id);
        return await this.#toTrash(deletion, marked, mark);
      } catch (error) {
        // Where this fails, the sweep takes the mark off.
        if (!around) await release().catch(() => undefined);
        if (!(error instanceof MarkLost)) throw error;
        if (around || round === MAX_ROUNDS) throw httpProblems.concurrentUpdate();
      }
    }
  }

  /** @returns the mark, the record that has it, and what was read of it unless it has changed since */
  async #mark({ model, header, options }: Deletion, isFresh: boolean) {
    const { marks, openWork } = this.#deps;
    const { code } = model;
    const { id } = header;
    const mark = openWork.newName();
    const set = await marks.change(
      code,
      id,
      async (current, unit) => {
        checkVersion(model, current, options.ifMatch);
        await marks.refuseLeaving(code, current);
        openWork.stage(unit, mark, { kind: 'MARK', entity: code, id });
        return mark;
      },
      isFresh ? header : undefined,
    );
    if (!set) throw problems.recordNotFound({ entity: code, id });
    const isSame = set.version === header.version && set.seals === header.seals;
    return { mark, set, marked: isSame ? { ...header, deleting: mark } : undefined };
  }

  /** @param known what was just read, for the first try; a lost race reads again */
  async #toTrash(
    { model, header: { id }, incoming, principal, grant, options, purges }: Deletion,
    known: RecordHeader | undefined,
    mark?: string,
  ): Promise<void> {
    const { reader, trash, references, openWork, unitOfWork } = this.#deps;
    let fresh = known;
    await unitOfWork(async (unit) => {
      const stored = fresh ?? (await reader.stored(model, id));
      fresh = undefined;
      if (!stored || stored.deletedAt !== undefined || !isGranted(model, stored, grant)) {
        throw problems.recordNotFound({ entity: model.code, id });
      }
      if (mark === undefined ? stored.contended : stored.deleting !== mark) throw new MarkLost();
      checkVersion(model, stored, options.ifMatch);
      await trash.stage(unit, model, stored, { principal, purges });
      await references.clearLater(incoming, [id], principal);
      if (mark !== undefined) openWork.stageEnd(unit, mark);
    });
  }

  async #find(model: EntityModel, id: string) {
    const { repository, definitions, largeValues } = this.#deps;
    const { header, other } = await repository.findHeaderWith(
      model.code,
      id,
      definitions.headKey(model.code),
    );
    const [complete] = header ? await largeValues.completeAll(model, [header]) : [];
    return {
      header: complete,
      incoming: definitions.headOf(other)?.incoming ?? [],
    };
  }

  /** Looks at once, or before the commit of the unit around, which may take the children away, too. */
  async #refuseChildren({ code }: EntityModel, parentId: string): Promise<void> {
    const { repository } = this.#deps;
    const unit = currentUnitOfWork();
    const look = async (): Promise<void> => {
      const limit = unit ? MAX_CHANGES + 1 : 1;
      const { children } = await repository.children(code, parentId, { limit });
      const stays = ({ id }: { readonly id: string }): boolean => {
        const { after } = (unit && JointWrites.changeIn(unit, code, id)) ?? {};
        return !after || (after.deletedAt === undefined && after.parentId === parentId);
      };
      if (children.some(stays)) throw problems.hasChildren();
    };
    return unit ? unit.beforeCommit(look) : look();
  }
}
