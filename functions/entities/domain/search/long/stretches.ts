import type { RecordHeader } from '../../entity/record.ts';
import { type Filter, matches } from '../../query/filter.ts';
import { comparePositions, positionOf, type SortKey } from '../../query/order.ts';
import type { Hit, Hits } from '../hits.ts';
import { type ReadHit, readHits } from '../read-hits.ts';
import type { Search } from '../row-walk.ts';

/** Some records that match, and the id or place after which a later walk goes on. */
export interface Stretch {
  readonly records: readonly RecordHeader[];
  readonly after: string;
}

/** Records of one request, and of one stretch. */
export const BATCH = 100;
const STRETCH = 8;

/** Which of the candidates a walk shows. */
interface Shown {
  readonly filter: Filter;
  /** Left out: by their ids. */
  readonly order?: readonly SortKey[];
}

/** Those of the candidates that match, few at a time. */
export async function* stretchesOf(
  hits: Hits,
  shown: Shown,
  search: Search,
): AsyncGenerator<Stretch> {
  for (let isEnd = false; !isEnd; ) {
    const batch: Hit[] = [];
    while (batch.length < BATCH && !isEnd) {
      const hit = await hits.next();
      isEnd = hit === undefined;
      if (hit) batch.push(hit);
      if (search.budget.isSpent) break;
    }
    for await (const some of readHits(batch, search.source)) {
      for (let at = 0; at < some.length; at += STRETCH) {
        yield stretchOf(some.slice(at, at + STRETCH), shown, search);
      }
    }
  }
}

function stretchOf(
  read: readonly ReadHit[],
  { filter, order }: Shown,
  { model, words }: Search,
): Stretch {
  const records = read.flatMap(({ hit, header }) => {
    if (!header || header.deletedAt !== undefined) return [];
    // A record whose place has changed is met at the new one.
    const isThere = !order || comparePositions(order, hit, positionOf(order, header, model)) === 0;
    return isThere && matches(filter, header, model, words) ? [header] : [];
  });
  const { keys = [], id = '' } = read.at(-1)?.hit ?? {};
  return { records, after: order ? JSON.stringify({ keys, id }) : id };
}
