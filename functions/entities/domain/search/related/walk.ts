import { isReversed, type Position } from '../../query/order.ts';
import { ID_INDEX, ID_SEPARATOR, NO_VALUE, valueKey } from '../../records/index-rows.ts';
import { equalTo } from '../find.ts';
import type { Hit, Hits, IdHits } from '../hits.ts';
import type { PlanInput } from '../plan-request.ts';
import { wholeIndex } from '../ranges.ts';
import { openWalk, type RowWalk, type Search, type WalkedRow } from '../row-walk.ts';
import type { Part, RelatedPlaces } from './places.ts';

/** Related records whose referring records are read at once: few at first, more while those have none. */
const FIRST_GROUPS = 4;
const MAX_GROUPS = 32;
/** Rows with a value in the index of the reference. */
const REFERRING = { from: valueKey(''), to: '2' };
const OUTSIDE_BATCH = 100;
const OUTSIDE_ROWS = 1_000;

/** The indexes that a walk over related records reads, if they are there. */
function indexesOf(
  { model }: Search,
  { related: { field, by, target } }: RelatedPlaces,
): { readonly own: string; readonly theirs: string } | undefined {
  const isId = by === 'id' || by === 'createdAt';
  const own = model.readyIndex([field.code])?.name;
  const theirs = isId ? ID_INDEX : target.model.readyIndex([by])?.name;
  return own !== undefined && theirs !== undefined ? { own, theirs } : undefined;
}

/** Records in the order of those that they refer to: one related record after the other, and the records of each. */
export function relatedWalk(
  request: PlanInput,
  search: Search,
  places: RelatedPlaces,
): Hits | undefined {
  const indexes = indexesOf(search, places);
  const hits = indexes && new RelatedWalk(request, search, places, indexes).hits();
  return hits && { next: async () => (await hits.next()).value };
}

/** A walk over related records in their order, and over the records of each. */
class RelatedWalk {
  readonly #search: Search;
  readonly #places: RelatedPlaces;
  readonly #indexes: { readonly own: string; readonly theirs: string };
  readonly #reverse: boolean;
  readonly #from: Position | undefined;

  constructor(
    { order, position }: PlanInput,
    search: Search,
    places: RelatedPlaces,
    indexes: { readonly own: string; readonly theirs: string },
  ) {
    this.#search = search;
    this.#places = places;
    this.#indexes = indexes;
    this.#reverse = isReversed(order);
    this.#from = position;
  }

  async *hits(): AsyncGenerator<Hit, undefined> {
    const place = this.#from?.keys[0];
    const parts = this.#places.parts(this.#reverse);
    const begun = place === undefined ? undefined : this.#places.partOf(place);
    const walks = {
      none: () => this.#none(),
      seen: () => this.#seen(),
      outside: () => this.#outside(),
    };
    for (const part of parts.slice(begun ? parts.indexOf(begun) : 0)) yield* walks[part]();
    return undefined;
  }

