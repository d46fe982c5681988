import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpressionError } from '../../../../../functions/templates/domain/expressions/basics/expression-error.ts';
import { evaluate } from '../../../../../functions/templates/domain/expressions/evaluate.ts';
import { parseExpression } from '../../../../../functions/templates/domain/expressions/parse.ts';
import {
  decimalText,
  isDecimal,
} from '../../../../../functions/templates/domain/values/decimal.ts';
import { atPath } from '../../../../../functions/templates/domain/values/json-path.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';

const DATA = {
  price: 0.1,
  name: 'Lan',
  born: '2000-02-29',
  nothing: null,
  'Hello world': 'hi',
  items: [{ name: 'a', price: 1.1, tags: ['x', 'y'] }, { name: 'b', price: '2.2' }, { name: 'c' }],
  person: { address: { city: 'Huế' } },
};
const SETTINGS = { locale: 'vi-VN', zone: 'Asia/Ho_Chi_Minh' };

function compute(source: string, data: unknown = DATA): unknown {
  const value = evaluate(parseExpression(source), (path) => atPath(data, path), SETTINGS);
  return isDecimal(value) ? decimalText(value) : value;
}

function failure(source: string, data?: unknown): string {
  try {
    return `computed ${String(compute(source, data))}`;
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.code} ${error.position}`;
    throw error;
  }
}

describe('expressions', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['1 - 0.9', '0.1'],
    ['12345678901234567890.12 * 100', '1234567890123456789012'],
    ['1 / 8', '0.125'],
    ['10 % 3', '1'],
    ['-7 % 3', '-1'],
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['10 - 4 - 3', '3'],
    ['--5', '5'],
    ['+price * 3', '0.3'],
    ['"a" + 1 + 2', 'a12'],
    ['1 + 2 + "a"', '3a'],
    ['"a" + nothing', 'a'],
    ['1 + nothing', null],
    ['price * missing', null],
    ['1 < 2 and 2 < 3', true],
    ['1 < 2 && not (2 < 3)', false],
    ['not 1 == 2', true],
    ['!true || false', false],
    ['1 = 1.0', true],
    ['1 <> 2', true],
    ['"10" > 9', true],
    ['"b" > "a"', true],
    ['"đ" < "e"', true],
    ['born < "2024-01-01T00:00"', true],
    ['nothing == missing', true],
    ['nothing < 1', false],
    ['"" ?? "x"', 'x'],
    ['nothing ?? missing ?? 3', '3'],
    ['price > 1 ? "dear" : price > 0.05 ? "fair" : "cheap"', 'fair'],
    ['items[1].name', 'b'],
    ['items[9].name', null],
    ['person.address.city', 'Huế'],
    ['`Hello world`', 'hi'],
    ['“quoted”', 'quoted'],
    ["'it\\'s'", "it's"],
    ['"a\\nb"', 'a\nb'],
    ['true', true],
    ['null', null],
  ])('%s is %j', (source, value) => {
    expect(compute(source)).toBe(value);
  });

  it.each([
    ['concat(name, " ", 1.50)', 'Lan 1.5'],
    ['upper("đinh")', 'ĐINH'],
    ['lower("ĐINH")', 'đinh'],
    ['title("nguyễn văn an")', 'Nguyễn Văn An'],
    ['trim("  a ")', 'a'],
    ['substring("a😀cd", 1, 2)', '😀c'],
    ['substring("abc", 1)', 'bc'],
    ['replace("a.b.c", ".", "-")', 'a-b-c'],
    ['replace("abc", "", "-")', 'abc'],
    ['length("a😀")', '2'],
    ['length(items)', '3'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['round(1234, -2)', '1200'],
    ['floor(-1.5)', '-2'],
    ['ceil(-1.5)', '-1'],
    ['ceil(1.2)', '2'],
    ['abs(-3)', '3'],
    ['min(3, 1, 2)', '1'],
    ['max(items.price)', '2.2'],
    ['sum(items.price)', '3.3'],
    ['sum(missing)', '0'],
    ['count(items)', '3'],
    ['count(items.price)', '2'],
    ['avg(1, 2, 4.5)', '2.5'],
    ['avg(missing)', null],
    ['join(items.name, " - ")', 'a - b - c'],
    ['join(items.tags)', 'x, y'],
    ['coalesce(nothing, "", "x", 1/0)', 'x'],
    ['if(1 < 2, "yes", 1/0)', 'yes'],
    ['if(false, 1)', null],
    ['formatNumber(1234.5, "#,##0.00")', '1.234,50'],
    ['formatNumber(1234.5)', '1.234,5'],
    ['formatDate("2024-02-29T20:30:00Z", "dd/MM/yyyy HH:mm")', '01/03/2024 03:30'],
    ['formatDate(born)', '29/02/2000'],
    ['formatCurrency(1500)', '1.500\u00a0₫'],
    ['formatCurrency(1.5, "USD")', '1,50\u00a0US$'],
    ['dateAdd("2024-01-31", 1, "month")', '2024-02-29'],
    ['dateAdd("2024-02-29", -1, "years")', '2023-02-28'],
    ['dateAdd("2024-02-28", 2)', '2024-03-01'],
    ['dateAdd("2024-02-28", 1, "hour")', '2024-02-28T01:00:00'],
    ['dateAdd("23:30", 1, "hours")', '00:30:00'],
    ['dateDiff(born, "2024-02-28", "years")', '23'],
    ['dateDiff(born, "2024-02-29", "years")', '24'],
    ['dateDiff("2024-03-01", "2024-02-01")', '-29'],
    ['dateDiff("2024-01-31", "2024-02-29", "months")', '1'],
    ['year(born) + month(born) + day(born)', '2031'],
    ['numberToWords(1205000, "VND")', 'một triệu hai trăm lẻ năm nghìn đồng'],
    ['numberToWords(105, "", "vi", "linh")', 'một trăm linh năm'],
    ['numberToWords(21, "USD", "en", "only")', 'twenty-one US dollars only'],
    ['numberToWords(nothing)', null],
  ])('%s is %j', (source, value) => {
    expect(compute(source)).toBe(value);
  });
});

describe('an expression that cannot be read', () => {
  it.each([
    ['', 'EXPRESSION_SYNTAX 1'],
    ['1 +', 'EXPRESSION_SYNTAX 4'],
    ['1 2', 'EXPRESSION_SYNTAX 3'],
    ['(1', 'EXPRESSION_SYNTAX 3'],
    ['a..b', 'EXPRESSION_SYNTAX 3'],
    ['a[x]', 'EXPRESSION_SYNTAX 3'],
    ['a = = b', 'EXPRESSION_SYNTAX 5'],
    ['a; b', 'EXPRESSION_SYNTAX 2'],
    ['x = 1 ? 2', 'EXPRESSION_SYNTAX 10'],
    ['"abc', 'EXPRESSION_SYNTAX 1'],
    ['"a\\x"', 'EXPRESSION_SYNTAX 3'],
    ['{}', 'EXPRESSION_SYNTAX 1'],
    ['a => 1', 'EXPRESSION_SYNTAX 4'],
    ['a.constructor', 'RESERVED_NAME 1'],
    ['"".constructor', 'EXPRESSION_SYNTAX 3'],
    ['__proto__', 'RESERVED_NAME 1'],
    ['`__proto__`.x', 'RESERVED_NAME 1'],
    ['eval("1")', 'UNKNOWN_FUNCTION 1'],
    ['toString()', 'UNKNOWN_FUNCTION 1'],
    ['1 + constructor("x")', 'UNKNOWN_FUNCTION 5'],
    ['a.b("x")', 'EXPRESSION_SYNTAX 4'],
    ['round()', 'WRONG_ARGUMENT_COUNT 1'],
    ['if(1, 2, 3, 4)', 'WRONG_ARGUMENT_COUNT 1'],
    [`${'1'.repeat(401)}`, 'NUMBER_TOO_LARGE 1'],
    [`${' '.repeat(2_000)}1`, 'EXPRESSION_TOO_LONG 2001'],
    [`${'('.repeat(33)}1${')'.repeat(33)}`, 'EXPRESSION_TOO_DEEP 33'],
    [`${'-'.repeat(40)}1`, 'EXPRESSION_TOO_DEEP 33'],
    [`${'not '.repeat(40)}1`, 'EXPRESSION_TOO_DEEP 129'],
    [`1${'?1:1'.repeat(40)}`, 'EXPRESSION_TOO_DEEP 127'],
  ])('%s', (source, expected) => {
    expect(failure(source)).toBe(expected);
  });
});

describe('an expression that cannot be computed', () => {
  const long = { items: Array.from({ length: 10_001 }, () => 1), text: 'x'.repeat(60_000) };

  it.each([
    ['1 / 0', 'DIVISION_BY_ZERO 3'],
    ['1 % 0', 'DIVISION_BY_ZERO 3'],
    ['"a" * 2', 'NOT_A_NUMBER 5'],
    ['true + 1', 'NOT_A_NUMBER 6'],
    ['items < 1', 'NOT_COMPARABLE 7'],
    ['year("soon")', 'NOT_A_DATE 1'],
    ['dateAdd("2024-01-01", 0.5)', 'WRONG_ARGUMENT 1'],
    ['dateAdd("2024-01-01", 1, "moons")', 'WRONG_ARGUMENT 1'],
    ['dateAdd("9999-12-31", 1)', 'NOT_A_DATE 1'],
    ['formatNumber(1, "abc")', 'WRONG_ARGUMENT 1'],
    ['numberToWords(1, "dong")', 'WRONG_ARGUMENT 1'],
    ['sum(items)', 'EXPRESSION_TOO_COSTLY 1'],
    ['text + text', 'TEXT_TOO_LONG 6'],
    ['replace(text, "x", "yyyyyyyyyy")', 'WRONG_ARGUMENT 1'],
    [`${'9'.repeat(300)} * ${'9'.repeat(300)}`, 'NUMBER_TOO_LARGE 302'],
  ])('%s', (source, expected) => {
    expect(failure(source, source.includes('items <') ? DATA : long)).toBe(expected);
  });

  it('is stopped after 10000 steps', () => {
    const data = { items: Array.from({ length: 3_000 }, () => 1) };

    expect(failure('sum(items) + sum(items) + sum(items)', data)).toBe('computed 9000');
    expect(failure('sum(items) + sum(items) + sum(items) + sum(items)', data)).toBe(
      'EXPRESSION_TOO_COSTLY 40',
    );
  });
});

describe('references', () => {
  it('find own properties alone, and run no getter', () => {
    let calls = 0;
    const data = Object.create({ inherited: 1 }) as object;
    Object.defineProperty(data, 'trap', { enumerable: true, get: () => ++calls });

    expect([compute('inherited', data), compute('trap', data), calls]).toEqual([null, null, 0]);
    expect([compute('toString'), compute('name.length'), compute('items.length[0]')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    '1',
    '0.5',
    '"a"',
    'items',
    'name',
    '.',
    '[',
    ']',
    '0',
    '(',
    ')',
    ',',
    '+',
    '-',
    '*',
    '/',
    '%',
    '?',
    ':',
    '??',
    '<',
    '==',
    'and',
    'or',
    'not',
    '!',
    'sum',
    'if',
    'replace',
    'round',
    'dateAdd',
    'constructor',
    ' ',
    '`',
    "'",
  );

  it('computes a value or fails with an error of its own', () => {
    const sources = fc.oneof(
      fc.array(pieces, { maxLength: 25 }).map((list) => list.join(' ')),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(sources, (source) => {
        expect(() => failure(source)).not.toThrow();
      }),
      { numRuns: propertyRuns(1_000) },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('computes sums of decimals exactly', () => {
    const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(cents, cents, (first, second) => {
        const write = (value: number): string =>
          `(${value < 0 ? '-' : ''}${Math.trunc(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')})`;
        expect(compute(`(${write(first)} + ${write(second)}) * 100`)).toBe(String(first + second));
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
