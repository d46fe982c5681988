import { decimalText, isDecimal, toDecimal } from '../values/decimal.ts';

const MAX_DEPTH = 4;

/** A value as text without any format; parts of a list are joined. */
export function textOf(value: unknown, yesNo: readonly [string, string], separator = ', '): string {
  return plain(value, yesNo, separator, 0);
}

function plain(
  value: unknown,
  yesNo: readonly [string, string],
  separator: string,
  depth: number,
): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? yesNo[0] : yesNo[1];
  const number = typeof value === 'number' || isDecimal(value) ? toDecimal(value) : undefined;
  if (number) return decimalText(number);
  if (Array.isArray(value) && depth < MAX_DEPTH) {
    return value.map((part) => plain(part, yesNo, separator, depth + 1)).join(separator);
  }
  return typeof value === 'object' && value !== null ? jsonText(value) : '';
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A value that holds itself has no text.
    return '';
  }
}
