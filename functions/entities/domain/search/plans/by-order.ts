import { conjuncts } from '../../query/filter.ts';
import {
  type Choice,
  cheapestWay,
  chooseByTrial,
  countedMatches,
  ROWS_PER_RECORD,
} from '../estimate.ts';
import { gathered, planInGroups } from '../following/by-rows.ts';
import { narrowed, startOf } from '../following/narrowed.ts';
import {
  collectedBy,
  type IdSet,
  openSets,
  otherWordSets,
  PROBE_ROWS,
  probe,
  rarerSet,
} from '../gather.ts';
import { sift } from '../hits.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import { NOTHING } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import { compositeWalk, isIndexed, orderedWalk } from '../sorting/ordered.ts';
import { planWithoutIndex, sorted } from '../sorting/sorted.ts';
import { fewest, fewOf } from './by-keys.ts';

/** A scan whose rows prove that they are wanted. */
function provenWalk(request: PlanRequest, search: Search): Plan | undefined {
  const { filter, order } = request;
  const composite = compositeWalk(request, search);
  if (composite) return composite;
  const [first] = order;
  const rest = conjuncts(filter).filter(
    (part) => part.kind !== 'test' || part.field !== first?.field,
  );
  if (!hasOwnIndex(request, search) || rest.length > 0) return undefined;
  return { name: 'ordered', hits: orderedWalk(request, search), coversFilter: true };
}

/** Whether the order is that of one index. */
const hasOwnIndex = ({ order }: PlanRequest, search: Search): boolean =>
  order.length === 1 && isIndexed(order, search);

const checkedWalk = (request: PlanRequest, search: Search): Plan => ({
  ...{ name: 'ordered, checked', hits: orderedWalk(request, search), coversFilter: false },
});

/** Plans a list in another order. */
export async function planByOrder(request: PlanRequest, search: Search): Promise<Plan> {
  const proven = provenWalk(request, search);
  if (proven) return proven;
  const { filter, known } = request;
  const isSingle = hasOwnIndex(request, search);
  if (known) return isSingle ? checkedWalk(request, search) : planWithoutIndex(request, search);
  const sets = openSets(conjuncts(filter), search);
  const counted = await countedMatches(filter, search);
  const small =
    counted === undefined || counted <= PROBE_ROWS
      ? ((await probe(sets, search)) ?? (await probe(otherWordSets(filter, search), search)))
      : undefined;
  if (!isSingle) {
    const first = small ?? sets.find(({ scansIndex }) => !scansIndex);
    return first
      ? planInGroups(first, counted, request, search)
      : planWithoutIndex(request, search);
  }
  const first = small ?? (counted === undefined ? await fewest(sets, search) : sets[0]);
  const set = small ?? (await rarerSet(first, request, search));
  return set ? chooseWay(set, counted, request, search) : checkedWalk(request, search);
}

/** Scans in sort order and checks each record, filters the scan by a set, or sorts the set. */
async function chooseWay(
  set: IdSet,
  counted: number | undefined,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { filter, expected: wanted } = request;
  if (set.isComplete && set.size <= wanted) return gathered(set.ids, request, search);
  const known = set.isComplete ? set.size : counted;
  const few = known === undefined && set.keyed && (await fewOf(set.keyed, wanted, search));
  const choice: Pick<Choice, 'way' | 'density'> & Partial<Choice> =
    few ||
    (known === undefined
      ? await chooseByTrial(
          orderedWalk(request, search),
          { filter, wanted, rows: await set.rowsAmong(search) },
          search,
        )
      : await chooseByCount(known, set, wanted, search));
  const { way, density } = choice;
  const expected = Math.ceil(wanted / Math.max(density, 1e-3));
  if (way !== 'walk' && (await collectedBy(set, search))) {
    return planBySet(set, density, request, search);
  }
  const hits = choice.hits ?? orderedWalk({ ...request, expected }, search);
  return { name: 'ordered, checked', hits, coversFilter: false, density, known: startOf(set) };
}

/** Rows that the first page of a list reads to leave records out. */
const MAX_NARROWING = 6_000;

/** Sorts a set that is complete, or filters the scan by it. */
async function planBySet(
  set: IdSet,
  density: number,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { size } = set;
  const { live } = await search.source.counters();
  const matching = Math.min(size, density * live);
  const looked = Math.min(size, (request.expected * size) / Math.max(matching, 1));
  // Half of what the records cost that this page looks at in vain.
  const inVain = (looked * (1 - matching / size) * ROWS_PER_RECORD) / 2;
  const worth = Math.min(inVain, MAX_NARROWING);
  const known = { ...NOTHING, ids: set.ids, rest: set.rest, looked: size, fitted: matching };
  const news = await narrowed(known, request.filter, search, worth);
  const { ids, rest } = { ...known, ...news };
  const wanted = Math.min(ids.size, (request.expected * ids.size) / Math.max(matching, 1));
  const way = cheapestWay({ matching: ids.size, live, wanted, rowsToCollect: 0 });
  if (way === 'gather') return sorted('gather', [...ids], request, search);
  const expected = Math.ceil((request.expected * live) / Math.max(matching, 1));
  const walk = orderedWalk({ ...request, expected }, search);
  const hits = sift(walk, ids, search);
  const found = { ...news, ids, rest, looked: 0, fitted: 0 };
  const { total } = set;
  return { name: 'ordered, sifted', hits, coversFilter: false, known: found, total };
}

/** The strategy when the number of matches is known. */
async function chooseByCount(
  matching: number,
  set: IdSet,
  wanted: number,
  search: Search,
): Promise<Omit<Choice, 'hits'> & { readonly hits?: undefined }> {
  const { live } = await search.source.counters();
  const rowsToCollect = set.isComplete ? 0 : ((await set.rowsAmong(search)) ?? matching);
  return {
    way: cheapestWay({ matching, live, wanted, rowsToCollect }),
    density: Math.min(1, matching / Math.max(live, 1)),
  };
}
