import { ExpressionError } from '../expressions/basics/expression-error.ts';
import type { Expression } from '../expressions/basics/nodes.ts';
import { parseExpression } from '../expressions/parse.ts';
import { fieldKey, type MergeField } from '../fields/field.ts';

/** The declared fields of a template, found by name whatever the case. */
export type FieldTable = ReadonlyMap<string, MergeField>;

export const fieldTable = (fields: readonly MergeField[]): FieldTable =>
  new Map(fields.map((field) => [fieldKey(field.name), field]));

/** The declared field that a reference begins with, the longest name first, and what is left of the path. */
export function referredField(
  path: readonly (string | number)[],
  table: FieldTable,
): { readonly field: MergeField; readonly rest: readonly (string | number)[] } | undefined {
  const names = path.findIndex((segment) => typeof segment === 'number');
  for (let length = names < 0 ? path.length : names; length > 0; length -= 1) {
    const field = table.get(fieldKey(path.slice(0, length).join('.')));
    if (field) return { field, rest: path.slice(length) };
  }
  return undefined;
}

export interface ComputedField {
  readonly field: MergeField;
  readonly expression: Expression;
}

export interface ComputedOrder {
  /** Each after those that it refers to. */
  readonly order: readonly ComputedField[];
  readonly unreadable: readonly { readonly field: MergeField; readonly error: ExpressionError }[];
  /** Fields that refer to themselves, over others or not; and what refers to them. */
  readonly circular: readonly { readonly field: MergeField; readonly path: readonly string[] }[];
}

/** Reads the expressions of all COMPUTED fields and puts them into an order in which they can be computed. */
export function orderComputed(table: FieldTable): ComputedOrder {
  const read = new Map<string, ComputedField>();
  const unreadable: { field: MergeField; error: ExpressionError }[] = [];
  for (const [key, field] of table) {
    if (field.sourceType !== 'COMPUTED') continue;
    try {
      read.set(key, { field, expression: parseExpression(field.expression ?? '') });
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      unreadable.push({ field, error });
    }
  }
  return { ...sorted(read, table), unreadable };
}

function sorted(
  read: ReadonlyMap<string, ComputedField>,
  table: FieldTable,
): Pick<ComputedOrder, 'order' | 'circular'> {
  const needs = new Map(
    [...read].map(([key, { expression }]) => [key, needsOf(expression, table, read)]),
  );
  const neededBy = new Map<string, string[]>();
  for (const [key, needed] of needs) {
    for (const need of needed) neededBy.set(need, [...(neededBy.get(need) ?? []), key]);
  }
  const open = new Map([...needs].map(([key, needed]) => [key, needed.size]));
  const ready = [...open].filter(([, count]) => count === 0).map(([key]) => key);
  for (const key of ready) {
    for (const next of neededBy.get(key) ?? []) {
      const count = (open.get(next) ?? 0) - 1;
      open.set(next, count);
      if (count === 0) ready.push(next);
    }
  }
  const done = new Set(ready);
  const circular = [...read.keys()]
    .filter((key) => !done.has(key))
    .map((key) => ({
      field: fieldAt(read, key),
      path: circleFrom(key, needs, done).map((name) => fieldAt(read, name).name),
    }));
  return { order: ready.flatMap((key) => read.get(key) ?? []), circular };
}

const fieldAt = (read: ReadonlyMap<string, ComputedField>, key: string): MergeField =>
  (read.get(key) as ComputedField).field;

function needsOf(
  { references }: Expression,
  table: FieldTable,
  read: ReadonlyMap<string, ComputedField>,
): ReadonlySet<string> {
  const keys = references.flatMap((path) => {
    const found = referredField(path, table);
    return found ? [fieldKey(found.field.name)] : [];
  });
  return new Set(keys.filter((key) => read.has(key)));
}

/** Follows unfinished fields until one comes again. */
function circleFrom(
  start: string,
  needs: ReadonlyMap<string, ReadonlySet<string>>,
  done: ReadonlySet<string>,
): string[] {
  const path: string[] = [];
  let at: string | undefined = start;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = [...(needs.get(at) ?? [])].find((need) => !done.has(need));
  }
  return at === undefined ? path : [...path.slice(path.indexOf(at)), at];
}
