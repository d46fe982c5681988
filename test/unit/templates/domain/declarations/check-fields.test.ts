import { describe, expect, it } from 'vitest';
import {
  checkFields,
  type FieldDeclaration,
} from '../../../../../functions/templates/domain/declarations/check-fields.ts';

const RULES = {
  isName: (name: string) => /^\p{L}[\p{L}\p{N}._]*$/u.test(name),
  allowedSettings: ['notify.'],
  constants: new Map([['motto', 'x']]),
};

const field = (name: string, more: Partial<FieldDeclaration> = {}): FieldDeclaration => ({
  name,
  sourceType: 'ENTITY',
  dataType: 'STRING',
  ...more,
});
const check = (...fields: FieldDeclaration[]) =>
  checkFields(fields, RULES).map(({ pointer, code }) => `${pointer} ${code}`);

describe('checkFields', () => {
  it.each<[Partial<FieldDeclaration>, string | undefined]>([
    [{}, undefined],
    [{ sourceRef: 'employee.fullName' }, undefined],
    [{ name: '1x' }, 'name FIELD_NAME_INVALID'],
    [{ sourceType: 'API' }, 'sourceType API_SOURCE_NOT_SUPPORTED'],
    [{ sourceRef: 'a..b' }, 'sourceRef SOURCE_REF_INVALID'],
    [{ sourceRef: 'a.__proto__' }, 'sourceRef SOURCE_REF_INVALID'],
    [{ sourceType: 'SYSTEM' }, 'sourceRef SOURCE_REF_REQUIRED'],
    [{ sourceType: 'SYSTEM', sourceRef: 'user.fullName' }, undefined],
    [{ sourceType: 'SYSTEM', sourceRef: 'user.password' }, 'sourceRef SOURCE_REF_NOT_ALLOWED'],
    [{ sourceType: 'SYSTEM', sourceRef: 'setting:template.x' }, undefined],
    [{ sourceType: 'SYSTEM', sourceRef: 'setting:notify.x' }, undefined],
    [{ sourceType: 'SYSTEM', sourceRef: 'setting:template.' }, 'sourceRef SOURCE_REF_NOT_ALLOWED'],
    [
      { sourceType: 'SYSTEM', sourceRef: 'setting:security.aes_secret' },
      'sourceRef SOURCE_REF_NOT_ALLOWED',
    ],
    [{ sourceType: 'BUILTIN', sourceRef: 'today' }, undefined],
    [{ sourceType: 'BUILTIN', sourceRef: 'Motto' }, undefined],
    [{ sourceType: 'BUILTIN', name: 'now' }, undefined],
    [{ sourceType: 'BUILTIN', sourceRef: 'yesterday' }, 'sourceRef UNKNOWN_BUILTIN'],
    [{ sourceType: 'COMPUTED' }, 'expression EXPRESSION_REQUIRED'],
    [{ sourceType: 'COMPUTED', expression: '1 + 1' }, undefined],
    [{ sourceType: 'COMPUTED', expression: '1 +' }, 'expression EXPRESSION_SYNTAX'],
    [{ sourceType: 'COMPUTED', expression: 'X + 1' }, 'expression CIRCULAR_REFERENCE'],
    [{ dataType: 'HTML' }, 'dataType DATA_TYPE_NOT_SUPPORTED'],
    [{ dataType: 'DATE', format: 'dd/MM/yyyy' }, undefined],
    [{ dataType: 'DATE', format: "'dd" }, 'format FORMAT_INVALID'],
    [{ dataType: 'NUMBER', format: '#,##0' }, undefined],
    [{ dataType: 'NUMBER', format: 'abc' }, 'format FORMAT_INVALID'],
    [{ dataType: 'CURRENCY', format: 'USD' }, undefined],
    [{ dataType: 'BOOLEAN', format: 'Có' }, 'format FORMAT_INVALID'],
    [{ format: 'fancy' }, 'format FORMAT_INVALID'],
    [{ format: '|upper' }, undefined],
  ])('%j', (more, problem) => {
    expect(check(field('a'), field('x', more))).toEqual(
      problem === undefined ? [] : [`/fields/1/${problem}`],
    );
  });

  it('refuses names that differ in case only', () => {
    expect(check(field('Họ_tên'), field('b'), field('HỌ_TÊN'), field('b'))).toEqual([
      '/fields/2/name DUPLICATE_FIELD',
      '/fields/3/name DUPLICATE_FIELD',
    ]);
  });

  it('names every field of a circle, with the way round', () => {
    const fields = [
      field('a', { sourceType: 'COMPUTED', expression: 'b' }),
      field('b', { sourceType: 'COMPUTED', expression: 'a' }),
    ];

    expect(checkFields(fields, RULES)).toEqual([
      {
        pointer: '/fields/0/expression',
        code: 'CIRCULAR_REFERENCE',
        detail: 'refers to itself: a -> b -> a',
      },
      {
        pointer: '/fields/1/expression',
        code: 'CIRCULAR_REFERENCE',
        detail: 'refers to itself: b -> a -> b',
      },
    ]);
  });

  it('says where an expression is wrong', () => {
    const wrong = field('a', { sourceType: 'COMPUTED', expression: '1 + foo(2)' });

    expect(checkFields([wrong], RULES, '/mergeFields')).toEqual([
      {
        pointer: '/mergeFields/0/expression',
        code: 'UNKNOWN_FUNCTION',
        detail: 'knows no function foo (at character 5)',
      },
    ]);
  });

  it('takes at most 1000 fields', () => {
    const fields = Array.from({ length: 1_001 }, (_, index) => field(`f${index}`));

    expect(check(...fields)).toEqual(['/fields TOO_MANY_FIELDS']);
    expect(check(...fields.slice(1))).toEqual([]);
  });
});
