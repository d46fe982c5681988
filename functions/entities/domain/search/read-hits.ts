import type { RecordHeader } from '../entity/record.ts';
import type { Hit } from './hits.ts';
import type { RecordSource } from './source.ts';

/** A candidate with its record; none when that does not exist. */
export interface ReadHit {
  readonly hit: Hit;
  readonly header: RecordHeader | undefined;
}

/**
 * Candidates with their records, in their order, a few at a time where values are large: who keeps a record keeps its
 * values in memory.
 */
export async function* readHits(
  hits: readonly Hit[],
  source: Pick<RecordSource, 'headers'>,
): AsyncGenerator<readonly ReadHit[]> {
  let at = 0;
  const upTo = (wanted?: RecordHeader): ReadHit[] => {
    const passed: ReadHit[] = [];
    for (let hit = hits[at]; hit; hit = hits[at]) {
      at += 1;
      const isWanted = wanted?.id === hit.id && !hit.header;
      passed.push({ hit, header: isWanted ? wanted : hit.header });
      if (isWanted) break;
    }
    return passed;
  };
  const unread = hits.filter(({ header }) => !header).map(({ id }) => id);
  if (unread.length > 0) {
    for await (const some of source.headers(unread)) yield some.flatMap(upTo);
  }
  if (at < hits.length) yield upTo();
}
