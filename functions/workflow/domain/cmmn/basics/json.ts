/** A value of JSON: what a variable of a case can hold (2.3, 4.3: case data travels as JSON). */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Variables by name. */
export type Variables = Readonly<Record<string, JsonValue>>;

/** Whether lists and objects are nested at most so deep. */
export function isNestedWithin(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return depth > 0 && Object.values(value).every((member) => isNestedWithin(member, depth - 1));
}

/** Whether the two values are the same JSON. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const leftKeys = Object.keys(left);
  if (leftKeys.length !== Object.keys(right).length) return false;
  return leftKeys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}

/** Deepest nesting of a value: code that stores or compares values recurses once for each level. */
export const MAX_DEPTH = 100;

/** Whether something from outside is a value that JSON can hold, not nested too deep. */
export function isJson(value: unknown, depth = MAX_DEPTH): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  if (Array.isArray(value)) return value.every((member) => isJson(member, depth - 1));
  return isRecord(value) && Object.values(value).every((member) => isJson(member, depth - 1));
}

/** Whether something from outside is an object of JSON whose members are values of JSON. */
export const isVariables = (value: unknown): value is Variables =>
  isRecord(value) && isJson(value, MAX_DEPTH + 1);

/** Whether something is an object of JSON, and no list. */
export function isRecord(value: unknown): value is object {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** How many characters of JSON the value is. */
export const jsonSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
