import type { PartScan, Span } from '../scan/part-model.ts';

/** Bookmarks, ranges of comments and the like of a stretch of a part, as they are written. */
export function anchorsIn({ xml, anchors }: PartScan, { start, end }: Span): string {
  let low = 0;
  for (let high = anchors.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((anchors[middle]?.start ?? end) < start) low = middle + 1;
    else high = middle;
  }
  let found = '';
  for (let anchor = anchors[low]; anchor && anchor.start < end; anchor = anchors[++low])
    if (anchor.end <= end) found += xml.slice(anchor.start, anchor.end);
  return found;
}
