import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordSource } from '../domain/search/source.ts';
import type { RecordRepository } from './record-repository.ts';
import type { LargeValueStore } from './values/large-value-store.ts';

/**
 * The read port for queries of one entity. Records are converted to the current schema.
 * @param fields whose large values are read; all when there is no list
 */
export function createRecordSource(
  model: EntityModel,
  { repository, largeValues }: { repository: RecordRepository; largeValues: LargeValueStore },
  consistent: boolean,
  fields?: ReadonlySet<string>,
): RecordSource {
  const { code } = model;
  return {
    fields,
    rows: (request) => repository.rows(code, request, consistent),
    async *headers(ids, needed = fields) {
      const found = await repository.findHeaders(code, ids, consistent);
      const inOrder = ids.flatMap((id) => found.get(id) ?? []);
      yield* largeValues.inParts(model, inOrder, needed, consistent);
    },
    claimant: (constraint, key) => repository.claimant(code, constraint, key, consistent),
    counters: () => repository.counters(model.definition, consistent),
    deleted: (request) => repository.trash(code, request),
  };
}
