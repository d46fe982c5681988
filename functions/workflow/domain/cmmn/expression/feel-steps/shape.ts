/** How large a value of FEEL can be at most. */
export interface Shape {
  readonly kind: 'list' | 'one' | 'unknown';
  /** Elements of a list, entries of a context, 1 for anything else; infinite for a range. */
  readonly count: number;
  /** Characters of its texts and keys, and `VALUE_SIZE` for each value in it. */
  readonly size: number;
  /** Bound of an element or entry; absent: there are none; `itself`: as large as the whole. */
  readonly inner?: Shape | 'itself';
  /** A function is in it. */
  readonly isCallable?: boolean;
}

/** Characters of the longest number. */
export const VALUE_SIZE = 25;

/** A number, a boolean, a date. */
export const SMALL: Shape = { kind: 'one', count: 1, size: 64 };

const known = new WeakMap<object, Shape>();

/** The shape of a value of JSON. Looks at each part of it once, as long as the value lives. */
export function shapeOf(value: unknown): Shape {
  if (typeof value === 'string') return textOf(value.length);
  if (value === null || typeof value !== 'object') return textOf(0);
  const shape = known.get(value) ?? measure(value);
  known.set(value, shape);
  return shape;
}

function measure(value: object): Shape {
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, member]) => {
    const shape = shapeOf(member);
    return isList ? shape : { ...shape, size: shape.size + key.length };
  });
  return { ...listOf(members), kind: isList ? 'list' : 'one' };
}

/** A text of so many characters. */
export const textOf = (length: number): Shape => ({
  kind: 'one',
  count: 1,
  size: length + VALUE_SIZE,
});

/** A list with these elements. */
export const listOf = (members: readonly Shape[]): Shape => ({
  kind: 'list',
  count: members.length,
  size: members.reduce((sum, { size }) => sum + size, VALUE_SIZE),
  inner: members.reduce<Shape | undefined>(either, undefined),
  isCallable: members.some(({ isCallable }) => isCallable),
});

/** A list of so many elements, each of the shape at most. */
export const timesOf = (count: number, inner: Shape): Shape => ({
  kind: 'list',
  count,
  size: count * inner.size + VALUE_SIZE,
  inner,
  isCallable: inner.isCallable,
});

/** The shape of a value that is one or the other: the larger of both bounds. */
export function either(left: Shape | undefined, right: Shape | undefined): Shape | undefined {
  if (!left || !right || left === right) return left ?? right;
  const isWhole = left.inner === 'itself' || right.inner === 'itself';
  return {
    kind: left.kind === right.kind ? left.kind : 'unknown',
    count: Math.max(left.count, right.count),
    size: Math.max(left.size, right.size),
    inner: isWhole ? 'itself' : either(innerOf(left), innerOf(right)),
    isCallable: left.isCallable || right.isCallable,
  };
}

/** A value of which nothing is known but its size. */
export const anythingOf = (size: number, isCallable = false): Shape => ({
  kind: 'unknown',
  count: size,
  size,
  inner: 'itself',
  isCallable,
});

/** Bound of an element or entry. */
export const innerOf = (shape: Shape | undefined): Shape | undefined =>
  shape?.inner === 'itself' ? shape : shape?.inner;

/** The shape of the elements of an iteration or filter: those of a list; any other value is its own element. */
export function elementOf(shape: Shape): Shape {
  const inner = innerOf(shape) ?? SMALL;
  if (shape.kind === 'list') return inner;
  return shape.kind === 'one' ? shape : (either(shape, inner) ?? shape);
}

/** The values of a path: entries of a context, or of all contexts of a list. */
export function entryOf(shape: Shape): Shape {
  const inner = innerOf(shape) ?? SMALL;
  const ofElements: Shape = {
    ...shape,
    size: shape.size + VALUE_SIZE * shape.count,
    inner: shape.inner === 'itself' ? 'itself' : (innerOf(inner) ?? SMALL),
  };
  if (shape.kind === 'list') return ofElements;
  return shape.kind === 'one'
    ? (either(inner, SMALL) ?? inner)
    : (either(ofElements, inner) ?? inner);
}
