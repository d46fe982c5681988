import { toInstant } from '../../../shared/primitives/clock.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { isGranted } from '../access/record-rules.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import {
  addChanges,
  type ChangeCounts,
  type ChangeFailure,
  failureCount,
  NO_CHANGES,
} from '../domain/transfer/change-counts.ts';
import { DeletionForecast, type ForecastNotes } from '../domain/transfer/deletion-forecast.ts';
import { type JobNotes, MAX_NOTES, type NotesPlace } from '../rehearsals/job-notes.ts';
import type { KeptRehearsals } from '../rehearsals/kept-rehearsals.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { ChangeCall } from './record-changes.ts';

export interface ChangePreviewDependencies {
  readonly deletions: Pick<DeletionService, 'preview'>;
  readonly keptRehearsals: KeptRehearsals;
  readonly notes: JobNotes;
  readonly largeValues: Pick<LargeValueStore, 'inParts'>;
}

/** Where a step ends. */
export interface EndOfStep {
  /** Whether no records come after it. */
  readonly isEnd: boolean;
  /** What the steps before have counted. */
  readonly foretold: ChangeCounts;
  /** Walks in which a deletion tries again. */
  readonly maxPasses: number;
}

/** What a change would do to records that a step meets one after the other. */
interface Foretelling {
  take(record: Pick<RecordHeader, 'id' | 'version'>): Promise<void>;
  end(step: EndOfStep): Promise<Foretold>;
}

/** What a dry run has found out so far. */
export interface Foretold {
  readonly counts: ChangeCounts;
  /** Where the next step finds what this one knows. */
  readonly slot: number | undefined;
  readonly isExact: boolean;
}

/** Refusals that depend on which other records stay. */
const BY_OTHERS: ReadonlySet<string> = new Set(['REFERENCED', 'HAS_CHILDREN']);

/** Says what a change by filter would do. */
export class ChangePreview {
  readonly #deps: ChangePreviewDependencies;

  constructor(dependencies: ChangePreviewDependencies) {
    this.#deps = dependencies;
  }

  /** @param place where the step before has left what it knows */
  of(call: ChangeCall, place: NotesPlace): Promise<Foretelling> {
    return call.request.op === 'update' ? this.#updates(call, place) : this.#deletions(call, place);
  }

  async #updates(
    { model, request: { data = {} }, principal }: ChangeCall,
    place: NotesPlace,
  ): Promise<Foretelling> {
    const { keptRehearsals } = this.#deps;
    const rehearsal = await keptRehearsals.open(place, 'change');
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
      end: async ({ isEnd, foretold }) => {
        const slot = isEnd
          ? undefined
          : await keptRehearsals.keep(model, place, rehearsal, 'change');
        const { isExact } = rehearsal.overlay;
        return { counts: addChanges([foretold, ...counts]), slot, isExact };
      },
    };
  }

  /**
   * Counts what would be deleted. Records that refer to another or are below it do not keep it when they meet the
   * filter, too, unless they stay for another reason, which is known when all records are.
   */
  async #deletions(call: ChangeCall, place: NotesPlace): Promise<Foretelling> {
    const { notes } = this.#deps;
    const forecast = new DeletionForecast(await notes.read<ForecastNotes>(place));
    const counts: ChangeCounts[] = [];
    return {
      take: async ({ id }) => {
        const count = await this.#deletion(call, id, forecast);
        if (count.failed > 0) forecast.stays(id);
        counts.push(count);
      },
      end: async ({ isEnd, foretold, maxPasses }) => {
        if (!isEnd) {
          const slot = await notes.write(place, forecast.notes(MAX_NOTES));
          const { isExact } = forecast;
          return { counts: addChanges([foretold, ...counts]), slot, isExact };
        }
        const turned = forecast.settle(maxPasses).map((id) => keptCount(id));
        const total = addChanges([foretold, ...counts, ...turned]);
        const failures = await this.#named(call, total.failures, forecast);
        return { counts: { ...total, failures }, slot: undefined, isExact: forecast.isExact };
      },
    };
  }

  /** Failures with the reasons that hold when it is known which other records stay. */
  async #named(
    call: ChangeCall,
    failures: readonly ChangeFailure[],
    forecast: DeletionForecast,
  ): Promise<readonly ChangeFailure[]> {
    const named: ChangeFailure[] = [];
    for (const failure of failures) {
      const isSettled = !BY_OTHERS.has(failure.code);
      const again = isSettled ? NO_CHANGES : await this.#deletion(call, failure.id, forecast);
      named.push(again.failures[0] ?? failure);
    }
    return named;
  }

  async #deletion(
    { model, filter, request, principal }: ChangeCall,
    id: string,
    forecast: DeletionForecast,
  ): Promise<ChangeCounts> {
    const others = new Set<string>();
    const until = toInstant(request.moment.ms);
    const isLeaving = async (entity: string, record: RecordHeader): Promise<boolean> => {
      if (entity !== model.code) return false;
      if (record.id === id) return true;
      if (forecast.isStaying(record.id) || record.createdAt > until) return false;
      others.add(record.id);
      const parts = this.#deps.largeValues.inParts(model, [record], neededBy(model, filter, []));
      for await (const [whole] of parts) return !!whole && isGranted(model, whole, { filter });
      return false;
    };
    return counted(id, async () => {
      await this.#deps.deletions.preview(model, id, principal, isLeaving);
      forecast.waits(id, [...others]);
      return { ...NO_CHANGES, changed: 1 };
    });
  }
}

/** A record that was counted as going and stays because of others; the reason is looked up if it is named. */
const keptCount = (id: string): ChangeCounts => ({
  ...NO_CHANGES,
  ...{ changed: -1, failed: 1, failures: [{ id, code: 'REFERENCED' }] },
});

/** A record that is gone by now counts as nothing. */
async function counted(id: string, work: () => Promise<ChangeCounts>): Promise<ChangeCounts> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return error.code === 'RECORD_NOT_FOUND' ? NO_CHANGES : failureCount(id, error);
  }
}
