import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import type { FoundPage } from '../domain/search/page-collector.ts';
import { findPage } from '../domain/search/run.ts';
import { MOST, type Searches } from './searches.ts';

/** Records of one page when references from outside of what is being deleted are looked for. */
const MAX_REFERRING = 100;
/** Most records that are looked at where no index tells yet which ones refer to another. */
const UNINDEXED_HEADERS = 200;

/**
 * What is known of references to a record. `unknown`: the index of the field is being built, and there are too many
 * records to look at each; `unsearchable`: no index will ever tell.
 */
export type Referring = 'none' | 'some' | 'unknown' | 'unsearchable';

/** Whether a record is about to be deleted as well. It has no large values but those of the field that refers. */
export type IsLeaving = (record: RecordHeader) => boolean | Promise<boolean>;

/**
 * Whether live records reference another one; strongly consistent.
 * @param model entity of the records that may refer to it, as it is now
 * @param isLeaving whether a record is about to be deleted as well
 */
export async function referringTo(
  searches: Searches,
  { model, field }: { readonly model: EntityModel; readonly field: string },
  id: string,
  isLeaving: IsLeaving = () => false,
): Promise<Referring> {
  if (!model.queryField(field)) return model.field(field)?.reference ? 'unsearchable' : 'none';
  const filter = parseFilterObject({ [field]: id }, model);
  const order = [{ field: 'id', descending: true }];
  const maxHeaders = model.readyIndex([field]) ? MOST.maxHeaders : UNINDEXED_HEADERS;
  let at: FoundPage['next'];
  for (let size = 2; ; size = MAX_REFERRING) {
    const request = { filter, order, size, skip: 0, ...at };
    const found: FoundPage = await findPage(
      request,
      searches.open(model, filter, { isConsistent: true, limit: { ...MOST, maxHeaders } }),
    );
    for (const record of found.records) if (!(await isLeaving(record))) return 'some';
    if (!found.isComplete) return 'unknown';
    at = found.next;
    if (!at) return 'none';
  }
}
