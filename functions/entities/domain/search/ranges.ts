import type { Comparison } from '../query/filter.ts';
import { ID_SEPARATOR, NO_VALUE, PART_SEPARATOR, valueKey } from '../records/index-rows.ts';
import { compareKeys, cutToBytes, fold, MAX_KEY_BYTES } from '../values/folding.ts';
import type { KeyRange } from './source.ts';

/** Sorts after every id. */
const AFTER_IDS = `${ID_SEPARATOR}~`;
/** Sorts directly above the separators: after a key and before every longer key. */
const NEXT_KEY = ' ';
const LAST_CHARACTER = '\u{10ffff}';

/** Every row of an index. */
export const wholeIndex: KeyRange = { from: '!', to: LAST_CHARACTER };
/** Every row with a value. */
const allValues: KeyRange = { from: valueKey(''), to: '2' };

/** The rows that a comparison of a field can be found in; `undefined` when it says nothing about their keys. */
export function rangeOf({ op, operands }: Comparison): KeyRange | undefined {
  const [low = '', high = ''] = operands.map(({ key }) => valueKey(key));
  switch (op) {
    case 'eq':
    case 'eqi':
      return keysEqual(low);
    case 'gt':
      return { from: low + NEXT_KEY, to: allValues.to };
    case 'gte':
      return { from: low, to: allValues.to };
    case 'lt':
      return { from: allValues.from, to: low };
    case 'lte':
      return { from: allValues.from, to: low + AFTER_IDS };
    case 'between':
      return { from: low, to: high + AFTER_IDS };
    case 'startsWith': {
      const prefix = valueKey(cutToBytes(fold(String(operands[0]?.value)), MAX_KEY_BYTES));
      return { from: prefix, to: prefix + LAST_CHARACTER };
    }
    case 'contains':
    case 'endsWith':
      return allValues;
    case 'null':
    case 'exists':
      return (op === 'null') === (operands[0]?.value === true) ? keysEqual(NO_VALUE) : allValues;
    default:
      return undefined;
  }
}

/** The rows of one key, with whatever parts follow it. */
export const keysEqual = (key: string): KeyRange => ({
  from: key + PART_SEPARATOR,
  to: key + AFTER_IDS,
});

/** The rows of a composite index whose first parts have these keys. */
export function below(parts: readonly string[], range: KeyRange): KeyRange {
  if (parts.length === 0) return range;
  const prefix = parts.join(PART_SEPARATOR) + PART_SEPARATOR;
  return { from: prefix + range.from, to: prefix + range.to };
}

/** Intersection of two ranges. */
export function intersect(one: KeyRange, other: KeyRange): KeyRange {
  return {
    from: compareKeys(one.from, other.from) > 0 ? one.from : other.from,
    to: compareKeys(one.to, other.to) < 0 ? one.to : other.to,
  };
}

/** Whether a range holds nothing. */
export const isEmptyRange = ({ from, to }: KeyRange): boolean => compareKeys(from, to) > 0;
