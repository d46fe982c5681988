import { Problem } from '../../../shared/problems/problem.ts';
import { isGranted } from '../access/record-rules.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import {
  addChanges,
  type ChangeCounts,
  failureCount,
  NO_CHANGES,
} from '../domain/transfer/change-counts.ts';
import { Rehearsal, type RehearsalDependencies } from '../rehearsals/rehearsal.ts';
import type { ChangeCall } from './record-changes.ts';

export interface ChangePreviewDependencies {
  readonly deletions: Pick<DeletionService, 'preview'>;
  readonly rehearsals: RehearsalDependencies;
}

/** Says what a change by filter would do. */
export class ChangePreview {
  readonly #deps: ChangePreviewDependencies;

  constructor(dependencies: ChangePreviewDependencies) {
    this.#deps = dependencies;
  }

  async of(call: ChangeCall, records: readonly RecordHeader[]): Promise<ChangeCounts> {
    return call.request.op === 'update'
      ? this.#updates(call, records)
      : this.#deletions(call, records);
  }

  async #updates(
    { model, request: { data = {} }, principal }: ChangeCall,
    records: readonly RecordHeader[],
  ): Promise<ChangeCounts> {
    const rehearsal = new Rehearsal(this.#deps.rehearsals);
    const counts: ChangeCounts[] = [];
    for (const { id, version } of records) {
      const count = await counted(id, async () => {
        const ifMatch = String(version);
        const { isSame } = await rehearsal.update(model, id, data, principal, { ifMatch });
        return { ...NO_CHANGES, ...(isSame ? { unchanged: 1 } : { changed: 1 }) };
      });
      counts.push(count);
    }
    return addChanges(counts);
  }

  /**
   * Counts what would be deleted. Records that refer to another or are below it do not keep it when they meet the
   * filter, too, unless they stay for another reason.
   */
  async #deletions(
    { model, filter, principal }: ChangeCall,
    records: readonly RecordHeader[],
  ): Promise<ChangeCounts> {
    const counts = new Map<string, ChangeCounts>();
    const goingWith = new Map<string, string[]>();
    const isStaying = (id: string): boolean => (counts.get(id)?.failed ?? 0) > 0;
    const judge = async (id: string): Promise<void> => {
      const isLeaving = (entity: string, record: RecordHeader): boolean => {
        if (entity !== model.code || isStaying(record.id)) return false;
        goingWith.set(record.id, [...(goingWith.get(record.id) ?? []), id]);
        return isGranted(model, record, { filter });
      };
      const count = await counted(id, async () => {
        await this.#deps.deletions.preview(model, id, principal, isLeaving);
        return { ...NO_CHANGES, changed: 1 };
      });
      counts.set(id, count);
    };
    for (const { id } of records) await judge(id);
    for (let stay = records.map(({ id }) => id).filter(isStaying); stay.length > 0; ) {
      const others = new Set(stay.flatMap((id) => goingWith.get(id) ?? []));
      const again = [...others].filter((id) => !isStaying(id));
      for (const id of again) await judge(id);
      stay = again.filter(isStaying);
    }
    return addChanges([...counts.values()]);
  }
}

/** A record that is gone by now counts as nothing. */
async function counted(id: string, work: () => Promise<ChangeCounts>): Promise<ChangeCounts> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return error.code === 'RECORD_NOT_FOUND' ? NO_CHANGES : failureCount(id, error);
  }
}
