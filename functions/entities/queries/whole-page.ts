import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import { type CutPage, cutPage } from '../../../shared/http/paging.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { largeBytes } from '../domain/records/large-values.ts';

/**
 * A page with the large values of its records, cut where they are more than an answer holds: those of further records
 * are not read.
 * @param read its records with their values, in their order
 */
export async function wholePage<P extends CutPage<RecordHeader>>(
  page: P,
  read: AsyncIterable<readonly RecordHeader[]>,
): Promise<P> {
  const content: RecordHeader[] = [];
  let bytes = 0;
  for await (const some of read) {
    for (const header of some) {
      bytes += largeBytes(header, header.values);
      if (bytes > MAX_RESPONSE_BYTES && content.length > 0) return cutPage(page, content);
      content.push(header);
    }
  }
  return { ...page, content };
}
