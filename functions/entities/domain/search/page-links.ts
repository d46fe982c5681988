import type { RecordHeader } from '../entity/record.ts';
import type { PageStart } from '../query/list-query.ts';
import { gapBefore, reversed, type SortKey } from '../query/order.ts';
import type { FoundPage } from './page-collector.ts';

/** The number of a page and the cursors of its neighbours. */
export interface PageLinks {
  readonly number: number;
  /** None on the last page. */
  readonly next?: PageStart | undefined;
  /** None on the first page. */
  readonly previous?: PageStart | undefined;
}

/** Requested page. */
export interface AskedPage {
  readonly order: readonly SortKey[];
  readonly number: number;
  /** The decoded cursor, if any. */
  readonly start: PageStart | undefined;
}

/** Creates the cursors of the neighbouring pages. */
export function linksOf(found: FoundPage, asked: AskedPage): PageLinks {
  const { start } = asked;
  return start?.isBackward ? linksBackward(found, asked, start) : linksForward(found, asked);
}

/** Without a shown record, the position may be that of a record that the caller must not know of. */
const atEdge = (shown: RecordHeader | undefined) => ({ skip: 0, isUnshown: shown === undefined });

function linksForward(
  { records, placeOf, next, isComplete }: FoundPage,
  { order, number, start }: AskedPage,
): PageLinks {
  const [first] = records;
  const reached =
    start && start.skip === 0 ? gapBefore(reversed(order), start.position) : undefined;
  const position = first ? placeOf(first) : reached;
  const isFirst = !start && number === 0;
  return {
    number,
    next: next && { page: number + (isComplete ? 1 : 0), ...next, isBackward: false },
    previous:
      isFirst || !position
        ? undefined
        : { page: Math.max(0, number - 1), position, ...atEdge(first), isBackward: true },
  };
}

/** Only the end of the scan shows which page is the first: records may have been inserted before it. */
function linksBackward(
  { records, placeOf, next, isComplete }: FoundPage,
  { order, number: expected }: AskedPage,
  { position: end }: PageStart,
): PageLinks {
  const last = records.at(-1);
  const number = next ? Math.max(isComplete ? 1 : 0, expected) : 0;
  const position = last ? placeOf(last) : gapBefore(order, end);
  return {
    number,
    next: { page: number + 1, position, ...atEdge(last), isBackward: false },
    previous: next && { page: number - (isComplete ? 1 : 0), ...next, isBackward: true },
  };
}
