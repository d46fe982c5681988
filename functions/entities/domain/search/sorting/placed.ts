import type { RecordHeader } from '../../entity/record.ts';
import { matches, neededBy } from '../../query/filter.ts';
import { comparePositions, ownField, positionOf } from '../../query/order.ts';
import { lacksLarge, largeOf } from '../../records/large-values.ts';
import type { Hit } from '../hits.ts';
import type { PlanInput } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import type { Budget } from '../source.ts';

/** A record that was read, with its place. */
interface Placed extends Hit {
  /** Whether it may match: where conditions need large values that do not decide the order, it is yet to be checked. */
  readonly mayMatch: boolean;
}

/**
 * Live records in their order. Of large values only those that decide it are read.
 * @param maxLate records with such values that are read after the time of the request
 * @returns `undefined` when the time is over before all of these are read
 */
export async function placed(
  ids: readonly string[],
  { filter, order }: Pick<PlanInput, 'filter' | 'order'>,
  { model, source, words, budget }: Search,
  maxLate = 0,
): Promise<Placed[] | undefined> {
  let late = 0;
  const ordering = new Set(order.map(ownField));
  const judging = neededBy(model, filter, []);
  const hits: Placed[] = [];
  for (let at = 0; at < ids.length; at += 100) {
    for await (const some of source.headers(ids.slice(at, at + 100), ordering)) {
      const live = some.filter(({ deletedAt }) => deletedAt === undefined);
      await order[0]?.places?.learn(live);
      for (const header of live) {
        const place = positionOf(order, header, model);
        const isProven = !lacksLarge(model, header, judging);
        const mayMatch = !isProven || matches(filter, header, model, words);
        const isWhole = isProven && mayMatch && !lacksLarge(model, header, source.fields);
        hits.push({ ...place, isProven, mayMatch, ...(isWhole && keptBy(budget, header)) });
      }
      const slow = some.filter((header) => largeOf(model, header, ordering).length > 0);
      if (budget.isLate) late += slow.length;
      if (late > maxLate) return undefined;
    }
  }
  return hits.sort((one, other) => comparePositions(order, one, other));
}

const keptBy = (budget: Budget, header: RecordHeader): Pick<Hit, 'header'> =>
  budget.keeps(header) ? { header } : {};
