import { MAX_PAGE_WINDOW } from '../../../../shared/http/paging.ts';
import { problems } from '../../errors.ts';
import { reversed } from '../query/order.ts';
import { knownBetter } from './following/narrowed.ts';
import { resumed } from './following/resumed.ts';
import { type FoundPage, PageCollector, type PageSearch } from './page-collector.ts';
import { NOTHING } from './plan-request.ts';
import { planQuery } from './plans/plan.ts';
import type { Search } from './row-walk.ts';

/** Finds one page of records. */
export async function findPage(request: PageSearch, search: Search): Promise<FoundPage> {
  const { kept, order, position, skip, size } = request;
  const before = position && kept?.find(order);
  const known = before && (await knownBetter(before, request.filter, search));
  const asked = { ...request, expected: skip + size + 1 };
  const plan =
    known && position
      ? resumed(known, { ...asked, position }, (onward) => planQuery(onward, search))
      : await planQuery(asked, search);
  const collector = new PageCollector(plan, request, search);
  const found = await collector.run();
  if (kept && found.next) {
    const more = await collector.known({ ...NOTHING, ...known, ...plan.known });
    // A list that is cheap to go on with shows what is there by then.
    const isDear = search.budget.rows > 3 * size || more.read > more.fitted;
    if (plan.known || isDear) kept.keep(order, more);
    return { ...found, total: await collector.total() };
  }
  return found;
}

/** Finds a page by scanning from the end, for pages that are nearer to it. */
export async function findPageFromEnd(
  request: PageSearch,
  total: number,
  search: Search,
): Promise<FoundPage> {
  const { filter, order, skip, size } = request;
  const end = Math.max(0, total - skip - size);
  const wanted = Math.min(size, total - skip);
  const found = await findPage({ filter, order: reversed(order), skip: end, size: wanted }, search);
  // The records that are missing come first, and a walk from there on can be continued.
  if (!found.isComplete) return findPage(request, search);
  const records = [...found.records].reverse();
  const last = records.at(-1);
  const position = last && found.placeOf(last);
  return {
    ...found,
    records,
    next: end > 0 && position ? { position, skip: 0 } : undefined,
    ...{ isWhole: false, total: undefined },
  };
}

/**
 * Finds the page that ends before a position by scanning backward.
 * @returns the page; its `next` is where the page before it ends.
 */
export async function findPageBefore(request: PageSearch, search: Search): Promise<FoundPage> {
  const { order, size } = request;
  // One extra record shows whether there is an earlier page.
  const found = await findPage({ ...request, order: reversed(order), size: size + 1 }, search);
  return turnedRound(found, size);
}

/** Results of a backward walk, in the order of the list and without the extra record. */
export function turnedRound(found: FoundPage, size: number): FoundPage {
  const shown = found.records.slice(0, size);
  const farthest = found.records.length > size ? shown.at(-1) : undefined;
  return {
    ...found,
    records: shown.toReversed(),
    next: farthest ? { position: found.placeOf(farthest), skip: 0 } : found.next,
    isComplete: found.isComplete || shown.length === size,
    ...{ isWhole: false, total: undefined },
  };
}

/** @throws Problem `PAGE_WINDOW_EXCEEDED` (400) for a page that is too far from both ends */
export function checkWindow(skip: number, total: number | undefined): void {
  const distance = total === undefined ? skip : Math.min(skip, Math.max(0, total - skip));
  if (distance > MAX_PAGE_WINDOW) throw problems.pageWindowExceeded({ max: MAX_PAGE_WINDOW });
}
