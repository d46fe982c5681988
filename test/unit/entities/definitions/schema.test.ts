import { describe, expect, it } from 'vitest';
import {
  deriveFirst,
  deriveNext,
} from '../../../../functions/entities/domain/definitions/derive.ts';
import type { EntityDefinition } from '../../../../functions/entities/domain/entity/entity.ts';
import { schemaTextOf } from '../../../../functions/entities/domain/schema/read-document.ts';
import { compileValidator } from '../../../../functions/entities/domain/schema/validator.ts';
import { aCustomerEntity, anEntitiesApi, DEFINITIONS } from '../entities-api.ts';

const derive = (schema: unknown) => deriveFirst(schemaTextOf(schema), false);
const typesOf = (schema: unknown) =>
  Object.fromEntries(derive(schema).fields.map(({ code, fieldType }) => [code, fieldType]));
const anObject = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('fields of a JSON Schema', () => {
  it('get their types', () => {
    const properties = {
      a: { type: 'string' },
      b: { type: 'string', maxLength: 300 },
      c: { type: 'string', format: 'textarea' },
      d: { type: 'string', enum: ['x', 'y'] },
      e: { oneOf: [{ const: 'x', title: 'X' }, { const: 'y' }] },
      f: { type: 'string', format: 'date' },
      g: { type: 'string', format: 'date-time' },
      h: { type: 'string', format: 'time' },
      i: { type: 'string', format: 'decimal' },
      j: { type: ['integer', 'null'] },
      k: { type: 'number' },
      l: { type: 'boolean' },
      m: { type: 'array', items: { type: 'string', enum: ['p'] } },
      n: { type: 'array', items: { type: 'object' } },
      o: { type: 'object' },
      p: { $ref: '#/$defs/code' },
      q: { type: 'string', format: 'image' },
      r: { type: 'string', format: 'email' },
    };

    expect(
      typesOf(anObject(properties, { $defs: { code: { type: 'string', format: 'uuid' } } })),
    ).toEqual({
      a: 'STRING',
      b: 'TEXT',
      c: 'TEXT',
      d: 'ENUM',
      e: 'ENUM',
      f: 'DATE',
      g: 'DATETIME',
      h: 'TIME',
      i: 'DECIMAL',
      j: 'INTEGER',
      k: 'NUMBER',
      l: 'BOOLEAN',
      m: 'MULTI',
      n: 'JSON',
      o: 'JSON',
      p: 'UUID',
      q: 'FILE',
      r: 'EMAIL',
    });
  });

  it('come in the order of the form', () => {
    const { fields } = derive(
      anObject({ a: { type: 'string', 'x-index': 2 }, b: { type: 'string', 'x-index': 1 } }),
    );

    expect(fields.map(({ code }) => code)).toEqual(['b', 'a']);
  });

  it('are searched by word: those with x-search, else the label', () => {
    const words = (properties: object, more?: object) =>
      derive(anObject(properties, more))
        .fields.filter(({ searchMode }) => searchMode === 'word')
        .map(({ code }) => code);
    const [a, b] = [{ type: 'string' }, { type: 'string' }];

    expect(words({ a, b })).toEqual(['a']);
    expect(words({ a, b }, { 'x-label': 'b' })).toEqual(['b']);
    expect(words({ a, b: { ...b, 'x-search': true } })).toEqual(['b']);
  });
});

