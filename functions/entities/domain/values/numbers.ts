/** A number as 16 hex digits whose order is the order of the numbers. */
export function encodeNumber(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[index] ?? 0;
    bytes[index] = isNegative ? byte ^ 0xff : index === 0 ? byte ^ 0x80 : byte;
  }
  return bytes.toString('hex');
}

/** A decimal of up to 38 digits, as people write it. */
export const DECIMAL = /^[+-]?(?:\d{1,38})(?:\.\d{1,38})?$/;
const MAX_DIGITS = 38;
const EXPONENT_OFFSET = 500;

/**
 * A decimal as sign, exponent and digits whose order is the order of the values; `1.10` and `1.1` are the same.
 * @returns `undefined` when the text is not a decimal or has more than 38 significant digits.
 */
export function encodeDecimal(text: string): string | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.');
  const all = whole + fraction;
  const leadingZeros = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leadingZeros).replace(/0+$/, '');
  if (digits === '') return '1';
  if (digits.length > MAX_DIGITS) return undefined;
  const exponent = EXPONENT_OFFSET + whole.length - leadingZeros;
  if (!isNegative) return `2${String(exponent).padStart(3, '0')}${digits}`;
  const complement = digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
  // A colon sorts above the digits: of two negative numbers the one with more digits is smaller.
  return `0${String(999 - exponent).padStart(3, '0')}${complement}:`;
}
