import { describe, expect, it } from 'vitest';
import type { MergeField } from '../../../../../functions/templates/domain/fields/field.ts';
import { BUILTINS } from '../../../../../functions/templates/domain/sources/builtin-catalogue.ts';
import { ResolvedValues } from '../../../../../functions/templates/domain/sources/resolve-values.ts';
import { settingsOf } from '../../../../../functions/templates/domain/sources/system-values.ts';
import type { ValueSources } from '../../../../../functions/templates/domain/sources/value-sources.ts';
import {
  decimalText,
  isDecimal,
} from '../../../../../functions/templates/domain/values/decimal.ts';

const FACTS: ValueSources = {
  fields: [],
  system: {
    user: { id: 'u1', fullName: 'Lan' },
    tenant: { id: 't1' },
    app: { name: 'HR' },
    settings: new Map<string, unknown>([
      ['template.footer', 'Sao Mai'],
      ['security.aes_secret', 'secret'],
      ['notify.sender', 'noreply'],
    ]),
  },
  allowedSettings: ['notify.sender'],
  builtins: {
    nowMs: Date.parse('2024-02-29T20:30:00Z'),
    uuid: 'uuid-1',
    user: { id: 'u1', username: 'lan', fullName: 'Lan', departmentName: 'HR' },
    document: { documentNumber: '0001/2024', templateCode: 'HDLD', outputFormat: 'DOCX' },
    company: { name: 'Sao Mai' },
    constants: new Map([['motto', 'Độc lập - Tự do - Hạnh phúc']]),
  },
  settings: { locale: 'vi-VN', zone: 'Asia/Ho_Chi_Minh' },
};

const ALL_FACTS = {
  user: { id: 'u', username: 'u', fullName: 'u', email: 'u', departmentName: 'u' },
  company: { name: 'c', address: 'c', taxCode: 'c' },
  document: {
    documentNumber: 'd',
    generationId: 'd',
    templateCode: 'd',
    templateName: 'd',
    fileName: 'd',
    outputFormat: 'd',
    entityType: 'd',
    entityId: 'd',
  },
};

const field = (name: string, more: Partial<MergeField> = {}): MergeField => ({
  name,
  sourceType: 'ENTITY',
  dataType: 'STRING',
  ...more,
});
const computed = (name: string, expression: string, more: Partial<MergeField> = {}): MergeField =>
  field(name, { sourceType: 'COMPUTED', expression, dataType: 'NUMBER', ...more });

const resolve = (more: Partial<ValueSources>) => new ResolvedValues({ ...FACTS, ...more });
const plain = (value: unknown): unknown => (isDecimal(value) ? decimalText(value) : value);
const shownBy = (values: ResolvedValues, name: string): unknown =>
  plain(values.valueOf(name).value);

describe('ENTITY', () => {
  it.each([
    ['its name in entityData', field('city'), { city: 'Huế' }, 'Huế'],
    ['another case of its name', field('City'), { cITY: 'Huế' }, 'Huế'],
    ['a literal dotted key', field('a.b'), { 'a.b': 1, a: { b: 2 } }, 1],
    ['a path in entityData', field('a.b'), { a: { b: 2 } }, 2],
    ['its source in entityData', field('x', { sourceRef: 'a.b' }), { a: { b: 2 } }, 2],
    ['the record', field('x', { sourceRef: 'salary' }), {}, 100],
    ['the record by its type', field('x', { sourceRef: 'employee.salary' }), {}, 100],
    ['a relation of the record', field('x', { sourceRef: 'department.name' }), {}, 'HR'],
    ['its default', field('x', { defaultValue: '-' }), {}, '-'],
    ['null, and so its default', field('x', { defaultValue: '-' }), { x: null }, '-'],
    ['false', field('x', { defaultValue: '-' }), { x: false }, false],
    ['nothing', field('x'), {}, null],
    ['nothing inherited', field('toString'), {}, null],
  ])('finds %s', (_name, declared, entityData, value) => {
    const record = { salary: 100, department: { name: 'HR' } };
    const values = resolve({ fields: [declared], entityData, record, entityType: 'employee' });

    expect(shownBy(values, declared.name)).toBe(value);
  });

  it('puts the values of the request before those of the record', () => {
    const values = resolve({ fields: [field('a')], entityData: { a: 1 }, record: { a: 2 } });

    expect(shownBy(values, 'A')).toBe(1);
  });

  it('warns of what has no value, and names required fields', () => {
    const values = resolve({
      fields: [field('a', { required: true }), field('b')],
      entityData: { b: '' },
    });

    values.valueOf('a');
    values.valueOf('b');

    expect(values.missingRequired).toEqual(['a']);
    expect(values.warnings.codes).toEqual(['FIELD_VALUE_MISSING']);
    expect(values.warnings.details.map((detail) => detail.field)).toEqual(['a', 'b']);
  });
});

