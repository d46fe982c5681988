import type { Filter } from '../query/filter.ts';
import type { Position, SortKey } from '../query/order.ts';
import type { Hits } from './hits.ts';

/** Candidates in the order of the list. Those that are not proven are checked on the record. */
export interface Plan {
  readonly name: string;
  readonly hits: Hits;
  /** Whether hits that say so are proven to meet the whole filter. */
  readonly coversFilter: boolean;
  /** Part of the hits that probably fit; default: all. */
  readonly density?: number;
}

/** Input of the planner. */
export interface PlanRequest {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
  /** Last key of the previous page. */
  readonly position?: Position | undefined;
  /** Rows needed if every row matches. */
  readonly expected: number;
  /** Whether the order is irrelevant. */
  readonly isUnordered?: boolean;
}