describe('documents of form libraries', () => {
  it('of rjsf give widgets and order', () => {
    const { fields } = derive({
      schema: anObject({ a: { type: 'string' }, b: { type: 'string' } }),
      uiSchema: { 'ui:order': ['b', '*'], a: { 'ui:widget': 'password' } },
    });

    expect(fields.map(({ code, widget }) => [code, widget])).toEqual([
      ['b', undefined],
      ['a', 'password'],
    ]);
  });

  it('of JSON Forms give controls', () => {
    const { fields } = derive({
      schema: anObject({ a: { type: 'string' } }),
      uischema: {
        type: 'VerticalLayout',
        elements: [{ type: 'Control', scope: '#/properties/a', options: { format: 'radio' } }],
      },
    });

    expect(fields[0]?.widget).toBe('radio');
  });

  it('of Formily have fields inside layout nodes, boolean required and labelled choices', () => {
    const formily = anObject({
      card: {
        type: 'void',
        title: 'Card',
        'x-component': 'Card',
        properties: {
          name: { type: 'string', required: true, 'x-component': 'Input' },
          kind: {
            type: 'string',
            enum: [
              { label: 'One', value: '1' },
              { label: 'Two', value: '2' },
            ],
          },
        },
      },
    });

    const { fields } = derive(formily);

    expect(fields).toMatchObject([
      { code: 'name', required: true, group: 'Card', widget: 'Input' },
      { code: 'kind', fieldType: 'ENUM', enum: ['1', '2'], enumLabels: ['One', 'Two'] },
    ]);
  });
});

