import type { Filter } from '../query/filter.ts';
import type { Position, SortKey } from '../query/order.ts';
import type { Hits } from './hits.ts';

/** What a page has found out for those that follow: the places of all records that may fit, or only which they are. */
export type Known =
  | { readonly places: readonly Position[] }
  | { readonly ids: ReadonlySet<string> };

/** Remembers it, by the order of the list. */
export interface Kept {
  find(order: readonly SortKey[]): Known | undefined;
  keep(order: readonly SortKey[], known: Known): void;
}

/** Candidates in the order of the list. Those that are not proven are checked on the record. */
export interface Plan {
  readonly name: string;
  readonly hits: Hits;
  /** Whether hits that say so are proven to meet the whole filter. */
  readonly coversFilter: boolean;
  /** What was collected of all records that may fit, before and behind the start. */
  readonly known?: Known;
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
  readonly kept?: Kept;
  /** Whether the order is irrelevant. */
  readonly isUnordered?: boolean;
}
