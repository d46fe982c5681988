/** A decimal number without rounding: `units` times 10 to the power of `-scale`. */
export interface Exact {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Exact = { units: 0n, scale: 0 };

/** Decimal places that an average has beyond those of its values, at most. */
const AVERAGE_PLACES = 10;

const NUMERAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** A number, as JSON writes it, or a decimal text; `undefined` for any other value. */
export function exactOf(value: unknown): Exact | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? NUMERAL.exec(text) : undefined;
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return scale < 0 ? { units: digits * 10n ** BigInt(-scale), scale: 0 } : { units: digits, scale };
}

/** The exact sum. */
export function plus(one: Exact, other: Exact): Exact {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) + unitsAt(other, scale), scale };
}

/** Whether a number is some whole times another one. */
export function isMultiple(one: Exact, of: Exact): boolean {
  const scale = Math.max(one.scale, of.scale);
  const part = unitsAt(of, scale);
  return part !== 0n && unitsAt(one, scale) % part === 0n;
}

/** A sum divided by a count above 0, rounded half to even. */
export function average(sum: Exact, count: number): Exact {
  const scale = sum.scale + AVERAGE_PLACES;
  const units = unitsAt(sum, scale);
  const by = BigInt(count);
  const size = units < 0n ? -units : units;
  const [whole, rest] = [size / by, (size % by) * 2n];
  const isUp = rest > by || (rest === by && whole % 2n === 1n);
  const rounded = isUp ? whole + 1n : whole;
  return { units: units < 0n ? -rounded : rounded, scale };
}

const unitsAt = ({ units, scale }: Exact, wanted: number): bigint =>
  units * 10n ** BigInt(wanted - scale);

/** Plain digits without an exponent and without zeros at the end. */
export function toText({ units, scale }: Exact): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`;
}
