import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../../../../functions/templates/domain/formats/data-type.ts';
import { formatValue } from '../../../../../functions/templates/domain/formats/format-value.ts';
import { parseMarkerFormat } from '../../../../../functions/templates/domain/formats/marker-format.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';

const VI = { locale: 'vi-VN', zone: 'Asia/Ho_Chi_Minh' };

function shown(
  value: unknown,
  dataType: DataType,
  { switches, format, locale }: { switches?: string; format?: string; locale?: string } = {},
) {
  const settings = { ...VI, ...(locale ? { locale } : {}) };
  const { text, warnings } = formatValue(value, { dataType, format }, switches, settings);
  return [text, ...warnings.map(({ code }) => code)];
}

describe('values without a format', () => {
  it.each<[unknown, DataType, string]>([
    ['Lan', 'STRING', 'Lan'],
    [1234.5, 'STRING', '1234.5'],
    [1e21, 'STRING', '1000000000000000000000'],
    [true, 'STRING', 'Có'],
    [1234567.891, 'NUMBER', '1.234.567,891'],
    ['1234567890123456789012.5', 'NUMBER', '1.234.567.890.123.456.789.012,5'],
    ['12.50', 'NUMBER', '12,5'],
    [' +7 ', 'NUMBER', '7'],
    ['+0', 'INTEGER', '0'],
    [1234567, 'INTEGER', '1.234.567'],
    ['5.0', 'INTEGER', '5'],
    [1234567, 'CURRENCY', '1.234.567\u00a0₫'],
    [0.26, 'PERCENT', '26%'],
    [0.256, 'PERCENT', '25,6%'],
    ['2024-03-01', 'DATE', '01/03/2024'],
    ['2024-02-29T20:30:00Z', 'DATE', '01/03/2024'],
    ['2024-02-29T20:30:00Z', 'DATETIME', '01/03/2024 03:30'],
    ['2024-02-29T20:30', 'DATETIME', '29/02/2024 20:30'],
    [1_709_238_600_000, 'DATETIME', '01/03/2024 03:30'],
    ['09:05:30', 'TIME', '09:05'],
    ['2024-02-29T20:30:00Z', 'TIME', '03:30'],
    [true, 'BOOLEAN', 'Có'],
    ['false', 'BOOLEAN', 'Không'],
    [['a', 2, true], 'LIST', 'a, 2, Có'],
    [null, 'NUMBER', ''],
    [undefined, 'DATE', ''],
    [[], 'LIST', ''],
  ])('%j as %s is %s', (value, type, text) => {
    expect(shown(value, type)).toEqual([text]);
  });

  it.each([
    ['en-US', 'DATE', '2024-03-01', '03/01/2024'],
    ['de-DE', 'DATE', '2024-03-01', '01.03.2024'],
    ['en-US', 'CURRENCY', 1234.5, '$1,234.50'],
    ['de-DE', 'NUMBER', 1234.5, '1.234,5'],
    ['en-US', 'BOOLEAN', true, 'Yes'],
  ] as const)('in %s a %s %s is %s', (locale, type, value, text) => {
    expect(shown(value, type, { locale })).toEqual([text]);
  });
});

describe('values that do not fit their type', () => {
  it.each<[unknown, DataType, string]>([
    ['soon', 'DATE', 'soon'],
    ['09:30', 'DATE', '09:30'],
    ['2024-03-01', 'TIME', '2024-03-01'],
    ['a lot', 'CURRENCY', 'a lot'],
    [5.5, 'INTEGER', '5.5'],
    ['perhaps', 'BOOLEAN', 'perhaps'],
    [{ a: 1 }, 'STRING', '{"a":1}'],
    [['a'], 'STRING', 'a'],
    [[{ a: 1 }], 'LIST', '{"a":1}'],
  ])('%j as %s is shown as it is, with a warning', (value, type, text) => {
    expect(shown(value, type)).toEqual([text, 'FORMAT_FAILED']);
  });

  it('shows nothing of a value that holds itself', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;

    expect(shown(circle, 'STRING')).toEqual(['', 'FORMAT_FAILED']);
  });
});

