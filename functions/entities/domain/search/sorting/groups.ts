import { allOf, type Comparison } from '../../query/filter.ts';
import {
  comparePositions,
  isReversed,
  type SortKey,
  startOfGroup,
  withinGroup,
} from '../../query/order.ts';
import { NO_VALUE } from '../../records/index-rows.ts';
import { type Hit, type Hits, sift } from '../hits.ts';
import type { Known, Plan, PlanRequest } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import { orderedWalk } from './ordered.ts';
import { placed } from './placed.ts';

/** Most records sorted in memory; below the work limit of one request, so that it progresses. */
export const MAX_GROUP = 1_900;
/** Records whose large values decide the order that a request reads of its first group after its time, so that it progresses. */
const MAX_LATE = 40;

/**
 * A combined order by the index of its first field: the records of each of its values are sorted in memory, or are a
 * list of their own where they are too many.
 * @param within the only records to show, if not all
 */
export function planByGroups(
  request: PlanRequest,
  search: Search,
  within: Pick<Known, 'ids' | 'rest'> = {},
): Plan {
  const groups = new Groups(request, search, within.ids);
  const hits = groups.hits();
  return {
    ...{ name: 'ordered by groups', coversFilter: true },
    hits: { next: async () => (await hits.next()).value },
    get known() {
      const { largeGroup } = groups;
      return within.ids || largeGroup !== undefined ? { ...within, largeGroup } : undefined;
    },
  };
}

/** Records of the same first key; none where they are too many. */
interface Group {
  readonly key: string;
  readonly ids: readonly string[] | undefined;
}

class Groups {
  readonly #request: PlanRequest;
  readonly #search: Search;
  readonly #only: ReadonlySet<string> | undefined;
  /** The group that is being read as a list of its own. */
  largeGroup: string | undefined;

  constructor(request: PlanRequest, search: Search, only: ReadonlySet<string> | undefined) {
    this.#request = request;
    this.#search = search;
    this.#only = only;
  }

  async *hits(): AsyncGenerator<Hit, undefined> {
    const { position, known } = this.#request;
    const from = position?.keys[0];
    const isWithinLarge = from !== undefined && known?.largeGroup === from;
    if (isWithinLarge) yield* this.#ofLarge(from);
    // The group in which the page before ended is read again from its beginning, unless all its places were known.
    const isPast = isWithinLarge || known?.places.at(-1)?.id === position?.id;
    let next = this.#groups(from, isPast);
    let isFirst = !isWithinLarge;
    for (let group = await next(); group; group = await next()) {
      const { key } = group;
      const hits = await this.#sorted(group, isFirst ? MAX_LATE : 0);
      if (hits) {
        yield* hits;
      } else {
        // A request that has no time for it leaves it to the next one.
        const start = { ...startOfGroup(this.#request.order, key), isProven: false };
        if (!isFirst && this.#search.budget.isSpent) yield start;
        yield* this.#ofLarge(key);
        next = this.#groups(key, true);
      }
      isFirst = false;
    }
    return undefined;
  }

  /** Reads the ids of the records of one value after the other. @param isBehind whether those of the first key are left out */
  #groups(from: string | undefined, isBehind: boolean): () => Promise<Group | undefined> {
    const { order } = this.#request;
    const start =
      from === undefined ? undefined : isReversed(order) === isBehind ? from : `${from} `;
    const single = { ...this.#request, order: order.slice(0, 1), expected: 100 };
    const rows = this.#within(orderedWalk(single, this.#search, start));
    let ahead: Hit | undefined;
    return async () => {
      ahead ??= await rows.next();
      if (!ahead) return undefined;
      const [key = ''] = ahead.keys;
      const ids: string[] = [];
      for (; ahead && ahead.keys[0] === key; ahead = await rows.next()) {
        ids.push(ahead.id);
        if (ids.length > MAX_GROUP) return { key, ids: undefined };
      }
      return { key, ids };
    };
  }

  /** Those that may fit behind the position; `undefined`: they are too many, or take too long. */
  async #sorted({ key, ids }: Group, maxLate: number): Promise<readonly Hit[] | undefined> {
    const { order, position } = this.#request;
    const found = ids && (await placed(ids, this.#request, this.#search, maxLate));
    const present = found?.filter(
      (hit) => hit.keys[0] === key && (!position || comparePositions(order, hit, position) > 0),
    );
    const fitting = present?.filter(({ mayMatch }) => mayMatch);
    // At the work limit, return the end of the group as an unproven record.
    if (fitting?.length === 0 && this.#search.budget.isSpent) return present?.slice(-1);
    return fitting;
  }

  /** The records of one value: a list of its own, of one field less to sort by. */
  async *#ofLarge(key: string): AsyncGenerator<Hit> {
    const { filter, order, position, expected, planPart } = this.#request;
    this.largeGroup = key;
    const isWithin = position?.keys[0] === key;
    const plan = await planPart({
      filter: allOf([filter, havingKey(order, key)]),
      order: withinGroup(order),
      position: isWithin ? { keys: position.keys.slice(1), id: position.id } : undefined,
      expected,
    });
    const hits = this.#within(plan.hits);
    for (let hit = await hits.next(); hit; hit = await hits.next()) {
      const isProven = plan.coversFilter && hit.isProven;
      yield { ...hit, keys: [key, ...hit.keys], isProven };
    }
    this.largeGroup = undefined;
  }

  #within(hits: Hits): Hits {
    return this.#only ? sift(hits, this.#only, this.#search) : hits;
  }
}

/** Whether a record has the first key of a group: by the key, as the order is. */
function havingKey([first]: readonly SortKey[], key: string): Comparison {
  const test = { kind: 'test', field: first?.field ?? '', isExact: true, isMany: false } as const;
  if (key === NO_VALUE) return { ...test, op: 'null', operands: [{ key: '', value: true }] };
  const operand = { key: key.slice(1), value: undefined };
  return { ...test, op: 'between', operands: [operand, operand] };
}
