import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import { type CutPage, cutPage } from '../../../shared/http/paging.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { largeBytes } from '../domain/records/large-values.ts';

/**
 * A page with the large values of its records, cut where they are more than an answer holds: those of further records
 * are not read.
 * @param read its records with their values, in their order
 * @param needed fields that are needed of them; all when there is no list
 */
export async function wholePage<P extends CutPage<RecordHeader>>(
  page: P,
  read: AsyncIterable<readonly RecordHeader[]>,
  needed: ReadonlySet<string> | undefined,
): Promise<P> {
  const content: RecordHeader[] = [];
  let bytes = 0;
  for await (const some of read) {
    for (const header of some) {
      bytes += largeBytes(header, ofFields(header.values, needed));
      if (bytes > MAX_RESPONSE_BYTES && content.length > 0) return cutPage(page, content);
      content.push(header);
    }
  }
  return { ...page, content };
}

const ofFields = (values: JsonObject, needed: ReadonlySet<string> | undefined): JsonObject =>
  needed
    ? Object.fromEntries(Object.entries(values).filter(([field]) => needed.has(field)))
    : values;
