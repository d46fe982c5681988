import type { JsonObject } from '../entity/json.ts';

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
