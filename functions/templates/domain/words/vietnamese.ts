/** Ways in which the regions and the trades of Vietnam differ. */
export interface VietnameseStyle {
  /** Word for a missing ten: `một trăm lẻ năm` or `một trăm linh năm`. */
  readonly missingTen: 'lẻ' | 'linh';
  readonly thousand: 'nghìn' | 'ngàn';
  /** Word for a four after twenty and above: `hai mươi tư` or `hai mươi bốn`. */
  readonly four: 'tư' | 'bốn';
}

export const VIETNAMESE_STYLE: VietnameseStyle = {
  missingTen: 'lẻ',
  thousand: 'nghìn',
  four: 'tư',
};

const DIGITS = ['không', 'một', 'hai', 'ba', 'bốn', 'năm', 'sáu', 'bảy', 'tám', 'chín'];
const digit = (value: number): string => DIGITS[value] ?? '';

/** A whole number without sign, given by its digits, in Vietnamese words. */
export function vietnameseWhole(digits: string, style: VietnameseStyle): string {
  const trimmed = digits.replace(/^0+/, '');
  if (trimmed === '') return digit(0);
  const words: string[] = [];
  const billions = blocksOf(trimmed, 9);
  billions.forEach((block, index) => {
    const read = belowBillion(block, words.length > 0, style);
    // A number of billions is named by the billions of its billions: 10^18 is `một tỷ tỷ`.
    if (read !== '') words.push(read, ...Array<string>(billions.length - 1 - index).fill('tỷ'));
  });
  return words.join(' ');
}

/** The digits after the comma, which are read one by one once there are more than two. */
export function vietnameseFraction(digits: string, style: VietnameseStyle): string {
  const rest = digits.replace(/^0+/, '');
  const zeros = Array<string>(digits.length - rest.length).fill(digit(0));
  if (rest.length > 2) return [...zeros, ...[...rest].map((one) => digit(Number(one)))].join(' ');
  return rest === '' ? zeros.join(' ') : [...zeros, vietnameseWhole(rest, style)].join(' ');
}

function belowBillion(digits: string, isContinued: boolean, style: VietnameseStyle): string {
  const groups = blocksOf(digits, 3);
  const scales = ['', style.thousand, 'triệu'];
  const words: string[] = [];
  groups.forEach((group, index) => {
    const value = Number(group);
    if (value === 0) return;
    const scale = scales[groups.length - 1 - index] ?? '';
    words.push(belowThousand(value, isContinued || words.length > 0, style));
    if (scale !== '') words.push(scale);
  });
  return words.join(' ');
}

/** @param isContinued whether words stand before it: the hundreds are then named even when there are none */
function belowThousand(value: number, isContinued: boolean, style: VietnameseStyle): string {
  const [hundreds, tens, ones] = [
    Math.floor(value / 100),
    Math.floor((value % 100) / 10),
    value % 10,
  ];
  const words: string[] = [];
  if (hundreds > 0 || isContinued) words.push(digit(hundreds), 'trăm');
  if (tens === 0 && ones > 0 && words.length > 0) words.push(style.missingTen);
  if (tens === 1) words.push('mười');
  if (tens > 1) words.push(digit(tens), 'mươi');
  if (ones > 0) words.push(unit(ones, tens, style));
  return words.join(' ');
}

function unit(ones: number, tens: number, { four }: VietnameseStyle): string {
  if (ones === 1 && tens > 1) return 'mốt';
  if (ones === 4 && tens > 1) return four;
  if (ones === 5 && tens > 0) return 'lăm';
  return digit(ones);
}

/** Digits in blocks of a size, the first one filled with zeros. */
function blocksOf(digits: string, size: number): string[] {
  const padded = digits.padStart(Math.ceil(digits.length / size) * size, '0');
  return Array.from({ length: padded.length / size }, (_, index) =>
    padded.slice(index * size, (index + 1) * size),
  );
}
