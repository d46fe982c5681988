import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { currentUnitOfWork, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { checkVersion } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { IncomingReference } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { DeletionMarks } from '../store/deletion-marks.ts';
import { type OpenWork, type SubtreeDeletion, tokenOf } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { refuseTooLarge, type Subtree, type SubtreeCall } from './subtree.ts';
import { SubtreeWalk } from './subtree-walk.ts';

export interface SubtreeDeletionServiceDependencies {
  readonly repository: RecordRepository;
  readonly marks: DeletionMarks;
  readonly openWork: OpenWork;
  readonly subtree: Subtree;
  readonly jobs: JobService;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** A call to delete a record with everything below it. */
interface Request {
  readonly model: EntityModel;
  /** The root as it was just read. */
  readonly header: RecordHeader;
  readonly incoming: readonly IncomingReference[];
  readonly principal: Principal;
  readonly grant: RecordGrant;
  readonly options: { readonly ifMatch?: string | undefined; readonly purge?: boolean };
}

/** Most records that one request deletes: some 300 requests to the table. A job deletes more. */
const MAX_INLINE = 200;
/** No further ones are begun after this time: records with large values take some seconds each. */
const MAX_INLINE_MS = 10_000;

/**
 * Deletes a record with everything below it, or nothing. First the subtree is marked from its root down, so that
 * nothing in it changes and no new reference comes; when no record is referenced from outside, it is deleted from its
 * leaves up.
 */
export class SubtreeDeletionService {
  readonly #deps: SubtreeDeletionServiceDependencies;

  constructor(dependencies: SubtreeDeletionServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns the job that deletes a larger subtree
   * @throws Problem `REFERENCED`, `HAS_CHILDREN`, `DELETION_IN_PROGRESS` (409), `UNIT_TOO_LARGE` (422) in a unit of work
   */
  async delete(request: Request): Promise<EntityJob | undefined> {
    const { root, ...call } = await this.#begin(request);
    const around = currentUnitOfWork();
    const endsAt = this.#deps.clock.now() + MAX_INLINE_MS;
    const known = [root];
    const undo = () => this.#undo(call, known);
    around?.afterFailure(undo);
    let isDecided = false;
    try {
      const isWhole = await this.#markAll(call, request, known);
      if (!isWhole && around) throw refuseTooLarge(known.length);
      if (!isWhole) return await this.#handOver(call);
      for await (const group of this.#deps.subtree.groups(call, known.toReversed())) {
        if (isDecided && !around && this.#deps.clock.now() > endsAt) {
          return await this.#handOver(call);
        }
        await this.#remove(call, group, isDecided || around !== undefined);
        isDecided = true;
      }
      return undefined;
    } catch (error) {
      if (around) throw error;
      if (!isDecided) {
        // The sweep does it otherwise.
        await undo().catch(() => undefined);
        throw error;
      }
      return await this.#handOver(call).catch(() => {
        throw error;
      });
    }
  }

  /** Marks the root, and with that opens the work. */
  async #begin(request: Request): Promise<SubtreeCall & { readonly root: RecordHeader }> {
    const { marks, openWork } = this.#deps;
    const { model, header, incoming, principal, options } = request;
    const { code } = model;
    const mark = openWork.newName({ isOfTree: true });
    const deletion = { id: header.id, mark, purge: options.purge === true, principal };
    const root = await marks.change(
      code,
      header.id,
      async (current, unit) => {
        checkVersion(model, current, options.ifMatch);
        await marks.refuseLeaving(code, current);
        openWork.stage(unit, mark, { kind: 'SUBTREE', entity: code, deletion });
        return mark;
      },
      header,
    );
    if (!root) throw problems.recordNotFound({ entity: code, id: header.id });
    return { model, incoming, deletion, root };
  }

  /** @param known gets the marked records, parents first. @returns whether that is all of them */
  async #markAll(call: SubtreeCall, { grant }: Request, known: RecordHeader[]): Promise<boolean> {
    const { repository, subtree } = this.#deps;
    const { model, deletion } = call;
    await subtree.refuseReferenced(call, known);
    for await (const siblings of new SubtreeWalk(repository, model.code).below(deletion.id)) {
      if (known.length + siblings.ids.length > MAX_INLINE) return false;
      await subtree.mark(call, siblings, grant, (marked) => known.push(...marked));
    }
    return true;
  }

  /** Deletes a group. @param isDecided whether it is stored already that the deletion must be completed */
  async #remove(
    call: SubtreeCall,
    group: readonly RecordHeader[],
    isDecided: boolean,
  ): Promise<void> {
    const { openWork, subtree } = this.#deps;
    const { id, mark } = call.deletion;
    await subtree.delete(call, group, (unit) => {
      if (group.some((record) => record.id === id)) openWork.stageEnd(unit, mark);
      else if (!isDecided) openWork.stageDecided(unit, mark);
    });
    faultPoint('entities.after-group');
  }

  /** Lets a job go on where this call stops. */
  async #handOver({ model, deletion }: SubtreeCall): Promise<EntityJob> {
    return this.startJob(model.code, deletion, 'mark');
  }

  /** Starts the job of a subtree, which takes its work over. */
  async startJob(
    entity: string,
    deletion: SubtreeDeletion,
    phase: 'mark' | 'undo',
  ): Promise<EntityJob> {
    const { jobs, openWork, unitOfWork } = this.#deps;
    const { mark, principal } = deletion;
    return unitOfWork(async (unit) => {
      openWork.stageEnd(unit, mark);
      const input = { ...deletion, phase };
      return jobs.start('DELETE', entity, input, principal, tokenOf(mark));
    });
  }

  async #undo(call: SubtreeCall, known: readonly RecordHeader[]): Promise<void> {
    const { openWork, subtree } = this.#deps;
    const { id, mark } = call.deletion;
    const ids = [id, ...known.map((header) => header.id)].reverse();
    for (let at = 0; at < ids.length; at += 90) await subtree.free(call, ids.slice(at, at + 90));
    await openWork.end(mark);
  }
}
