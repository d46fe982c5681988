import { EntityModel } from '../domain/definitions/model.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import { everything } from '../domain/query/filter.ts';
import { findPage } from '../domain/search/run.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { SchemaCheck } from './schema-service.ts';

/** Records that a dry run of a schema checks. */
const SAMPLE_SIZE = 1_000;

/** Counts how many of the newest records break the rules of a definition that is not in force yet. */
export async function countInvalid(
  definition: EntityDefinition,
  queries: QueryService,
): Promise<SchemaCheck> {
  const model = new EntityModel(definition);
  const order = [{ field: 'id', descending: true }];
  const { records } = await findPage(
    { filter: everything, order, skip: 0, size: SAMPLE_SIZE },
    queries.open(model, true),
  );
  let invalid = 0;
  for (const { values } of records) {
    const visible = Object.entries(values).filter(([code]) => model.field(code) !== undefined);
    const errors = await model.validate(Object.fromEntries(visible));
    if (errors.length > 0) invalid += 1;
  }
  return { checked: records.length, invalid };
}
