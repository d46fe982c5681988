import { ownValue } from './own-property.ts';

/** Most elements of a list that a path leads through. */
const MAX_LIST = 10_000;

/**
 * The value at a path, by own properties only. A name after a list selects that property of every element, so that
 * `items.price` are all prices; a number names one element.
 */
export function atPath(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const segment of path) {
    if (value === undefined || value === null) return undefined;
    value = atSegment(value, segment);
  }
  return value;
}

function atSegment(value: unknown, segment: string | number): unknown {
  if (!Array.isArray(value)) return ownValue(value, String(segment));
  if (typeof segment === 'number') return value[segment];
  return value.slice(0, MAX_LIST).flatMap((element) => ownValue(element, segment) ?? null);
}

/** The value of a dotted name: that of a property with the whole name, else the value at the path. */
export function atDottedName(root: unknown, name: string): unknown {
  const literal = ownValue(root, name);
  return literal === undefined && name.includes('.') ? atPath(root, name.split('.')) : literal;
}
