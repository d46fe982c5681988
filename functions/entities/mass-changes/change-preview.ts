import { Problem } from '../../../shared/problems/problem.ts';
import { isGranted } from '../access/record-rules.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import {
  addChanges,
  type ChangeCounts,
  failureCount,
  NO_CHANGES,
} from '../domain/transfer/change-counts.ts';
import { Rehearsal, type RehearsalDependencies } from '../rehearsals/rehearsal.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { ChangeCall } from './record-changes.ts';

export interface ChangePreviewDependencies {
  readonly deletions: Pick<DeletionService, 'preview'>;
  readonly rehearsals: RehearsalDependencies;
  readonly largeValues: Pick<LargeValueStore, 'inParts'>;
}

/** What a change would do to records that it meets one after the other. */
interface Foretelling {
  take(record: Pick<RecordHeader, 'id' | 'version'>): Promise<void>;
  /** The counts of all that were taken. */
  counts(): Promise<ChangeCounts>;
}

/** Says what a change by filter would do. */
export class ChangePreview {
  readonly #deps: ChangePreviewDependencies;

  constructor(dependencies: ChangePreviewDependencies) {
    this.#deps = dependencies;
  }

  of(call: ChangeCall): Foretelling {
    return call.request.op === 'update' ? this.#updates(call) : this.#deletions(call);
  }

  #updates({ model, request: { data = {} }, principal }: ChangeCall): Foretelling {
    const rehearsal = new Rehearsal(this.#deps.rehearsals);
    const counts: ChangeCounts[] = [];
    return {
      take: async ({ id, version }) => {
        const count = await counted(id, async () => {
          const ifMatch = String(version);
          const { isSame } = await rehearsal.update(model, id, data, principal, { ifMatch });
          return { ...NO_CHANGES, ...(isSame ? { unchanged: 1 } : { changed: 1 }) };
        });
        counts.push(count);
      },
      counts: async () => addChanges(counts),
    };
  }

  /**
   * Counts what would be deleted. Records that refer to another or are below it do not keep it when they meet the
   * filter, too, unless they stay for another reason.
   */
  #deletions({ model, filter, principal }: ChangeCall): Foretelling {
    const counts = new Map<string, ChangeCounts>();
    const needed = neededBy(model, filter, []);
    const goingWith = new Map<string, string[]>();
    const isStaying = (id: string): boolean => (counts.get(id)?.failed ?? 0) > 0;
    const judge = async (id: string): Promise<void> => {
      const isLeaving = async (entity: string, record: RecordHeader): Promise<boolean> => {
        if (entity !== model.code || isStaying(record.id)) return false;
        goingWith.set(record.id, [...(goingWith.get(record.id) ?? []), id]);
        const parts = this.#deps.largeValues.inParts(model, [record], needed);
        for await (const [whole] of parts) return !!whole && isGranted(model, whole, { filter });
        return false;
      };
      const count = await counted(id, async () => {
        await this.#deps.deletions.preview(model, id, principal, isLeaving);
        return { ...NO_CHANGES, changed: 1 };
      });
      counts.set(id, count);
    };
    return {
      take: ({ id }) => judge(id),
      counts: async () => {
        for (let stay = [...counts.keys()].filter(isStaying); stay.length > 0; ) {
          const others = new Set(stay.flatMap((id) => goingWith.get(id) ?? []));
          const again = [...others].filter((id) => !isStaying(id));
          for (const id of again) await judge(id);
          stay = again.filter(isStaying);
        }
        return addChanges([...counts.values()]);
      },
    };
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