describe('SYSTEM', () => {
  const system = (sourceRef: string) =>
    shownBy(resolve({ fields: [field('x', { sourceType: 'SYSTEM', sourceRef })] }), 'x');

  it.each([
    ['setting:template.footer', 'Sao Mai'],
    ['setting:notify.sender', 'noreply'],
    ['user.fullName', 'Lan'],
    ['tenant.id', 't1'],
    ['app.name', 'HR'],
    ['setting:security.aes_secret', null],
    ['setting:notify.password', null],
    ['user.constructor', null],
    ['__proto__.x', null],
  ])('%s', (ref, value) => {
    expect(system(ref)).toBe(value);
  });
});

describe('settingsOf', () => {
  it('names each setting once that may be read', () => {
    const refs = [
      'setting:template.a',
      'setting:template.a',
      'setting:security.x',
      'user.id',
      'setting:notify.b',
    ];
    const fields = refs.map((sourceRef, index) =>
      field(`f${index}`, { sourceType: 'SYSTEM', sourceRef }),
    );

    expect(settingsOf([...fields, field('x')], ['notify.b'])).toEqual(['template.a', 'notify.b']);
  });
});

describe('BUILTIN', () => {
  it('has a value for each code, but for those that only the layout knows', () => {
    const values = resolve({ builtins: { ...FACTS.builtins, ...ALL_FACTS } });
    const without = BUILTINS.filter(({ code }) => values.valueOf(code).value === undefined);

    expect(without.map(({ code }) => code)).toEqual(['pageNumber', 'pageCount']);
    expect(new Set(BUILTINS.map(({ code }) => code.toLowerCase())).size).toBe(BUILTINS.length);
  });

  const builtin = (sourceRef: string, more: Partial<ValueSources> = {}) =>
    shownBy(resolve({ fields: [field('x', { sourceType: 'BUILTIN', sourceRef })], ...more }), 'x');

  it.each([
    ['today', '2024-03-01'],
    ['TODAY', '2024-03-01'],
    ['now', '2024-02-29T20:30:00.000Z'],
    ['currentDay', '01'],
    ['currentYear', '2024'],
    ['currentTime', '03:30:00'],
    ['todayLong', 'ngày 01 tháng 03 năm 2024'],
    ['dayOfWeek', 'Thứ Sáu'],
    ['currentUserName', 'lan'],
    ['documentNumber', '0001/2024'],
    ['companyName', 'Sao Mai'],
    ['uuid', 'uuid-1'],
    ['motto', 'Độc lập - Tự do - Hạnh phúc'],
    ['pageNumber', null],
  ])('%s', (code, value) => {
    expect(builtin(code)).toBe(value);
  });

  it('speaks the language of the locale', () => {
    const settings = { locale: 'en-US', zone: 'UTC' };

    expect([builtin('todayLong', { settings }), builtin('dayOfWeek', { settings })]).toEqual([
      'February 29, 2024',
      'Thursday',
    ]);
  });

  it('answers a marker that nobody declared', () => {
    const values = resolve({ entityData: { templateCode: 'forged', motto: 'forged' } });

    expect([shownBy(values, 'templateCode'), shownBy(values, 'MOTTO')]).toEqual([
      'HDLD',
      'Độc lập - Tự do - Hạnh phúc',
    ]);
    expect(values.warnings.codes).toEqual(['ENTITY_DATA_OVERRIDE_IGNORED']);
  });
});

