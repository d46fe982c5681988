import { type Decimal, isBounded, isDecimal, toDecimal } from '../../values/decimal.ts';
import { MAX_VALUE_LENGTH } from '../../values/plain-text.ts';
import { ExpressionError } from './expression-error.ts';
import { MAX_LIST } from './limits.ts';

/** What an expression computes with. Lists and objects hold JSON as it came. */
export type Value = Decimal | string | boolean | null | readonly unknown[] | object;

/** A JSON value, or one that was computed before; what is absent is null. */
export function toValue(given: unknown): Value {
  if (typeof given === 'string' || typeof given === 'boolean') return given;
  if (typeof given === 'number') return toDecimal(given) ?? null;
  return typeof given === 'object' ? given : null;
}

export const isList = (value: Value): value is readonly unknown[] => Array.isArray(value);

export const isTrue = (value: Value): boolean =>
  isDecimal(value) ? !value.eq(0) : value !== null && value !== false && value !== '';

/** @throws ExpressionError when the value is neither a number nor the text of one */
export function numberOf(value: Value, position: number): Decimal {
  const number = toDecimal(value);
  if (number !== undefined) return number;
  throw new ExpressionError('NOT_A_NUMBER', position, `needs a number, not ${kindOf(value)}`);
}

/** The elements of a list; a single value is a list of one, and nothing is an empty list. */
export function elementsOf(value: Value, position: number): readonly Value[] {
  if (value === null) return [];
  if (!isList(value)) return [value];
  checkLength(value, position);
  return value.map(toValue);
}

function checkLength(list: readonly unknown[], position: number): void {
  if (list.length <= MAX_LIST) return;
  throw new ExpressionError(
    'LIST_TOO_LONG',
    position,
    `reads a list of more than ${MAX_LIST} elements`,
  );
}

/** @throws ExpressionError when a number or a text has become too long */
export function bounded<V extends Value>(value: V, position: number): V {
  if (typeof value === 'string' && value.length > MAX_VALUE_LENGTH) {
    throw new ExpressionError(
      'TEXT_TOO_LONG',
      position,
      `makes a text longer than ${MAX_VALUE_LENGTH} characters`,
    );
  }
  if (isDecimal(value) && !isBounded(value)) {
    throw new ExpressionError(
      'NUMBER_TOO_LARGE',
      position,
      'makes a number of more than 400 digits',
    );
  }
  return value;
}

export function kindOf(value: Value): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return `the text "${value.slice(0, 40)}"`;
  if (typeof value === 'boolean') return String(value);
  if (isDecimal(value)) return 'a number';
  return isList(value) ? 'a list' : 'an object';
}
