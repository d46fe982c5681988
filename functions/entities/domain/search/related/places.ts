import type { QueryField } from '../../definitions/model.ts';
import type { RecordHeader } from '../../entity/record.ts';
import { type Filter, matches } from '../../query/filter.ts';
import { type Places, positionOf } from '../../query/order.ts';
import { ID_SEPARATOR } from '../../records/index-rows.ts';
import type { Search } from '../row-walk.ts';

/** Records of another entity, by whose field others are ordered. */
export interface RelatedOrder {
  /** Field that refers to them. */
  readonly field: QueryField;
  /** Their field that decides the order. */
  readonly by: string;
  readonly descending: boolean;
  readonly target: Search;
  /** Those of them that the caller sees. */
  readonly seen: Filter;
}

/** Parts of the order: records that refer to one that the caller sees, to none, and to one that is hidden or gone. */
export type Part = 'seen' | 'none' | 'outside';

const BATCH = 100;
/** Records without a value come first; those that refer to what is hidden or gone come last, whatever the direction. */
const ASCENDING: Readonly<Record<Part, string>> = { none: 'A', seen: 'V', outside: 'W' };
const DESCENDING: Readonly<Record<Part, string>> = { outside: 'A', none: 'B', seen: 'V' };

/**
 * Places of records in the order of those that they refer to: by the value of these, then by their id. A place of a record
 * that is seen ends with the sort key of its row.
 */
export class RelatedPlaces implements Places {
  readonly related: RelatedOrder;
  /** Places of the others that were read; `undefined`: hidden or gone. */
  readonly #known = new Map<string, string | undefined>();
  readonly #letters: Readonly<Record<Part, string>>;

  constructor(related: RelatedOrder) {
    this.related = related;
    this.#letters = related.descending ? DESCENDING : ASCENDING;
  }

  /** The parts in the order of a walk. */
  parts(reverse: boolean): readonly Part[] {
    const ascending = (Object.keys(this.#letters) as Part[]).sort((one, other) =>
      this.#letters[one] < this.#letters[other] ? -1 : 1,
    );
    return reverse ? ascending.reverse() : ascending;
  }

  partOf(place: string): Part | undefined {
    return (Object.keys(this.#letters) as Part[]).find((part) =>
      place.startsWith(this.#letters[part]),
    );
  }

  /** The place of a part with what follows there: the sort key of a row, or an id. */
  at(part: Part, rest = ''): string {
    return this.#letters[part] + rest;
  }

  of(header: RecordHeader): string {
    const [entry] = this.related.field.entries(header);
    return entry ? (this.seen(entry.key) ?? this.at('outside', entry.key)) : this.at('none');
  }

  /** The place of the records that refer to one; none when that one is hidden or gone. */
  seen(id: string): string | undefined {
    return this.#known.get(id);
  }

  async learn(headers: readonly RecordHeader[]): Promise<void> {
    await this.read(headers.flatMap((header) => this.related.field.entries(header)[0]?.key ?? []));
  }

  /** Reads records that others refer to, each once. */
  async read(ids: readonly string[]): Promise<void> {
    const { by, target, seen } = this.related;
    const { source, model, words } = target;
    const unread = [...new Set(ids)].filter((id) => !this.#known.has(id));
    for (let at = 0; at < unread.length; at += BATCH) {
      const some = unread.slice(at, at + BATCH);
      for (const id of some) this.#known.set(id, undefined);
      for await (const headers of source.headers(some)) {
        for (const header of headers) {
          const isSeen = header.deletedAt === undefined && matches(seen, header, model, words);
          const { keys, id } = positionOf([{ field: by, descending: false }], header, model);
          if (isSeen) this.#known.set(id, this.at('seen', [...keys, id].join(ID_SEPARATOR)));
        }
      }
    }
  }
}
