import type { FormatSettings } from '../../formats/locale-defaults.ts';
import { yesNo } from '../../formats/locale-defaults.ts';
import { textOf } from '../../formats/text-of.ts';
import type { Decimal } from '../../values/decimal.ts';
import { readWallTime, type WallTime } from '../../values/wall-time.ts';
import { ExpressionError } from '../basics/expression-error.ts';
import { numberOf, type Value } from '../basics/value.ts';

/** Where and with what a function is called. */
export interface Call {
  readonly position: number;
  readonly settings: FormatSettings;
}

/** A function of expressions: it computes from its arguments alone. */
export interface ExpressionFunction {
  readonly count: readonly [least: number, most: number];
  readonly run: (args: readonly Value[], call: Call) => Value;
}

/** The text of a value; nothing is an empty text. */
export const textFrom = (value: Value | undefined, { settings }: Call): string =>
  textOf(value, yesNo(settings.locale));

/** @throws ExpressionError when it is not a whole number within the bounds */
export function wholeFrom(
  value: Value | undefined,
  { position }: Call,
  [least, most]: readonly [number, number],
): number {
  const number: Decimal = numberOf(value ?? null, position);
  if (number.eq(number.round(0)) && number.gte(least) && number.lte(most)) return number.toNumber();
  throw wrongArgument(position, `needs a whole number from ${least} to ${most}`);
}

/** @throws ExpressionError when it is not a date or time */
export function wallTimeFrom(value: Value | undefined, { position, settings }: Call): WallTime {
  const time = typeof value === 'string' ? readWallTime(value, settings.zone) : undefined;
  if (time !== undefined) return time;
  throw new ExpressionError('NOT_A_DATE', position, 'needs a date such as 2024-02-29');
}

export const wrongArgument = (position: number, message: string): ExpressionError =>
  new ExpressionError('WRONG_ARGUMENT', position, message);
