import type { JsonValue } from '../basics/json.ts';
import { compare, isEmpty, isEqual, toText } from './coercion.ts';
import type { Value } from './host-object.ts';

type VariableFunction = (value: JsonValue | undefined, ...args: readonly Value[]) => Value;

const ordering =
  (holds: (order: number) => boolean): VariableFunction =>
  (value, other) => {
    const order = value === undefined ? undefined : compare(value, other);
    return order !== undefined && holds(order);
  };
const elements = (value: JsonValue | undefined): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? [...value] : [];
const holds = (value: JsonValue | undefined, item: Value): boolean =>
  typeof value === 'string'
    ? value.includes(toText(item))
    : elements(value).some((element) => isEqual(element, item));

const get: VariableFunction = (value) => value ?? null;
const getOrDefault: VariableFunction = (value, fallback) => value ?? fallback ?? null;
const exists: VariableFunction = (value) => value !== undefined && value !== null;
const equals: VariableFunction = (value, other) => value !== undefined && isEqual(value, other);
const notEquals: VariableFunction = (value, other) => value !== undefined && !isEqual(value, other);
const lowerThan = ordering((order) => order < 0);
const lowerThanOrEquals = ordering((order) => order <= 0);
const greaterThan = ordering((order) => order > 0);
const greaterThanOrEquals = ordering((order) => order >= 0);
const empty: VariableFunction = (value) => isEmpty(value);
const notEmpty: VariableFunction = (value) => !isEmpty(value);

/**
 * The functions with the prefix `var`, `vars` or `variables`: they read a variable that may be absent. Their
 * first argument is the variable's name, quoted or not; a comparison with an absent variable is false.
 */
export const VARIABLE_FUNCTIONS: Readonly<Record<string, VariableFunction>> = {
  get,
  getOrDefault,
  exists,
  exist: exists,
  equals,
  eq: equals,
  notEquals,
  ne: notEquals,
  lowerThan,
  lt: lowerThan,
  lessThan: lowerThan,
  lowerThanOrEquals,
  lte: lowerThanOrEquals,
  lessThanOrEquals: lowerThanOrEquals,
  greaterThan,
  gt: greaterThan,
  greaterThanOrEquals,
  gte: greaterThanOrEquals,
  isEmpty: empty,
  empty,
  isNotEmpty: notEmpty,
  notEmpty,
  contains: (value, ...items) => items.every((item) => holds(value, item)),
  containsAny: (value, ...items) => items.some((item) => holds(value, item)),
  base64: (value) => (value === undefined ? null : Buffer.from(toText(value)).toString('base64')),
};

/** Prefixes under which these functions are called. */
export const VARIABLE_PREFIXES: ReadonlySet<string> = new Set(['var', 'vars', 'variables']);
