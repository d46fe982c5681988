import type { EntityOptions, RecordPolicy } from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import { isJsonObject, type JsonObject } from '../domain/entity/json.ts';

type Names = ReadonlyMap<string, string>;

/** Options whose policies name fields as a new schema does: a field that is renamed stays guarded. */
export function withRenamedPolicies(
  options: EntityOptions,
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): EntityOptions {
  const past = new Set(before.map(({ code }) => code));
  const present = new Set(after.map(({ code }) => code));
  const renamed = after.flatMap(({ code, renamedFrom }): [string, string][] =>
    renamedFrom && past.has(renamedFrom) && !present.has(renamedFrom) && !past.has(code)
      ? [[renamedFrom, code]]
      : [],
  );
  const { policies } = options;
  if (!policies || renamed.length === 0) return options;
  const names = new Map(renamed);
  return { ...options, policies: policies.map((policy) => renamedPolicy(policy, names)) };
}

function renamedPolicy(policy: RecordPolicy, names: Names): RecordPolicy {
  const { rowFilter, fields, presets } = policy;
  return {
    ...policy,
    ...(rowFilter && { rowFilter: renamedFilter(rowFilter, names) }),
    ...(fields && { fields: fields.map((field) => names.get(field) ?? field) }),
    ...(presets && { presets: renamedMembers(presets, names) }),
  };
}

function renamedFilter(filter: JsonObject, names: Names): JsonObject {
  const inner = (part: unknown): unknown =>
    isJsonObject(part) ? renamedFilter(part, names) : part;
  const members = Object.entries(filter).map(([name, operand]): [string, unknown] => {
    if (name === 'not') return [name, inner(operand)];
    const isGroup = (name === 'and' || name === 'or') && Array.isArray(operand);
    return isGroup ? [name, operand.map(inner)] : [names.get(name) ?? name, operand];
  });
  return Object.fromEntries(members);
}

const renamedMembers = (values: JsonObject, names: Names): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]),
  );
