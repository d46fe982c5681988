import type { EntityModel } from '../definitions/model.ts';
import type { JsonObject } from '../entity/json.ts';
import type { RecordHeader } from '../entity/record.ts';
import { seriesOf } from '../values/number-format.ts';
import { mergeValues, type RecordInput } from './merge.ts';
import { changedFields } from './present.ts';

/** Time and author of a write. */
export interface Stamp {
  readonly at: string;
  readonly by: string;
}

/** The first version of a record. @throws Problem `VALIDATION_FAILED` (400) */
export async function newRecord(
  model: EntityModel,
  { values, parentId }: RecordInput,
  id: string,
  { at, by }: Stamp,
): Promise<RecordHeader> {
  const merged = await mergeValues(model, {}, { ...values, ...sampleNumbers(model) });
  const numbered = new Set(numberedFields(model).map(({ code }) => code));
  return {
    id,
    values: Object.fromEntries(Object.entries(merged).filter(([code]) => !numbered.has(code))),
    version: 1,
    generation: model.generation,
    createdAt: at,
    createdBy: by,
    updatedAt: at,
    updatedBy: by,
    ...(parentId && { parentId }),
  };
}

/** Members of the next version of a record that say when and by whom it was written. */
export function nextVersion(model: EntityModel, before: RecordHeader, { at, by }: Stamp) {
  return {
    version: before.version + 1,
    generation: model.generation,
    updatedAt: at,
    updatedBy: by,
  };
}

/**
 * The next version of a record: sent values over the existing ones.
 * @param writable fields that a replacement may clear, besides those no caller can send; all when there is no list.
 * @throws Problem `VALIDATION_FAILED` (400)
 */
export async function changedRecord(
  model: EntityModel,
  before: RecordHeader,
  input: RecordInput,
  stamp: Stamp,
  { replace, writable }: { replace: boolean; writable: ReadonlySet<string> | undefined },
): Promise<RecordHeader> {
  const { parentId: oldParent, deleting: _mark, ...rest } = before;
  const unsentParent = replace ? undefined : oldParent;
  const parentId = input.parentId === undefined ? unsentParent : input.parentId;
  const kept = replace ? keptOnReplace(model, before, writable) : before.values;
  return {
    ...rest,
    ...(parentId && { parentId }),
    values: await mergeValues(model, kept, input.values),
    ...nextVersion(model, before, stamp),
  };
}

/** Whether a change has no effect. */
export function isSameRecord(one: RecordHeader, other: RecordHeader): boolean {
  return (
    one.parentId === other.parentId &&
    one.deleting === other.deleting &&
    changedFields(one.values, other.values).length === 0
  );
}

/** A replacement clears fields that the caller may write; others are kept. */
function keptOnReplace(
  model: EntityModel,
  { values }: RecordHeader,
  writable: ReadonlySet<string> | undefined,
): JsonObject {
  const isKept = (code: string): boolean => {
    const field = model.field(code);
    const isHidden = field ? field.readOnly || field.writeOnly : !model.isMember(code);
    return isHidden || writable?.has(code) === false;
  };
  return Object.fromEntries(Object.entries(values).filter(([code]) => isKept(code)));
}

/** Values without the references of a field to some records; of a list the others stay. */
export function withoutReferences(
  values: JsonObject,
  field: string,
  isGone: (id: unknown) => boolean,
): JsonObject {
  const { [field]: value, ...others } = values;
  const kept = Array.isArray(value) ? value.filter((id) => !isGone(id)) : [];
  const isKept = Array.isArray(value) ? kept.length > 0 : !isGone(value);
  return isKept ? { ...others, [field]: Array.isArray(value) ? kept : value } : others;
}

const numberedFields = ({ definition }: EntityModel) =>
  definition.fields.filter(({ numberFormat }) => numberFormat !== undefined);

/** Long numbers, as a new record will have such: rules may ask whether they are there, and keys have to hold them. */
const sampleNumbers = (model: EntityModel): Record<string, string> =>
  Object.fromEntries(
    numberedFields(model).map(({ code, numberFormat = '' }) => [
      code,
      seriesOf(numberFormat, '2000-01-01').numberOf(1e12),
    ]),
  );
