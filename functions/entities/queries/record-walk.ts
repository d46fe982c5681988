import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import type { SortKey } from '../domain/query/order.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { type FollowLimits, follow, type Stretch } from '../domain/search/long/follow.ts';
import { followInOrder } from '../domain/search/long/in-order.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { Budget, metered, type RecordSource } from '../domain/search/source.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface RecordWalkDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
}

/** The start of a walk, and when it should return its next answer. */
export interface WalkLimits {
  /** Where an earlier walk stopped: an id, or a place in its order. */
  readonly after: string | undefined;
  readonly isLate: () => boolean;
}

/** Reads every record that matches a filter, lowest id first, strongly consistent. */
export class RecordWalk {
  readonly #deps: RecordWalkDependencies;

  readonly #limits: FollowLimits | undefined;

  constructor(dependencies: RecordWalkDependencies, limits?: FollowLimits) {
    this.#deps = dependencies;
    this.#limits = limits;
  }

  follow(
    model: EntityModel,
    filter: Filter,
    { after, isLate }: WalkLimits,
  ): AsyncGenerator<Stretch> {
    return follow(filter, after, this.#search(model, isLate), this.#limits);
  }

  /**
   * The same in an order.
   * @param ordered completes the order by what the search finds
   * @throws Problem `INVALID_PARAMETER` (400) when it needs an index
   */
  async *inOrder(
    model: EntityModel,
    filter: Filter,
    ordered: (search: Search) => Promise<readonly SortKey[]>,
    { after, isLate }: WalkLimits,
  ): AsyncGenerator<Stretch> {
    const search = this.#search(model, isLate);
    const order = await ordered(search);
    yield* followInOrder({ filter, order }, after, search, this.#limits);
  }

  #search(model: EntityModel, isLate: () => boolean): Search {
    const unlimited = Number.POSITIVE_INFINITY;
    const budget = new Budget({ maxRows: unlimited, maxHeaders: unlimited, isLate });
    return searchOf(model, metered(createRecordSource(model, this.#deps, true), budget), budget);
  }
}

/** A search of an entity over a source. */
export function searchOf(model: EntityModel, source: RecordSource, budget: Budget): Search {
  const { wordFields } = model;
  return {
    ...{ model, source, budget },
    words: (header, fields = wordFields) => recordWords(fields, header),
  };
}
