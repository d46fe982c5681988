import { type Decimal, isDecimal, toDecimal } from '../values/decimal.ts';
import { readWallTime } from '../values/wall-time.ts';
import { ExpressionError } from './basics/expression-error.ts';
import type { BinaryOperator } from './basics/nodes.ts';
import { kindOf, numberOf, type Value } from './basics/value.ts';
import { type Call, textFrom } from './functions/call.ts';

/** `+` with a text joins; every other operation, and `+` of numbers, makes nothing out of nothing. */
export function arithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: Value,
  right: Value,
  call: Call,
): Value {
  const isText = typeof left === 'string' || typeof right === 'string';
  if (operator === '+' && isText) return `${textFrom(left, call)}${textFrom(right, call)}`;
  if (left === null || right === null) return null;
  const [first, second] = [numberOf(left, call.position), numberOf(right, call.position)];
  if (operator === '+') return first.plus(second);
  if (operator === '-') return first.minus(second);
  if (operator === '*') return first.times(second);
  if (second.eq(0)) throw new ExpressionError('DIVISION_BY_ZERO', call.position, 'divides by zero');
  return operator === '/' ? first.div(second) : remainder(first, second, call);
}

/** A remainder of numbers that lie far apart takes as many steps as its quotient has digits. */
const MOST_APART = 400;

function remainder(first: Decimal, second: Decimal, { position }: Call): Decimal {
  if (first.e - second.e <= MOST_APART) return first.mod(second);
  throw new ExpressionError('NUMBER_TOO_LARGE', position, 'divides numbers of too different size');
}

type Comparison = Extract<BinaryOperator, '==' | '!=' | '<' | '<=' | '>' | '>='>;

/** Compares numbers, dates and texts by their order; nothing equals nothing only and stands in no order. */
export function compare(operator: Comparison, left: Value, right: Value, call: Call): boolean {
  if (operator === '==') return isEqual(left, right, call);
  if (operator === '!=') return !isEqual(left, right, call);
  if (left === null || right === null) return false;
  const order = orderOf(left, right, call);
  if (order === undefined) {
    const message = `cannot compare ${kindOf(left)} with ${kindOf(right)}`;
    throw new ExpressionError('NOT_COMPARABLE', call.position, message);
  }
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function isEqual(left: Value, right: Value, call: Call): boolean {
  if (left === null || right === null) return left === right;
  return left === right || orderOf(left, right, call) === 0;
}

/** Below, at or above zero; `undefined` for values without an order. */
function orderOf(left: Value, right: Value, { settings }: Call): number | undefined {
  if (isDecimal(left) || isDecimal(right)) {
    const [first, second] = [toDecimal(left), toDecimal(right)];
    return first && second ? first.cmp(second) : undefined;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  const [first, second] = [readWallTime(left, settings.zone), readWallTime(right, settings.zone)];
  if (first && second && first.hasDate === second.hasDate) return Math.sign(first.ms - second.ms);
  return left === right
    ? 0
    : collatorOf(settings.locale).compare(left, right) || byUnit(left, right);
}

const byUnit = (left: string, right: string): number => (left < right ? -1 : 1);

const collators = new Map<string, Intl.Collator>();

function collatorOf(locale: string): Intl.Collator {
  const collator = collators.get(locale) ?? new Intl.Collator(locale);
  collators.set(locale, collator);
  return collator;
}