describe('a schema', () => {
  it.each([
    ['{', 'INVALID_JSON'],
    ['[]', 'INVALID_TYPE'],
    [{ type: 'string' }, 'INVALID_TYPE'],
    [{ type: 'object' }, 'REQUIRED'],
    [anObject({}), 'TOO_SMALL'],
    [anObject({ id: { type: 'string' } }), 'RESERVED'],
    ['{"type":"object","properties":{"__proto__":{"type":"string"}}}', 'RESERVED'],
    [anObject({ constructor: { type: 'string' } }), 'RESERVED'],
    [anObject({ 'a b': { type: 'string' } }), 'RESERVED'],
    [anObject({ a: { $ref: 'https://example.com/x.json' } }), 'REMOTE_REFERENCE'],
    [anObject({ a: { type: 'string', pattern: '(?=a)' } }), 'INVALID_PATTERN'],
    [anObject({ a: { type: 'string', pattern: '(a)\\1' } }), 'INVALID_PATTERN'],
    [anObject({ a: { type: 'string', pattern: 'a'.repeat(201) } }), 'TOO_LONG'],
    [anObject({ a: { type: 'strin' } }), 'INVALID_KEYWORD'],
    [
      anObject({ a: { type: 'string' } }, { $schema: 'http://json-schema.org/draft-04/schema#' }),
      'UNSUPPORTED_DIALECT',
    ],
    [anObject({ a: { type: 'string' } }, { 'x-indexes': [['a', 'b']] }), 'UNKNOWN_FIELD'],
    [anObject({ a: { type: 'string', 'x-reference': {} } }), 'REQUIRED'],
    [anObject({ a: { type: 'string', 'x-reference': 'b' } }), 'INVALID_TYPE'],
    [
      anObject({ a: { type: 'string', 'x-reference': { entity: 'b', onDelete: 'drop' } } }),
      'INVALID_VALUE',
    ],
    [anObject({ a: { type: 'object', 'x-unique': true } }), 'NOT_SEARCHABLE'],
    [anObject({ a: { type: 'string', writeOnly: true, 'x-unique': true } }), 'NOT_SEARCHABLE'],
    [anObject({ a: { type: 'string' } }, { required: ['b'] }), 'UNKNOWN_FIELD'],
    [anObject({ a: { type: 'string' } }, { required: 'a' }), 'INVALID_TYPE'],
    [anObject({ a: { type: 'string' } }, { 'x-label': 'b' }), 'UNKNOWN_FIELD'],
    [anObject({ a: { type: 'string' } }, { 'x-tree-order': 'b' }), 'UNKNOWN_FIELD'],
    [anObject({ a: null }), 'INVALID_TYPE'],
    [anObject({ a: { type: 'string', default: 5 } }), 'TYPE'],
    [anObject({ a: { type: 'number', default: 1e300 } }), 'RANGE'],
    [anObject({ a: { $ref: '#/$defs/none' } }), 'UNKNOWN_REFERENCE'],
    [
      anObject({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $ref: '#/$defs/b' } } }),
      'CIRCULAR_REFERENCE',
    ],
    ['{"type":"object","properties":{"a":{"type":"string","title":"\\ud800"}}}', 'INVALID_TEXT'],
    [
      anObject(
        Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${at}`, { type: 'object' }])),
      ),
      'TOO_BIG',
    ],
    [
      anObject(
        Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { type: 'string' }])),
      ),
      'TOO_MANY_INDEXES',
    ],
    [anObject({ a: { type: 'string', description: 'x'.repeat(270_000) } }), 'TOO_BIG'],
    [nested(70), 'TOO_DEEP'],
    [nested(10), 'TOO_DEEP'],
  ])('is refused: %j', (schema, code) => {
    const refusal = catchError(() => derive(schema));

    expect(refusal).toMatchObject({ code: 'INVALID_SCHEMA', status: 400 });
    expect(refusal.errors.map((each) => each.code)).toContain(code);
  });

  it.each([
    [anObject({ a: { type: 'strin' } }), '/properties/a/type'],
    [anObject({ a: { type: 'string', minLength: -1 } }), '/properties/a/minLength'],
    [anObject({ a: { type: 'string', default: 5 } }), '/properties/a/default'],
    [anObject({ a: { $ref: '#/$defs/none' } }), '/properties/a/$ref'],
    [anObject({ a: { type: 'string' } }, { required: ['a', 'b'] }), '/required/1'],
  ])('%j is told where it is wrong', (schema, pointer) => {
    expect(catchError(() => derive(schema)).errors).toMatchObject([{ pointer }]);
  });

  it.each([
    ['version', 'is a member of every record, or of every object; call the field otherwise'],
    ['a b', 'must begin with a letter or _ and have at most 64 letters, digits, _ and -'],
  ])('is told why it cannot have a field %s', (code, detail) => {
    const { errors } = catchError(() => derive(anObject({ [code]: { type: 'string' } })));

    expect(errors).toMatchObject([{ pointer: `/properties/${code}`, code: 'RESERVED', detail }]);
  });

  it('may refer to itself where values end', () => {
    const node = { type: 'object', properties: { below: { $ref: '#/$defs/node' } } };

    expect(
      derive(anObject({ a: { $ref: '#/$defs/node' } }, { $defs: { node } })).fields,
    ).toHaveLength(1);
  });
});

function nested(levels: number): object {
  return anObject({ a: levels === 0 ? { type: 'string' } : nested(levels - 1) });
}

function catchError(work: () => unknown): { errors: readonly { code: string; pointer: string }[] } {
  try {
    work();
  } catch (error) {
    return error as { errors: readonly { code: string; pointer: string }[] };
  }
  throw new Error('nothing was refused');
}

describe('patterns', () => {
  it('run in linear time whatever they say', () => {
    const validate = compileValidator(
      anObject({ a: { type: 'string', pattern: '^(a+)+$' } }),
      '2020-12',
    );
    const startedAt = performance.now();

    const errors = validate({ a: `${'a'.repeat(20_000)}!` });

    expect(errors).toMatchObject([{ pointer: '/a', code: 'PATTERN' }]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('are each their own', () => {
    const properties = {
      a: { type: 'string', pattern: '^a$' },
      b: { type: 'string', pattern: '^b$' },
    };
    const validate = compileValidator(anObject(properties), '2020-12');

    expect(validate({ a: 'a', b: 'b' })).toEqual([]);
    expect(validate({ a: 'b', b: 'a' })).toHaveLength(2);
  });
});

describe('a new schema', () => {
  const before = {
    ...derive(anObject({ a: { type: 'integer' }, b: { type: 'string' }, c: { type: 'string' } })),
    hierarchical: false,
  } as EntityDefinition;
  const next = (properties: object) => deriveNext(before, schemaTextOf(anObject(properties)));

  it('says what changes', () => {
    const { changes } = next({
      a: { type: 'number' },
      b: { type: 'string', maxLength: 5 },
      d: { type: 'string', 'x-renamed-from': 'c' },
      e: { type: 'string' },
    });

    expect(changes).toEqual([
      { field: 'a', change: 'TYPE_CHANGED', compatible: true, backfill: true },
      { field: 'b', change: 'TIGHTENED', compatible: false, backfill: false },
      { field: 'd', change: 'RENAMED', compatible: true, backfill: true },
      { field: 'e', change: 'ADDED', compatible: true, backfill: false },
    ]);
  });

  it('keeps indexes that stay, under their names, and gives new ones names of their own', () => {
    const { derived } = next({ a: { type: 'number' }, b: { type: 'string' } });

    expect(derived.indexes).toMatchObject([
      { name: 'b', state: 'READY' },
      { name: '~', state: 'READY' },
      { name: 'a@2', state: 'WRITE_ONLY' },
      { name: 'a', state: 'DROPPING' },
      { name: 'c', state: 'DROPPING' },
    ]);
  });

  it.each([
    [{ a: { type: 'string' } }, []],
    [{ a: { type: 'array', items: { type: 'integer' } } }, []],
    [{ a: { type: 'boolean' } }, ['a']],
    [{ b: { type: 'integer' } }, ['b']],
  ])('tells which stored values cannot follow: %j', (properties, unreadable) => {
    expect(next(properties).unreadable).toEqual(unreadable);
  });
});

describe('what a form may have misspelt', () => {
  const field = { type: 'string', 'x-uniqe': true, 'x-component': 'Input', format: 'dat' };
  const form = { type: 'object', 'x-indexs': [], properties: { a: field, b: { 'x-own': 1 } } };
  const warnings = [
    {
      pointer: '/x-indexs',
      code: 'UNKNOWN_KEYWORD',
      detail: 'is unknown; did you mean "x-indexes"?',
    },
    {
      pointer: '/properties/a/x-uniqe',
      code: 'UNKNOWN_KEYWORD',
      detail: 'is unknown; did you mean "x-unique"?',
    },
    {
      pointer: '/properties/a/format',
      code: 'UNKNOWN_FORMAT',
      detail: 'dat is unknown; did you mean "date"?',
    },
  ];

  it('is said with the nearest name, when an entity is made and when its form changes', async () => {
    const api = anEntitiesApi();
    const made = await api.define({ code: 'thing', name: 'Thing', uiSchemaJson: form });
    const changed = await api.put(`${DEFINITIONS}/code/thing/schema?dryRun=true`, form);

    expect(made.status).toBe(201);
    expect(made.body.warnings).toEqual(expect.arrayContaining(warnings));
    expect(changed.body.warnings).toEqual(made.body.warnings);
  });

  it('is said at every depth, and so is a keyword of whole fields on a part of one', async () => {
    const api = anEntitiesApi();
    const text = { type: 'string' };
    const uiSchemaJson = {
      type: 'object',
      $defs: { iban: { ...text, 'x-encryptd': true } },
      if: { properties: { a: { ...text, format: 'uuuid' } } },
      properties: {
        a: { type: 'object', properties: { iban: { ...text, 'x-search': true } } },
        b: { type: 'array', items: { ...text, format: 'emial', 'x-unique': true } },
        c: { type: 'array', items: { ...text, 'x-reference': { entity: 'thing' } } },
        d: { type: 'array', items: { properties: { z: { ...text, 'x-serach': true } } } },
      },
    };

    const made = await api.define({ code: 'thing', name: 'Thing', uiSchemaJson });

    const said = made.body.warnings as { pointer: string; code: string; detail: string }[];
    expect(said.map(({ pointer, detail }) => `${pointer}: ${detail}`)).toEqual([
      '/properties/a/properties/iban/x-search: has no effect here: it is followed on whole fields only',
      '/properties/b/items/format: emial is unknown; did you mean "email"?',
      '/properties/b/items/x-unique: has no effect here: it is followed on whole fields only',
      '/properties/d/items/properties/z/x-serach: is unknown; did you mean "x-search"?',
      '/if/properties/a/format: uuuid is unknown; did you mean "uuid"?',
      '/$defs/iban/x-encryptd: is unknown; did you mean "x-encrypted"?',
    ]);
  });

  it('is nothing in forms without such a name', async () => {
    const api = anEntitiesApi();
    const made = await api.define(aCustomerEntity());

    expect(made.body).not.toHaveProperty('warnings');
  });
});
