import type { Clock } from '../../../shared/primitives/clock.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { type Filter, neededBy } from '../domain/query/filter.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { Budget, metered } from '../domain/search/source.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import { searchOf } from './record-walk.ts';

export interface SearchesDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly clock: Clock;
}

/** Work that a search may do. */
export interface WorkLimit {
  readonly maxRows: number;
  readonly maxHeaders: number;
  readonly maxMs: number;
}

/** Work limit of one request. */
export const MOST: WorkLimit = { maxRows: 40_000, maxHeaders: 2_000, maxMs: 3_000 };
/** Work limit of an exact count. */
export const EXACT: WorkLimit = { maxRows: 1_000_000, maxHeaders: 50_000, maxMs: 20_000 };

interface SearchOptions {
  readonly isConsistent?: boolean;
  readonly limit?: WorkLimit;
  readonly fields?: readonly string[];
}

/** Opens searches of entities that end with the work they may do. */
export class Searches {
  readonly #deps: SearchesDependencies;

  constructor(dependencies: SearchesDependencies) {
    this.#deps = dependencies;
  }

  /** Its records have the large values that the filter looks at, and those of some fields. */
  open(
    model: EntityModel,
    filter: Filter,
    { isConsistent = false, limit = MOST, fields = [] }: SearchOptions = {},
  ): Search {
    const { clock } = this.#deps;
    const { maxMs, ...most } = limit;
    const endsAt = clock.now() + maxMs;
    const budget = new Budget({ ...most, isLate: () => clock.now() > endsAt });
    return this.#within(budget, model, isConsistent, neededBy(model, filter, fields));
  }

  /** Opens a search of another entity within the work of one that is open. */
  beside(
    { budget }: Search,
    model: EntityModel,
    consistent: boolean,
    fields: ReadonlySet<string>,
  ): Search {
    return this.#within(budget, model, consistent, fields);
  }

  #within(
    budget: Budget,
    model: EntityModel,
    consistent: boolean,
    fields: ReadonlySet<string>,
  ): Search {
    const source = metered(createRecordSource(model, this.#deps, consistent, fields), budget);
    return searchOf(model, source, budget);
  }
}
