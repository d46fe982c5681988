import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../../functions/templates/domain/values/decimal.ts';
import { numberWords } from '../../../../../functions/templates/domain/words/number-words.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';

const vi = (number: string | number, more: object = {}) =>
  numberWords(new Decimal(number), { language: 'vi', ...more });
const en = (number: string | number, more: object = {}) =>
  numberWords(new Decimal(number), { language: 'en', ...more });

describe('numbers in Vietnamese words', () => {
  it.each([
    ['0', 'không'],
    ['4', 'bốn'],
    ['5', 'năm'],
    ['10', 'mười'],
    ['11', 'mười một'],
    ['14', 'mười bốn'],
    ['15', 'mười lăm'],
    ['20', 'hai mươi'],
    ['21', 'hai mươi mốt'],
    ['24', 'hai mươi tư'],
    ['25', 'hai mươi lăm'],
    ['99', 'chín mươi chín'],
    ['100', 'một trăm'],
    ['101', 'một trăm lẻ một'],
    ['104', 'một trăm lẻ bốn'],
    ['105', 'một trăm lẻ năm'],
    ['110', 'một trăm mười'],
    ['115', 'một trăm mười lăm'],
    ['121', 'một trăm hai mươi mốt'],
    ['555', 'năm trăm năm mươi lăm'],
    ['1000', 'một nghìn'],
    ['1001', 'một nghìn không trăm lẻ một'],
    ['1024', 'một nghìn không trăm hai mươi tư'],
    ['2015', 'hai nghìn không trăm mười lăm'],
    ['10000', 'mười nghìn'],
    ['21000', 'hai mươi mốt nghìn'],
    ['100005', 'một trăm nghìn không trăm lẻ năm'],
    ['1000000', 'một triệu'],
    ['1000005', 'một triệu không trăm lẻ năm'],
    ['1234567', 'một triệu hai trăm ba mươi tư nghìn năm trăm sáu mươi bảy'],
    ['1000000000', 'một tỷ'],
    ['1001000000', 'một tỷ không trăm lẻ một triệu'],
    ['25000000000', 'hai mươi lăm tỷ'],
    ['1000000000000', 'một nghìn tỷ'],
    ['1000000000000000000', 'một tỷ tỷ'],
    ['-15', 'âm mười lăm'],
    ['1.5', 'một phẩy năm'],
    ['3.14', 'ba phẩy mười bốn'],
    ['2.05', 'hai phẩy không năm'],
    ['0.125', 'không phẩy một hai năm'],
  ])('%s is %s', (number, words) => {
    expect(vi(number)).toBe(words);
  });

  it.each([
    ['1205000', { currency: 'VND' }, 'một triệu hai trăm lẻ năm nghìn đồng'],
    ['1205000.4', { currency: 'VND' }, 'một triệu hai trăm lẻ năm nghìn đồng'],
    ['10.5', { currency: 'USD' }, 'mười đô la Mỹ và năm mươi xen'],
    ['10', { currency: 'USD', isMarkedEven: true }, 'mười đô la Mỹ chẵn'],
    ['105', { style: { missingTen: 'linh' } }, 'một trăm linh năm'],
    ['24000', { style: { thousand: 'ngàn', four: 'bốn' } }, 'hai mươi bốn ngàn'],
    ['7', { currency: 'XYZ' }, 'bảy XYZ'],
    ['7', { currency: '__proto__' }, 'bảy __proto__'],
  ])('%s as %j is %s', (number, options, words) => {
    expect(vi(number, options)).toBe(words);
  });
});

describe('numbers in English words', () => {
  it.each([
    ['0', 'zero'],
    ['13', 'thirteen'],
    ['40', 'forty'],
    ['21', 'twenty-one'],
    ['105', 'one hundred five'],
    ['1000', 'one thousand'],
    ['1000001', 'one million one'],
    ['1234567', 'one million two hundred thirty-four thousand five hundred sixty-seven'],
    ['-2.05', 'minus two point zero five'],
  ])('%s is %s', (number, words) => {
    expect(en(number)).toBe(words);
  });

  it.each([
    ['1', { currency: 'USD' }, 'one US dollar'],
    ['2.01', { currency: 'USD' }, 'two US dollars and one cent'],
    ['2', { currency: 'USD', isMarkedEven: true }, 'two US dollars only'],
    ['1005', { language: 'en-GB' }, 'one thousand and five'],
    ['1105', { language: 'en-GB' }, 'one thousand one hundred and five'],
  ])('%s as %j is %s', (number, options, words) => {
    expect(en(number, options)).toBe(words);
  });
});

const DIGITS = ['không', 'một', 'hai', 'ba', 'bốn', 'năm', 'sáu', 'bảy', 'tám', 'chín'];
const ONES = new Map([
  ...DIGITS.map((word, digit) => [word, digit] as const),
  ['mốt', 1],
  ['tư', 4],
  ['lăm', 5],
]);

const SCALES = new Map([
  ['nghìn', 1_000n],
  ['triệu', 1_000_000n],
  ['tỷ', 1_000_000_000n],
]);

/** Reads the words of a number below a thousand. */
function readGroup(words: readonly string[]): bigint {
  let [group, digit] = [0, 0];
  for (const word of words) {
    if (word === 'trăm') [group, digit] = [digit * 100, 0];
    else if (word === 'mươi') [group, digit] = [group + digit * 10, 0];
    else if (word === 'mười') group += 10;
    else digit = ONES.get(word) ?? 0;
  }
  return BigInt(group + digit);
}

/** Reads Vietnamese words back: what stands before the last of the largest scales, that scale, and the rest. */
function readBack(words: readonly string[]): bigint {
  for (const scale of ['tỷ', 'triệu', 'nghìn']) {
    const at = words.lastIndexOf(scale);
    if (at < 0) continue;
    return readBack(words.slice(0, at)) * (SCALES.get(scale) ?? 0n) + readBack(words.slice(at + 1));
  }
  return readGroup(words);
}

describe('numberWords', () => {
  it('can be read back', () => {
    const numbers = fc.oneof(
      fc.bigInt({ min: 0n, max: 99_999n }),
      fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n }),
    );
    fc.assert(
      fc.property(numbers, (number) => {
        expect(readBack((vi(String(number)) ?? '').split(' '))).toBe(number);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('has no words beyond 36 digits', () => {
    expect(vi('9'.repeat(36))).toContain('tỷ tỷ tỷ');
    expect(vi('9'.repeat(37))).toBeUndefined();
    expect(en('9'.repeat(37))).toBeUndefined();
  });
});
