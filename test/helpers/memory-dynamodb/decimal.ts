/** A number as DynamoDB keeps it: exact, up to 38 significant digits. */
interface Decimal {
  readonly digits: bigint;
  /** Power of ten that the digits are multiplied with. */
  readonly exponent: number;
}

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
const MAX_DIGITS = 38;

/** Whether a text is a number that DynamoDB accepts. */
export function isDecimal(text: string): boolean {
  const decimal = read(text);
  if (!decimal) return false;
  const digits = String(decimal.digits).replace('-', '').length;
  const magnitude = digits + decimal.exponent;
  return digits <= MAX_DIGITS && magnitude <= 126 && magnitude > -130;
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = align(parse(a), parse(b));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact sum. */
export function addDecimals(a: string, b: string): string {
  const [left, right, exponent] = align(parse(a), parse(b));
  return format({ digits: left + right, exponent });
}

/** The number with its sign turned round. */
export function negateDecimal(text: string): string {
  const { digits, exponent } = parse(text);
  return format({ digits: -digits, exponent });
}

/** Bytes a number takes: one for every two significant digits and one more. */
export function decimalSize(text: string): number {
  const { digits } = parse(text);
  const significant = String(digits).replace('-', '').length;
  return Math.ceil(significant / 2) + 1 + (digits < 0n ? 1 : 0);
}

function parse(text: string): Decimal {
  const decimal = read(text);
  if (!decimal) throw new TypeError(`not a number: ${text}`);
  return decimal;
}

function read(text: string): Decimal | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] = FORM.exec(text) ?? [];
  if (whole === '' && fraction === '') return undefined;
  let digits = BigInt(whole + fraction);
  let exponent = Number(power) - fraction.length;
  if (digits === 0n) return { digits, exponent: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    exponent += 1;
  }
  return { digits: sign === '-' ? -digits : digits, exponent };
}

function align(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return [scale(a), scale(b), exponent];
}

function format({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits).replace('-', '');
  if (exponent >= 0 && text.length + exponent <= MAX_DIGITS + 2) {
    return `${sign}${text}${digits === 0n ? '' : '0'.repeat(exponent)}`;
  }
  if (exponent < 0 && -exponent <= MAX_DIGITS + 2) {
    const padded = text.padStart(1 - exponent, '0');
    const point = padded.length + exponent;
    const fraction = padded.slice(point).replace(/0+$/, '');
    return `${sign}${padded.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
  }
  return `${sign}${text}E${exponent}`;
}
