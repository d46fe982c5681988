import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import { type CutPage, cutPage } from '../../../shared/http/paging.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { largeBytes } from '../domain/records/large-values.ts';
import { withSome } from '../domain/records/present.ts';

/** What is shown of the records of a page. */
interface ShownOfPage {
  /** Their fields; all when there is no list. */
  readonly shown: ReadonlySet<string> | undefined;
  /** Whether anything is shown of a record, by the values that were read. */
  readonly isSeen: (record: RecordHeader) => boolean;
}

/**
 * A page with the large values of its records, cut where those that are shown are more than an answer holds: those of
 * further records are not read, and values that are not shown are kept of none.
 * @param read its records with their values, in their order
 */
export async function wholePage<P extends CutPage<RecordHeader>>(
  page: P,
  read: AsyncIterable<readonly RecordHeader[]>,
  { shown, isSeen }: ShownOfPage,
): Promise<P> {
  const content: RecordHeader[] = [];
  let bytes = 0;
  for await (const some of read) {
    for (const whole of some) {
      const fields = isSeen(whole) ? shown : [];
      const header = fields ? withSome(whole, [...fields]) : whole;
      bytes += largeBytes(header, header.values);
      if (bytes > MAX_RESPONSE_BYTES && content.length > 0) return cutPage(page, content);
      content.push(header);
    }
  }
  return { ...page, content };
}
