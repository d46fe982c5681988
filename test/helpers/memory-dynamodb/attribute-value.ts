import { compareDecimals, decimalSize } from './decimal.ts';

/** A value as it travels to DynamoDB: one member, named after its type; bytes are base64. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly AttributeValue[];
  readonly M?: Attributes;
}

/** Attributes by name: an item, a key or a map. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type AttributeType = keyof AttributeValue;

/** The name of a value's type. */
export const typeOf = (value: AttributeValue): AttributeType =>
  Object.keys(value)[0] as AttributeType;

/** Whether two values are the same: of one type, sets in any order, numbers by value. */
export function isSame(a: AttributeValue, b: AttributeValue): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (a.N !== undefined && b.N !== undefined) return compareDecimals(a.N, b.N) === 0;
  const [left, right] = [elementsOf(a), elementsOf(b)];
  if (left && right && type !== 'L') {
    return (
      left.length === right.length && left.every((one) => right.some((two) => isSame(one, two)))
    );
  }
  if (a.L && b.L) {
    const others = b.L;
    return a.L.length === others.length && a.L.every((one, i) => isSame(one, others[i] ?? {}));
  }
  if (a.M && b.M) {
    const others = b.M;
    const names = Object.keys(a.M);
    if (names.length !== Object.keys(others).length) return false;
    return Object.entries(a.M).every(([name, one]) => {
      const other = others[name];
      return other !== undefined && isSame(one, other);
    });
  }
  return a[type] === b[type];
}

/** Order of two strings, numbers or byte sequences; `undefined` for values that have none. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.N !== undefined && b.N !== undefined) return compareDecimals(a.N, b.N);
  const [left, right] = [bytesOf(a), bytesOf(b)];
  if (!left || !right || typeOf(a) !== typeOf(b)) return undefined;
  return Buffer.compare(left, right);
}

/** The bytes that order and prefix of a string or byte sequence follow. */
export function bytesOf({ S, B }: AttributeValue): Buffer | undefined {
  if (S !== undefined) return Buffer.from(S);
  return B === undefined ? undefined : Buffer.from(B, 'base64');
}

/** The members of a list or set as values. */
export function elementsOf({
  L,
  SS,
  NS,
  BS,
}: AttributeValue): readonly AttributeValue[] | undefined {
  return L ?? SS?.map((S) => ({ S })) ?? NS?.map((N) => ({ N })) ?? BS?.map((B) => ({ B }));
}

/** Bytes that an item counts with. */
export function sizeOfItem(item: Attributes): number {
  let sum = 0;
  for (const name in item) sum += Buffer.byteLength(name) + sizeOfValue(item[name] ?? {});
  return sum;
}

/** Bytes that a value counts with, without its name. */
export function sizeOfValue(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return Buffer.byteLength(value.B, 'base64');
  if (value.N !== undefined) return decimalSize(value.N);
  if (value.M) return 3 + Object.keys(value.M).length + sizeOfItem(value.M);
  const elements = elementsOf(value);
  if (!elements) return 1;
  const sum = elements.reduce((total, element) => total + sizeOfValue(element), 0);
  return value.L ? 3 + elements.length + sum : sum;
}

/** Levels of maps and lists in a value; a scalar has none. */
export function depthOf(value: AttributeValue): number {
  const children = value.L ?? (value.M ? Object.values(value.M) : undefined);
  return children ? 1 + Math.max(0, ...children.map(depthOf)) : 0;
}
