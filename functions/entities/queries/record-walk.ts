import type { EntityModel } from '../domain/definitions/model.ts';
import { type Filter, neededBy } from '../domain/query/filter.ts';
import { ownField, type SortKey } from '../domain/query/order.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { type FollowLimits, follow } from '../domain/search/long/follow.ts';
import { followInOrder } from '../domain/search/long/in-order.ts';
import type { Stretch } from '../domain/search/long/stretches.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { Budget, metered, type RecordSource } from '../domain/search/source.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface RecordWalkDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
}

/** What a walk reads. */
export interface Walked {
  readonly model: EntityModel;
  readonly filter: Filter;
  /** Fields whose large values the records are to have, beside those that decide whether they match. */
  readonly fields: readonly string[];
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

  follow(walked: Walked, { after, isLate }: WalkLimits): AsyncGenerator<Stretch> {
    return follow(walked.filter, after, this.#search(walked, isLate), this.#limits);
  }

  /**
   * The same in an order.
   * @param completed the order with what the search finds
   * @throws Problem `INVALID_PARAMETER` (400) when it needs an index
   */
  async *inOrder(
    walked: Walked,
    given: readonly SortKey[],
    completed: (search: Search) => Promise<readonly SortKey[]>,
    { after, isLate }: WalkLimits,
  ): AsyncGenerator<Stretch> {
    const fields = [...walked.fields, ...given.map(ownField)];
    const search = this.#search({ ...walked, fields }, isLate);
    const order = await completed(search);
    yield* followInOrder({ filter: walked.filter, order }, after, search, this.#limits);
  }

  #search({ model, filter, fields }: Walked, isLate: () => boolean): Search {
    const unlimited = Number.POSITIVE_INFINITY;
    const budget = new Budget({ maxRows: unlimited, maxHeaders: unlimited, isLate });
    const source = createRecordSource(model, this.#deps, true, neededBy(model, filter, fields));
    return searchOf(model, metered(source, budget), budget);
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