describe('date pictures', () => {
  it.each([
    ['dd/MM/yyyy', '05/03/2024'],
    ['DD/MM/YYYY', '05/03/2024'],
    ['d-M-yy', '5-3-24'],
    ["'Ngày' d 'tháng' M", 'Ngày 5 tháng 3'],
    ['ngày dd tháng MM năm yyyy', 'ngày 05 tháng 03 năm 2024'],
    ['dddd, dd MMMM', 'Thứ Ba, 05 tháng 3'],
    ['HH:mm:ss', '15:07:09'],
    ['h:mm AM/PM', '3:07 CH'],
    ['hh:mm am/pm', '03:07 ch'],
    ['HHhmm', '15307'],
    ['yyyyMMdd', '20240305'],
  ])('%s', (picture, text) => {
    expect(shown('2024-03-05T15:07:09', 'DATETIME', { switches: `\\@ "${picture}"` })).toEqual([
      text,
    ]);
  });

  it('names months beside a day as dates do', () => {
    const russian = { locale: 'ru-RU' };

    expect(shown('2024-03-05', 'DATE', { ...russian, format: 'd MMMM' })).toEqual(['5 марта']);
    expect(shown('2024-03-05', 'DATE', { ...russian, format: 'MMMM' })).toEqual(['март']);
  });

  it.each(["'dd/MM", 'xx', ''])('%j is none', (picture) => {
    expect(shown('2024-03-05', 'STRING', { switches: `\\@ "${picture}"` })).toEqual([
      '2024-03-05',
      'FORMAT_FAILED',
    ]);
  });
});

describe('number pictures', () => {
  it.each<[string, unknown, string]>([
    ['#,##0', 1234567.5, '1.234.568'],
    ['#,##0.00', '1234.5', '1.234,50'],
    ['#.##0,00', '1234.5', '1.234,50'],
    ['0.##', '1.5', '1,5'],
    ['0.##', '2', '2'],
    ['0000', 42, '0042'],
    ['0', '0.5', '1'],
    ['0', '-0.4', '0'],
    ['0', '-2.5', '-3'],
    ['+0', 5, '+5'],
    ['+0', 0, '0'],
    ['0.00', '1.005', '1,01'],
    ["#,##0 'đồng'", 1500, '1.500 đồng'],
    ['$#,##0', -1500, '-$1.500'],
    ['#,##0;(#,##0)', -1500, '(1.500)'],
    ["0;-0;'không có' 0", 0, 'không có 0'],
    ['0%', 26, '26%'],
  ])('%s of %s', (picture, value, text) => {
    expect(shown(value, 'NUMBER', { switches: `\\# "${picture}"` })).toEqual([text]);
  });

  it.each(['x##', '0.0.0', "'0", '0;0;0;0', '#,##0 0', 'abc'])('%s is none', (picture) => {
    expect(shown(5, 'NUMBER', { switches: `\\# "${picture}"` })).toEqual(['5', 'FORMAT_FAILED']);
  });

  it('take a share as a hundred', () => {
    expect(shown('0.256', 'PERCENT', { format: '0.0%' })).toEqual(['25,6%']);
  });
});

