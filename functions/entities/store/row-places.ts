import type { RowRequest } from '../domain/search/source.ts';
import { compareKeys, cutToBytes } from '../domain/values/folding.ts';

const MAX_SORT_KEY_BYTES = 1_024;
const LAST_CHARACTER = '\u{10ffff}';

/** Bounds of a query: DynamoDB refuses keys that are longer than any row's. */
export function placesOf({ from, to }: RowRequest['range'], after: string | undefined, pk: string) {
  const low = bound(from, '');
  const high = bound(to, LAST_CHARACTER);
  if (after === undefined) return { between: { from: low, to: high } };
  const place = bound(after, '');
  const [first, last] = [atLeast(place, low) ? place : low, high];
  return {
    between: { from: low, to: high },
    startKey: { pk, sk: atLeast(last, first) ? first : last },
  };
}

const bound = (key: string, end: string): string =>
  Buffer.byteLength(key) <= MAX_SORT_KEY_BYTES
    ? key
    : cutToBytes(key, MAX_SORT_KEY_BYTES - LAST_CHARACTER.length * 2) + end;

const atLeast = (one: string, other: string): boolean => compareKeys(one, other) >= 0;
