import type { Filter } from '../domain/query/filter.ts';
import { countRecords, MAX_COUNT, type Total } from '../domain/search/counts/counting.ts';
import { rowsOfKeys } from '../domain/search/keyed/key-rows.ts';
import type { FoundPage } from '../domain/search/page-collector.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { countFromCounters } from '../domain/search/totals.ts';
import type { ListCall } from './list-call.ts';
import { EXACT, MOST, type Searches } from './searches.ts';

/** Work limit of the count that comes with a list, unless an exact one is asked for. */
const COUNTED = { ...MOST, maxRows: 5_000, maxHeaders: 1_000 };

/** Time of an exact count that comes with a list: the page itself takes some, too. */
const EXACT_MS = 15_000;

/** Counts the records that meet a filter. */
export class Totals {
  readonly #searches: Searches;

  constructor(searches: Searches) {
    this.#searches = searches;
  }

  /** The count from the counters of the entity. */
  async fromCounters(
    filter: Filter,
    search: Search,
    mode: ListCall['count'],
  ): Promise<Total | undefined> {
    if (mode === 'none') return undefined;
    const value = countFromCounters(filter, search, await search.source.counters());
    return value === undefined ? undefined : { value, relation: 'eq' };
  }

  /**
   * The total that a list shows.
   * @param before records before the page; `undefined` when a cursor led to it
   */
  async ofPage(
    filter: Filter,
    found: FoundPage,
    before: number | undefined,
    mode: ListCall['count'],
    search: Search,
  ): Promise<Total | undefined> {
    if (mode === 'none') return undefined;
    const isKnown = before === 0 || found.records.length > 0;
    if (before !== undefined && found.isWhole && isKnown) {
      return { value: before + found.records.length, relation: 'eq' };
    }
    if (before !== undefined && found.total !== undefined) {
      return { value: found.total, relation: 'eq' };
    }
    if (mode === 'exact') return this.counted(filter, mode, search, EXACT_MS);
    const { model } = search;
    const maxRows = COUNTED.maxRows + (await rowsOfKeys(filter, search));
    const counting = this.#searches.open(model, filter, { limit: { ...COUNTED, maxRows } });
    const total = await countRecords(filter, MAX_COUNT, counting);
    const shown = (before ?? 0) + found.records.length + (found.next ? 1 : 0);
    return total.relation === 'eq' ? total : { ...total, value: Math.max(total.value, shown) };
  }

  /** Counts by looking at each record or row. */
  counted(
    filter: Filter,
    mode: ListCall['count'],
    { model }: Search,
    maxMs = EXACT.maxMs,
  ): Promise<Total> {
    const isExact = mode === 'exact';
    const limit = isExact ? { ...EXACT, maxMs } : MOST;
    const counting = this.#searches.open(model, filter, { limit });
    return countRecords(filter, isExact ? EXACT.maxRows : MAX_COUNT, counting);
  }
}
