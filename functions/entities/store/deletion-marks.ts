import { isOpen, type Job } from '../../../shared/jobs/job.ts';
import type { Problem } from '../../../shared/problems/problem.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { ReferenceCheck } from '../domain/records/write-plan.ts';
import { problems } from '../errors.ts';
import { isOfTree, type OpenWork, tokenOf } from './open-work.ts';
import type { RecordRepository } from './record-repository.ts';
import { stageMark } from './record-staging.ts';

export interface DeletionMarksDependencies {
  readonly repository: RecordRepository;
  readonly openWork: OpenWork;
  readonly jobs: { find(id: string): Promise<Pick<Job, 'state'> | undefined> };
  readonly unitOfWork: RunUnitOfWork;
}

/** Another change has taken the mark of a deletion off, so the record may have new references. */
export class MarkLost extends Error {}

/** Sets marks on records that are being deleted, and tells others what a mark means for them. */
export class DeletionMarks {
  readonly #deps: DeletionMarksDependencies;

  constructor(dependencies: DeletionMarksDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Changes the mark of a live record in a transaction of its own, whatever becomes of the caller's unit of work.
   * @param seen the record as it was just read; after a conflict it is read again
   * @param next gives the mark, `undefined` for none, and may stage more for the same transaction
   * @returns the record with its mark; none when it is not live
   */
  async change(
    entity: string,
    id: string,
    next: (
      current: RecordHeader,
      unit: UnitOfWork,
    ) => string | undefined | Promise<string | undefined>,
    seen?: RecordHeader,
  ): Promise<RecordHeader | undefined> {
    const { repository, unitOfWork } = this.#deps;
    let known = seen;
    return apart(() =>
      unitOfWork(async (unit) => {
        const current = known ?? (await repository.findHeader(entity, id));
        known = undefined;
        if (!current || current.deletedAt !== undefined) return undefined;
        const mark = await next(current, unit);
        if (mark !== current.deleting) stageMark(unit, entity, current, mark);
        const { deleting: _old, ...rest } = current;
        return mark === undefined ? rest : { ...rest, deleting: mark };
      }),
    );
  }

  /** Takes a mark off, if it is still there, and ends its work. */
  async release(entity: string, id: string, mark: string): Promise<void> {
    const { openWork } = this.#deps;
    await this.change(entity, id, ({ deleting }) => (deleting === mark ? undefined : deleting));
    await openWork.end(mark);
  }

  /** Whether the deletion that has set a mark is still to end. */
  async isHeld(mark: string): Promise<boolean> {
    const { openWork, jobs } = this.#deps;
    if (await openWork.isOpen(mark)) return true;
    const job = isOfTree(mark) ? await jobs.find(tokenOf(mark)) : undefined;
    return job !== undefined && isOpen(job);
  }

  /** @throws Problem `DELETION_IN_PROGRESS` (409) when the record goes with the subtree that it belongs to */
  async refuseLeaving(entity: string, { id, deleting }: RecordHeader): Promise<void> {
    if (deleting && isOfTree(deleting) && (await this.isHeld(deleting))) {
      throw problems.deletionInProgress({ entity, id });
    }
  }

  /** Why a record cannot be referenced; takes off a mark that nobody holds. */
  async refusal({ field, entity, id }: ReferenceCheck): Promise<Problem> {
    const header = await this.#deps.repository.findHeader(entity, id);
    if (!header || header.deletedAt !== undefined) {
      return problems.referenceNotFound({ field, entity, id });
    }
    const { deleting } = header;
    if (deleting && !(await this.isHeld(deleting))) await this.release(entity, id, deleting);
    return problems.deletionInProgress({ entity, id, field });
  }
}