describe('switches and filters', () => {
  it.each([
    ['\\* Upper', 'ĐINH THỊ LAN'],
    ['\\* Lower \\* FirstCap', 'Đinh thị lan'],
    ['\\* Caps', 'Đinh Thị LAN'],
    ['\\* MERGEFORMAT', 'đinh thị LAN'],
    ['\\* Upper \\* MERGEFORMAT', 'ĐINH THỊ LAN'],
    ['\\b "Bà " \\f "."', 'Bà đinh thị LAN.'],
    ['\\b “Bà ”', 'Bà đinh thị LAN'],
    ['\\m \\v', 'đinh thị LAN'],
    ['|upper', 'ĐINH THỊ LAN'],
    ['| lower | title', 'Đinh Thị Lan'],
    ['|before:"a|b "|after: c', 'a|b đinh thị LANc'],
    ['|default:không có', 'đinh thị LAN'],
  ])('%s', (switches, text) => {
    expect(shown('đinh thị LAN', 'STRING', { switches })).toEqual([text]);
  });

  it.each([
    ['|date:dd/MM/yyyy HH:mm', '2024-02-29T20:30:00Z', '01/03/2024 03:30'],
    ['|number:#,##0.00', '1234.5', '1.234,50'],
    ['|currency:USD', 1234.5, '1.234,50\u00a0US$'],
    ['|percent', 0.5, '50%'],
    ['|words', 21, 'hai mươi mốt'],
    ['|words:VND|firstcap', 21000, 'Hai mươi mốt nghìn đồng'],
    ['\\* CardText', 21, 'hai mươi mốt'],
    ['\\* Roman', 2024, 'MMXXIV'],
    ['\\* roman', 4, 'iv'],
    ['\\* Arabic', '1234', '1234'],
  ])('%s of %s is %s', (switches, value, text) => {
    expect(shown(value, 'STRING', { switches })).toEqual([text]);
  });

  it.each(['\\* Fancy', '\\z "x"', '|fancy', '|date', '|upper:x', 'rest', '|currency:dong'])(
    '%s is left out with a warning',
    (switches) => {
      expect(shown('Lan', 'STRING', { switches })).toEqual(['Lan', 'SWITCH_IGNORED']);
    },
  );

  it('are left out where they are longer than any format, and said in short', () => {
    const switches = `|${'\u201c'.repeat(500_000)}`;
    const { ignored } = parseMarkerFormat(switches);

    expect(shown('Lan', 'STRING', { switches })).toEqual(['Lan', 'SWITCH_IGNORED']);
    expect(ignored.join('').length).toBeLessThanOrEqual(100);
  });

  it('go before the format of the field, and that before what is usual', () => {
    const field = { format: 'yyyy' };

    expect(shown('2024-03-01', 'DATE', field)).toEqual(['2024']);
    expect(shown('2024-03-01', 'DATE', { ...field, switches: '|date:MM' })).toEqual(['03']);
    expect(shown('2024-03-01', 'DATE', { ...field, switches: '|words' })).toEqual([
      '2024-03-01',
      'FORMAT_FAILED',
    ]);
  });

  it('put nothing around a value that is empty', () => {
    expect(shown('', 'STRING', { switches: '\\b "(" \\f ")"' })).toEqual(['']);
    expect(shown(null, 'STRING', { switches: '|before:(|default:-' })).toEqual(['(-']);
  });
});

describe('formats of fields', () => {
  it.each<[DataType, string, unknown, string]>([
    ['CURRENCY', 'USD', 5, '5,00\u00a0US$'],
    ['CURRENCY', '#,##0', 1500, '1.500'],
    ['CURRENCY', 'USD 0.00', 1500, '1500,00'],
    ['BOOLEAN', 'Đạt/Không đạt', false, 'Không đạt'],
    ['LIST', '; ', ['a', 'b'], 'a; b'],
    ['STRING', 'upper', 'đ', 'Đ'],
    ['STRING', '\\* Upper', 'đ', 'Đ'],
    ['NUMBER', '|words', 5, 'năm'],
  ])('%s %s', (type, format, value, text) => {
    expect(shown(value, type, { format })).toEqual([text]);
  });
});

function isXmlCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0x20 ? code !== 0xfffe && code !== 0xffff : ['\t', '\n', '\r'].includes(character);
}

describe('text of values', () => {
  it('loses characters that XML cannot hold', () => {
    const value = 'a\u0000b\u0008c\ud800d\udc00e\ufffff\r\ng\rh\ti😀';

    expect(shown(value, 'STRING')).toEqual(['abcdef\ng\nh\ti😀', 'CONTROL_CHARACTERS_REMOVED']);
  });

  it('is cut after 100000 characters', () => {
    const [text = '', ...codes] = shown('x'.repeat(100_001), 'STRING');

    expect([text.length, codes]).toEqual([100_000, ['VALUE_TRUNCATED']]);
  });

  it('is what XML can hold, whatever value, type and switches there are', () => {
    const types = fc.constantFrom<DataType>(
      'STRING',
      'NUMBER',
      'CURRENCY',
      'DATE',
      'TIME',
      'LIST',
      'BOOLEAN',
    );
    const switches = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc
        .constantFrom('\\@ "', '\\# "#,##0', '|date:', '\\* Caps', '|number:', "|date:'")
        .chain((start) => fc.string({ maxLength: 20 }).map((rest) => start + rest)),
    );
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), types, switches, (value, dataType, given) => {
        const { text } = formatValue(value, { dataType }, given, VI);
        expect(text).toBe(text.toWellFormed());
        expect([...text].filter((character) => !isXmlCharacter(character))).toEqual([]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
