const SMALL = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES = [
  '',
  'thousand',
  'million',
  'billion',
  'trillion',
  'quadrillion',
  'quintillion',
  'sextillion',
  'septillion',
  'octillion',
  'nonillion',
  'decillion',
];

/** A whole number of up to 36 digits without sign in English words; British English says `and` before the tens. */
export function englishWhole(digits: string, isBritish: boolean): string {
  const trimmed = digits.replace(/^0+/, '');
  if (trimmed === '') return 'zero';
  const padded = trimmed.padStart(Math.ceil(trimmed.length / 3) * 3, '0');
  const count = padded.length / 3;
  const words: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const value = Number(padded.slice(index * 3, index * 3 + 3));
    if (value === 0) continue;
    const isLast = index === count - 1;
    if (isBritish && isLast && value < 100 && words.length > 0) words.push('and');
    words.push(belowThousand(value, isBritish));
    const scale = SCALES[count - 1 - index] ?? '';
    if (scale !== '') words.push(scale);
  }
  return words.join(' ');
}

/** The digits after the point, one by one. */
export const englishFraction = (digits: string): string =>
  [...digits].map((one) => SMALL[Number(one)]).join(' ');

function belowThousand(value: number, isBritish: boolean): string {
  const [hundreds, rest] = [Math.floor(value / 100), value % 100];
  const words = hundreds > 0 ? [`${SMALL[hundreds]} hundred`] : [];
  if (rest > 0 && hundreds > 0 && isBritish) words.push('and');
  if (rest > 0) words.push(belowHundred(rest));
  return words.join(' ');
}

function belowHundred(value: number): string {
  if (value < 20) return SMALL[value] ?? '';
  const [tens, ones] = [TENS[Math.floor(value / 10)], value % 10];
  return ones === 0 ? `${tens}` : `${tens}-${SMALL[ones]}`;
}
