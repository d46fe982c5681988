import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { type Filter, fieldsOf, matches } from '../domain/query/filter.ts';
import type { SortKey } from '../domain/query/order.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { RecordGrant } from './entity-access.ts';

/** Whether a record is visible to a caller. */
export function isGranted(
  model: EntityModel,
  header: RecordHeader,
  { filter }: RecordGrant,
): boolean {
  return matches(filter, header, model, (each) => recordWords(model, model.wordFields, each));
}

/** Hidden fields must not be inferable by filtering or sorting. @throws Problem `FORBIDDEN` (403) */
export function checkGranted(
  filter: Filter,
  order: readonly SortKey[],
  { fields }: RecordGrant,
): void {
  if (!fields) return;
  const named = [...fieldsOf(filter), ...order.map(({ field }) => field)];
  const hidden = named.find((field) => !fields.has(field) && !isSystem(field));
  if (hidden === undefined) return;
  throw httpProblems.forbidden({}, { detail: `The caller is not allowed to see ${hidden}.` });
}

const isSystem = (field: string): boolean =>
  ['id', 'version', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'parentId'].includes(field);

/** @throws Problem `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428) */
export function checkVersion(
  { definition }: EntityModel,
  { version }: RecordHeader,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined) {
    if (definition.options.requireIfMatch) throw problems.preconditionRequired();
    return;
  }
  if (ifMatch !== '*' && ifMatch !== String(version)) {
    throw httpProblems.versionConflict(
      { expected: ifMatch, actual: version },
      { extensions: { current: version, currentVersion: version } },
    );
  }
}
