import BigJs from 'big.js';

/**
 * Decimals of values and expressions: sums and products are exact, quotients have 40 places, and rounding is half
 * away from zero. A constructor of its own, so that its settings are not shared.
 */
export const Decimal = BigJs();
Decimal.DP = 40;
Decimal.RM = Decimal.roundHalfUp;

export type Decimal = BigJs.Big;

/** Most digits before and after the point. */
const MAX_PLACES = 400;
const DECIMAL_TEXT = /^[+-]?\d{1,400}(?:\.\d{1,400})?$/;

export const isDecimal = (value: unknown): value is Decimal => value instanceof Decimal;

/** A decimal, a finite number or the text of a decimal (`-12.50`) as a decimal; `undefined` for anything else. */
export function toDecimal(value: unknown): Decimal | undefined {
  if (isDecimal(value)) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return DECIMAL_TEXT.test(text) ? new Decimal(text.replace('+', '')) : undefined;
}

/** Whether a decimal has at most 400 digits before the point and 400 after it. */
export const isBounded = ({ c, e }: Decimal): boolean =>
  e < MAX_PLACES && c.length - e - 1 <= MAX_PLACES;

/** A decimal as `-1234.5`: no exponent, no separators, no minus zero. */
export const decimalText = (value: Decimal): string => (value.eq(0) ? '0' : value.toFixed());
