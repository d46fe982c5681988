import type { Filter } from '../query/filter.ts';
import type { Position, SortKey } from '../query/order.ts';
import type { Begun } from './gather.ts';
import type { Hits } from './hits.ts';

/** Candidates in the order of the list. Those that are not proven are checked on the record. */
export interface Plan {
  readonly name: string;
  readonly hits: Hits;
  /** Whether a proven hit meets the whole filter, so that its record need not be checked. */
  readonly coversFilter: boolean;
  /** What planning has found out for the pages that follow. */
  readonly known?: Partial<Known> | undefined;
  /** Part of the hits that probably fit; default: all. */
  readonly density?: number;
  /** Number of records of the whole list, where planning has found it out. */
  readonly total?: number | undefined;
}

/** A query to plan. */
export interface PlanInput {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
  /** Last key of the previous page. */
  readonly position?: Position | undefined;
  /** Rows needed if every row matches. */
  readonly expected: number;
  /** What the pages before have found out; they found no small set. */
  readonly known?: Known | undefined;
  /** Whether the order is irrelevant. */
  readonly isUnordered?: boolean;
}

/** What plans are made of. */
export interface PlanRequest extends PlanInput {
  /** Plans a part of the query as one of its own. */
  readonly planPart: (part: PlanInput) => Promise<Plan>;
}

/** What the pages of a list have found out for those that follow: which records there are and where, not what they hold. */
export interface Known {
  /** Records that may fit, in the order of the list. */
  readonly places: readonly Position[];
  /** Where they begin; none: with the first record. */
  readonly from?: Position | undefined;
  /** Whether no record follows the last of them. */
  readonly isWhole: boolean;
  /** All records that may fit, where they were collected without their places. */
  readonly ids?: ReadonlySet<string> | undefined;
  /** Conditions that may leave out some of these; default: all. */
  readonly rest?: readonly Filter[] | undefined;
  /** Records that were read since these are known, those that were looked at in their order, and those that fitted. */
  readonly read: number;
  readonly looked: number;
  readonly fitted: number;
  /** What was collected so far to know them better, by the name of its set; nothing: it is too large. */
  readonly begun?: ReadonlyMap<string, Begun | undefined> | undefined;
  /** Rows that this took. */
  readonly spent: number;
  /** First key of the records among which the list has come, where these are too many to be sorted in memory. */
  readonly largeGroup?: string | undefined;
  /** Keys of the records in the fields of the order, while they are being read. */
  readonly keys?: RowKeys | undefined;
}

/** Keys of records in the indexes of the fields of an order, as far as they were read. */
export interface RowKeys {
  /** By field; `false`: the rows of the record do not agree. */
  readonly found: readonly ReadonlyMap<string, string | false>[];
  /** Fields whose rows were all read, and the last row that was read of the next one. */
  readonly whole: number;
  readonly last?: Position | undefined;
  /** Rows that this took. */
  readonly rows: number;
}

/** Remembers what pages have found out, by the order of the list. */
export interface Kept {
  find(order: readonly SortKey[]): Known | undefined;
  keep(order: readonly SortKey[], known: Known): void;
}

export const NOTHING: Known = {
  places: [],
  isWhole: false,
  read: 0,
  looked: 0,
  fitted: 0,
  spent: 0,
};

/** Part of the candidates that fitted so far. */
export const densityOf = ({ looked, fitted }: Known): number =>
  looked > 0 ? Math.max(fitted, 0.5) / looked : 1;
