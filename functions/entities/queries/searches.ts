import type { Clock } from '../../../shared/primitives/clock.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
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

/** Opens searches of entities that end with the work they may do. */
export class Searches {
  readonly #deps: SearchesDependencies;

  constructor(dependencies: SearchesDependencies) {
    this.#deps = dependencies;
  }

  /** @param fields those whose large values are needed; left out: all */
  open(
    model: EntityModel,
    consistent: boolean,
    { maxMs, ...most }: WorkLimit = MOST,
    fields?: ReadonlySet<string>,
  ): Search {
    const { clock } = this.#deps;
    const endsAt = clock.now() + maxMs;
    const budget = new Budget({ ...most, isLate: () => clock.now() > endsAt });
    return this.#within(budget, model, consistent, fields);
  }

  /** Opens a search of another entity within the work of one that is open. */
  beside(
    { budget }: Search,
    model: EntityModel,
    consistent: boolean,
    fields: ReadonlySet<string> | undefined,
  ): Search {
    return this.#within(budget, model, consistent, fields);
  }

  #within(
    budget: Budget,
    model: EntityModel,
    consistent: boolean,
    fields: ReadonlySet<string> | undefined,
  ): Search {
    const source = metered(createRecordSource(model, this.#deps, consistent, fields), budget);
    return searchOf(model, source, budget);
  }
}