  async *#none(): AsyncGenerator<Hit> {
    const from = this.#fromWithin('none');
    yield* this.#all(this.#group(NO_VALUE, from?.id), this.#places.at('none'));
  }

  async *#seen(): AsyncGenerator<Hit> {
    const { target } = this.#places.related;
    const from = this.#fromWithin('seen');
    const rest = from?.rest;
    const first = rest?.slice(rest.lastIndexOf(ID_SEPARATOR) + 1);
    if (from && first !== undefined) {
      await this.#places.read([first]);
      if (this.#places.seen(first) === from.place) {
        yield* this.#all(this.#group(valueKey(first), from.id), from.place);
      }
    }
    const walk = openWalk(target, this.#indexes.theirs, wholeIndex, {
      ...{ reverse: this.#reverse, after: rest, expected: FIRST_GROUPS },
    });
    for (let size = FIRST_GROUPS; ; size = Math.min(size * 2, MAX_GROUPS)) {
      const rows = await takeRows(walk, size);
      await this.#places.read(rows.map(({ id }) => id));
      const current = rows.filter((row) => this.#places.seen(row.id) === this.#placeOfRow(row));
      yield* this.#groups(current.map((row) => [row.id, this.#placeOfRow(row)]));
      const last = rows.at(-1);
      if (!last) return;
      if (this.#search.budget.isSpent) yield this.#reached(this.#placeOfRow(last));
    }
  }

  async *#outside(): AsyncGenerator<Hit> {
    const from = this.#fromWithin('outside');
    const { own } = this.#indexes;
    if (from) {
      await this.#places.read([from.rest]);
      if (this.#places.seen(from.rest) === undefined) {
        yield* this.#all(this.#group(valueKey(from.rest), from.id), from.place);
      }
    }
    const walk = openWalk(this.#search, own, REFERRING, {
      reverse: this.#reverse,
      after: from && this.#endOf(valueKey(from.rest)),
      expected: OUTSIDE_ROWS,
    });
    for (;;) {
      const ids = await this.#references(walk);
      await this.#places.read(ids);
      const strangers = ids.filter((id) => this.#places.seen(id) === undefined);
      yield* this.#groups(strangers.map((id) => [id, this.#places.at('outside', id)]));
      const last = ids.at(-1);
      if (last === undefined) return;
      if (this.#search.budget.isSpent) yield this.#reached(this.#places.at('outside', last));
    }
  }

  /** The next values of the reference, each once. */
  async #references(walk: RowWalk): Promise<string[]> {
    const ids: string[] = [];
    for (let row = await walk.next(); row; row = await walk.next()) {
      ids.push(row.key.slice(1));
      walk.seek(this.#endOf(row.key));
      if (ids.length === OUTSIDE_BATCH || this.#search.budget.isSpent) break;
    }
    return ids;
  }

  /** The records of several related ones; the first of each are read side by side. */
  async *#groups(groups: readonly (readonly [id: string, place: string])[]): AsyncGenerator<Hit> {
    for (let at = 0; at < groups.length; at += MAX_GROUPS) {
      const some = groups.slice(at, at + MAX_GROUPS);
      const opened = some.map(([id, place]) => ({ place, hits: this.#group(valueKey(id)) }));
      const first = await Promise.all(opened.map(({ hits }) => hits.next()));
      for (const [index, { hits, place }] of opened.entries()) {
        const head = first[index];
        if (!head) continue;
        yield { id: head.id, keys: [place], isProven: false };
        yield* this.#all(hits, place);
      }
    }
  }

  async *#all(hits: IdHits, place: string): AsyncGenerator<Hit> {
    for (let hit = await hits.next(); hit; hit = await hits.next()) {
      yield { id: hit.id, keys: [place], isProven: false };
    }
  }

  /** The records with one reference, in the order of ids. */
  #group(key: string, after?: string): IdHits {
    const direction = { reverse: this.#reverse, expected: 20, after };
    return equalTo(this.#search, this.#indexes.own, key, [], direction);
  }

  #placeOfRow({ sk }: WalkedRow): string {
    return this.#places.at('seen', sk);
  }

  /** A hit without a record, at which a page ends when the work limit is reached: the next page goes on behind it. */
  #reached(place: string): Hit {
    return { id: this.#reverse ? BEFORE_IDS : AFTER_IDS, keys: [place], isProven: false };
  }

  /** Behind all rows of a key. */
  #endOf(key: string): string {
    return key + ID_SEPARATOR + (this.#reverse ? '' : AFTER_IDS);
  }

  #fromWithin(part: Part) {
    const place = this.#from?.keys[0];
    if (!this.#from || place === undefined || this.#places.partOf(place) !== part) return undefined;
    return { place, rest: place.slice(1), id: this.#from.id };
  }
}

const BEFORE_IDS = '!';
const AFTER_IDS = '~';

async function takeRows(walk: RowWalk, size: number): Promise<WalkedRow[]> {
  const rows: WalkedRow[] = [];
  for (let row = await walk.next(); row; row = await walk.next()) {
    rows.push(row);
    if (rows.length === size) break;
  }
  return rows;
}