describe('COMPUTED', () => {
  it('refers to fields by name, with the types that they declare', () => {
    const fields = [
      field('price', { dataType: 'CURRENCY' }),
      field('qty', { dataType: 'INTEGER' }),
      computed('withTax', 'round(Net * 1.1)'),
      computed('net', 'price + qty'),
      computed('text', '"Total: " + withTax', { dataType: 'STRING' }),
    ];
    const values = resolve({ fields, entityData: { price: '10.50', qty: '2' } });

    expect([shownBy(values, 'net'), shownBy(values, 'text')]).toEqual(['12.5', 'Total: 14']);
    expect(values.warnings.codes).toEqual([]);
  });

  it('sees raw data, records and builtins', () => {
    const fields = [computed('x', 'sum(items.price) + bonus + length(today)')];
    const values = resolve({
      fields,
      entityData: { items: [{ price: 1 }, { price: 2 }] },
      record: { bonus: 5 },
    });

    expect(shownBy(values, 'x')).toBe('18');
  });

  it('stays empty with a warning when it fails, and is computed once', () => {
    const values = resolve({ fields: [computed('x', '1 / zero')], entityData: { zero: 0 } });

    expect([shownBy(values, 'x'), shownBy(values, 'x')]).toEqual([null, null]);
    expect(values.warnings.codes).toEqual(['COMPUTED_ERROR', 'FIELD_VALUE_MISSING']);
    expect(values.warnings.details[0]?.message).toBe('At 3 the expression divides by zero.');
  });

  it('does not run in circles', () => {
    const fields = [
      computed('a', 'b + 1'),
      computed('b', 'a + 1'),
      computed('c', 'a + 1'),
      computed('d', '1'),
    ];
    const values = resolve({ fields });

    expect(['a', 'b', 'c', 'd'].map((name) => shownBy(values, name))).toEqual([
      null,
      null,
      null,
      '1',
    ]);
    expect(values.warnings.details.map(({ message }) => message)).toContain(
      'refers to itself: a -> b -> a',
    );
  });

  it('takes no more steps in one document than it may, whatever it is repeated for', () => {
    const values = resolve({
      fields: [computed('rows.share', 'sum(items.price) / rows.part')],
      entityData: { items: Array.from({ length: 9_000 }, () => ({ price: 1 })) },
    });
    const row = { list: 'rows', element: { part: 2 } };

    const shares = Array.from({ length: 150 }, () => values.valueIn('rows.share', [row]).value);

    const computedShares = shares.filter(isDecimal);
    expect(computedShares.length).toBeGreaterThan(100);
    expect(shares.slice(computedShares.length).every((share) => share === null)).toBe(true);
    expect(shares.at(-1)).toBe(null);
    expect(values.warnings.codes).toContain('COMPUTED_ERROR');
  });

  it('follows a chain of a thousand fields', () => {
    const fields = Array.from({ length: 1_000 }, (_, index) =>
      computed(`f${index}`, index === 0 ? '1' : `f${index - 1} + 1`),
    );

    expect(shownBy(resolve({ fields }), 'f999')).toBe('1000');
  });
});

describe('values that a request cannot set', () => {
  it.each([
    ['SYSTEM', { sourceRef: 'user.id' }, 'u1'],
    ['BUILTIN', { sourceRef: 'documentNumber' }, '0001/2024'],
    ['COMPUTED', { expression: '"own"' }, 'own'],
  ] as const)('%s', (sourceType, more, value) => {
    const values = resolve({
      fields: [field('x', { sourceType, ...more })],
      entityData: { X: 'forged' },
    });

    expect(shownBy(values, 'x')).toBe(value);
    expect(values.warnings.codes).toEqual(['ENTITY_DATA_OVERRIDE_IGNORED']);
  });

  it('are not reached by names that every object has', () => {
    const entityData = JSON.parse('{"__proto__": {"name": "forged"}, "constructor": 1}');
    const values = resolve({ fields: [field('name')], entityData });

    expect(shownBy(values, 'name')).toBeNull();
    expect(Object.hasOwn(Object.prototype, 'name')).toBe(false);
  });
});

describe('rows', () => {
  const fields = [
    field('items', { dataType: 'LIST' }),
    field('items.price', { dataType: 'CURRENCY' }),
    computed('items.total', 'items.price * items.qty'),
  ];
  const entityData = {
    items: [
      { price: '1.5', qty: 2 },
      { price: 3, qty: 4 },
    ],
    city: 'Huế',
  };

  it('have the values of their element', () => {
    const values = resolve({ fields, entityData });
    const rows = (values.listIn('items', []) ?? []).map((element) => ({ list: 'items', element }));
    const read = (name: string) => rows.map((row) => plain(values.valueIn(name, [row]).value));

    expect([read('items.price'), read('items.total'), read('city')]).toEqual([
      ['1.5', 3],
      ['3', '12'],
      ['Huế', 'Huế'],
    ]);
    expect(
      values.valueIn('Items.PRICE', [{ list: 'items', element: { price: 1 } }]).field?.dataType,
    ).toBe('CURRENCY');
  });

  it('are none for a name without a list', () => {
    expect(resolve({ fields, entityData: { items: 'x' } }).listIn('items', [])).toBeUndefined();
  });
});
