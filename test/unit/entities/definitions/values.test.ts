import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../../../functions/entities/domain/schema/validator.ts';
import { codecOf } from '../../../../functions/entities/domain/values/codecs.ts';
import {
  compareKeys,
  cutToBytes,
  fold,
  wordsOf,
} from '../../../../functions/entities/domain/values/folding.ts';
import {
  encodeDateTime,
  encodeTime,
} from '../../../../functions/entities/domain/values/instants.ts';
import {
  encodeDecimal,
  encodeNumber,
} from '../../../../functions/entities/domain/values/numbers.ts';
import { VIETNAMESE } from '../../../helpers/entity-queries/oracle.ts';

const letters = Object.entries(VIETNAMESE).flatMap(([base, marked]) =>
  [...marked].flatMap((letter) => [[letter, base] as const, [letter.toUpperCase(), base] as const]),
);

const sign = (difference: number): number => Math.sign(difference);

describe('fold', () => {
  it('knows all 134 accented Vietnamese letters, composed and decomposed', () => {
    expect(letters).toHaveLength(134);
    for (const [letter, base] of letters) {
      expect(fold(letter.normalize('NFC')), letter).toBe(base);
      expect(fold(letter.normalize('NFD')), letter).toBe(base);
    }
  });

  it.each([
    ['  Nguyễn\t Văn \n An ', 'nguyen van an'],
    ['ĐỖ', 'do'],
    ['İstanbul', 'istanbul'],
    ['a\u001fb\u0000c', 'a b c'],
    ['', ''],
  ])('makes %j into %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('changes nothing that is folded already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => fold(fold(text)) === fold(text)),
    );
  });
});

describe('cutToBytes', () => {
  it('never cuts through a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, max) => {
        const cut = cutToBytes(text, max);

        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(Math.max(max, 0));
        // Half a character becomes U+FFFD, which texts may hold themselves.
        expect(cut.split('\ufffd').length).toBe(text.slice(0, cut.length).split('\ufffd').length);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('compareKeys', () => {
  it('orders texts as their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other));

        expect(sign(compareKeys(one, other))).toBe(sign(bytes));
      }),
    );
  });
});

describe('wordsOf', () => {
  it('finds each word once, without punctuation', () => {
    expect(wordsOf(['Đường Lê-Lợi, số 12', 'số'])).toEqual(['duong', 'le', 'loi', 'so', '12']);
  });
});

describe('encodeNumber', () => {
  it('orders as numbers do', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });

    fc.assert(
      fc.property(number, number, (one, other) => {
        const keys = sign(compareKeys(encodeNumber(one), encodeNumber(other)));

        expect(keys).toBe(one === other ? 0 : one < other ? -1 : 1);
      }),
    );
  });
});

describe('encodeDecimal', () => {
  const decimal = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** 18n), fc.bigInt(0n, 10n ** 18n - 1n))
    .map(([minus, whole, fraction]) => `${minus}${whole}.${String(fraction).padStart(18, '0')}`);

  it('orders as the values do', () => {
    fc.assert(
      fc.property(decimal, decimal, (one, other) => {
        const value = (text: string): bigint => BigInt(text.replace('.', ''));
        const keys = sign(compareKeys(encodeDecimal(one) ?? '', encodeDecimal(other) ?? ''));

        expect(keys).toBe(value(one) === value(other) ? 0 : value(one) < value(other) ? -1 : 1);
      }),
    );
  });

  it.each([
    ['1.10', '1.1'],
    ['007', '7'],
    ['-0.0', '0'],
    ['+5', '5.000'],
  ])('takes %s and %s for the same', (one, other) => {
    expect(encodeDecimal(one)).toBe(encodeDecimal(other));
  });

  it.each(['', 'x', '1e5', '1.', '--1', '1'.repeat(39)])('refuses %j', (text) => {
    expect(encodeDecimal(text)).toBeUndefined();
  });
});

describe('instants', () => {
  it.each([
    ['2026-03-01T07:00:00+07:00', '2026-03-01T00:00:00.000Z'],
    ['2026-12-31T23:59:60Z', '2026-12-31T23:59:59.999Z'],
    ['2026-01-01t00:00:00.123456z', '2026-01-01T00:00:00.123Z'],
    ['2026-02-30T00:00:00Z', undefined],
    ['2026-01-01', undefined],
    ['0000-01-01T00:00:00+01:00', undefined],
  ])('reads %s as %s', (text, key) => {
    expect(encodeDateTime(text)).toBe(key);
  });

  it.each([
    ['08:30:00', '08:30:00.000'],
    ['01:00:00+07:00', '18:00:00.000'],
    ['24:00:00', undefined],
  ])('reads the time %s as %s', (text, key) => {
    expect(encodeTime(text)).toBe(key);
  });
});

describe('codecOf', () => {
  it.each([
    ['INTEGER', '1.5', undefined],
    ['INTEGER', '-12', -12],
    ['NUMBER', '0x10', undefined],
    ['NUMBER', '1e400', undefined],
    ['BOOLEAN', 'yes', undefined],
    ['BOOLEAN', 'true', true],
    ['DATE', '2026-13-01', undefined],
    ['DECIMAL', '12.50', '12.50'],
  ] as const)('reads an operand of %s: %s', (fieldType, operand, value) => {
    expect(codecOf({ fieldType }).read(operand)).toBe(value);
  });
});

describe('multipleOf', () => {
  const check = (of: number) =>
    compileValidator({ type: 'object', properties: { n: { multipleOf: of } } }, '2020-12');

  it('takes all hundredths as they are written', () => {
    const isHundredth = check(0.01);
    const refused = Array.from({ length: 3_000 }, (_, at) =>
      Number(`${Math.floor(at / 100)}.${String(at % 100).padStart(2, '0')}`),
    ).filter((n) => isHundredth({ n }).length > 0);

    expect(refused).toEqual([]);
  });

  it.each([
    [0.01, 0.295],
    [0.1, 1e-7],
    [3, 10],
    [1e-7, 1.5e-8],
  ])('%d refuses %d and says so', (of, n) => {
    expect(check(of)({ n })).toEqual([
      {
        ...{ pointer: '/n', code: 'MULTIPLE_OF', detail: `must be multiple of ${of}` },
        params: { multipleOf: of },
      },
    ]);
  });

  it.each([
    [0.5, -7.5],
    [1e-7, 3e-7],
    [7, 7e21],
    [0.01, 0],
  ])('%d takes %d', (of, n) => {
    expect(check(of)({ n })).toEqual([]);
  });
});
