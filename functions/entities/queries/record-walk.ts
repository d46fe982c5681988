import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { type FollowLimits, follow, type Stretch } from '../domain/search/follow.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { Budget, metered, type RecordSource } from '../domain/search/source.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createLongSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface RecordWalkDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
}

/** The start of a walk, and when it should return its next answer. */
export interface WalkLimits {
  /** Id to continue after. */
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
    const unlimited = Number.POSITIVE_INFINITY;
    const budget = new Budget({ maxRows: unlimited, maxHeaders: unlimited, isLate });
    const { complete, ...source } = createLongSource(model, this.#deps);
    const search = searchOf(model, metered(source, budget), budget);
    return follow(filter, after, { ...search, complete }, this.#limits);
  }
}

/** A search of an entity over a source. */
export function searchOf(model: EntityModel, source: RecordSource, budget: Budget): Search {
  const { wordFields } = model;
  return {
    ...{ model, source, budget },
    words: (header, fields = wordFields) => recordWords(model, fields, header),
  };
}
