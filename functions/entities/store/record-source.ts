import type { EntityModel } from '../domain/definitions/model.ts';
import type { LongSearch } from '../domain/search/long/follow.ts';
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
    rows: (request) => repository.rows(code, request, consistent),
    async headers(ids) {
      const found = await repository.findHeaders(code, ids, consistent);
      const complete = await largeValues.completeAll(model, [...found.values()], fields);
      return new Map(complete.map((header) => [header.id, header]));
    },
    claimant: (constraint, key) => repository.claimant(code, constraint, key, consistent),
    counters: () => repository.counters(model.definition, consistent),
    deleted: (request) => repository.trash(code, request),
  };
}

/** The same, strongly consistent and without large values, for walks over many records; `complete` adds those. */
export function createLongSource(
  model: EntityModel,
  stores: { repository: RecordRepository; largeValues: LargeValueStore },
): RecordSource & Pick<LongSearch, 'complete'> {
  return {
    ...createRecordSource(model, stores, true),
    headers: (ids) => stores.repository.findHeaders(model.code, ids, true),
    complete: (headers) => stores.largeValues.completeAll(model, headers),
  };
}
