// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../../functions/workflow/domain/cmmn/basics/json.ts';
import {
  evaluateExpression,
  parseExpression,
} from '../../../../../functions/workflow/domain/cmmn/expression/expression.ts';
import type { ExpressionScope } from '../../../../../functions/workflow/domain/cmmn/expression/scope.ts';

const VARIABLES: Record<string, JsonValue> = {
  one: 1,
  two: 2,
  text: 'abc',
  flag: true,
  off: false,
  nothing: null,
  list: ['a', 'b', 3],
  map: { key: 'value', inner: { deep: 7 } },
  numeral: '10',
  wordTrue: 'true',
};

const scope: ExpressionScope = {
  resolve: (name) => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined),
  variable: (name) => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined),
  variables: () => VARIABLES,
  call: (prefix, name) => (prefix === '' && name === 'now' ? 'NOW' : undefined),
  at: '2026-01-05T23:30:00.000Z',
};

const evaluate = (text: string, language: 'juel' | 'feel' = 'juel') =>
  evaluateExpression({ text, language }, scope);

describe('JUEL expressions', () => {
  it.each([
    ['${1 + 2 * 3}', 7],
    ['${(1 + 2) * 3}', 9],
    ['${10 div 4}', 2.5],
    ['${7 % 4}', 3],
    ['${7 mod 4}', 3],
    ['${-two + 5}', 3],
    ['${1.5e1}', 15],
    ['${two gt one && one lt two}', true],
    ['${two ge 2 and one le 1}', true],
    ['${one eq 1.0}', true],
    ['${one ne two}', true],
    ['${numeral == 10}', true],
    ['${numeral > 9}', true],
    ["${text == 'abc'}", true],
    ["${'b' > 'a'}", true],
    ['${!flag}', false],
    ['${not off or off}', true],
    ["${wordTrue ? 'yes' : 'no'}", 'yes'],
    ['${flag ? off ? 1 : 2 : 3}', 2],
    ['${empty nothing}', true],
    ["${empty ''}", true],
    ['${not empty list}', true],
    ['${list[1]}', 'b'],
    ['${map.key}', 'value'],
    ["${map['key']}", 'value'],
    ['${map.inner.deep + 1}', 8],
    ['${map.absent}', null],
    ['${nothing.anything}', null],
    ['${nothing + 1}', 1],
    ['${nothing < 1}', false],
    ['${nothing == null}', true],
    ['${nothing && flag}', false],
    ["${'it\\'s'}", "it's"],
    ['${true}', true],
    ['${null}', null],
    ['#{one}', 1],
    ['${now()}', 'NOW'],
    ['${flag == true}', true],
  ])('%s is %j', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it.each([
    ['plain text', 'plain text'],
    ['Task (${text} / ${one})', 'Task (abc / 1)'],
    ['${one}${two}', '12'],
    ['${nothing}!', '!'],
    ['', ''],
  ])('the text %j becomes %j', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });

  it('does not look at the right side when the left one decides', () => {
    expect(evaluate('${off && absent}')).toBe(false);
    expect(evaluate('${flag || absent}')).toBe(true);
  });

  it.each([
    ['${absent}', 'unknown variable absent'],
    ["${'a' + 1}", 'is no number'],
    ['${one ? 1 : 2}', 'neither true nor false'],
    ['${1 / 0}', 'division by zero'],
    ['${one.length()}', 'no method'],
    ['${nothing.size()}', 'called on null'],
    ['${list.push(1)}', 'no method'],
  ])('%s fails: %s', (text, message) => {
    expect(() => evaluate(text)).toThrow(message);
  });
});

describe('numbers', () => {
  it.each([
    '${1e308 * 10}',
    '${1e308 + 1e308}',
    '${0 - 1e308 - 1e308}',
    "${'Infinity' + 1}",
    '${1e999}',
    '${1 / 0}',
  ])('%s is refused, because JSON has no such number', (text) => {
    expect(() => evaluate(text)).toThrow(/number/);
  });

  it('are never the zero below zero', () => {
    expect(Object.is(evaluate('${-0}'), 0)).toBe(true);
  });
});

describe('methods of texts', () => {
  it.each([
    ["${text.concat('!')}", 'abc!'],
    ["${text.replace('b', '$&')}", 'a$&c'],
    ["${'a.b.c'.replaceAll('[.]', '-')}", 'a-b-c'],
    ["${'a.b.c'.replaceFirst('[.]', '-')}", 'a-b.c'],
    ["${text.replaceAll('(b)', '$1$1')}", 'abbc'],
    ["${'a,b,,'.split(',')}", ['a', 'b']],
    ["${'a,b,c'.split(',', 2)}", ['a', 'b,c']],
    ["${'a1b2'.split('[0-9]')[1]}", 'b'],
    ['${text.charAt(1)}', 'b'],
    ["${text.matches('[a-c]+')}", true],
    ["${text.matches('[a-b]+')}", false],
    ["${'abcabc'.indexOf('b', 2)}", 4],
    ["${'abcabc'.lastIndexOf('b')}", 4],
    ["${text.startsWith('b', 1)}", true],
    ["${text.compareTo('abd')}", -1],
    ["${text.compareTo('ab')}", 1],
    ["${text.compareToIgnoreCase('ABC')}", 0],
    ["${'  '.isBlank()}", true],
    ["${' a '.strip()}", 'a'],
    ["${' a '.stripLeading()}", 'a '],
    ["${' a '.stripTrailing()}", ' a'],
    ['${text.repeat(2)}', 'abcabc'],
    ['${text.toString()}', 'abc'],
  ])('%s is %j', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it.each([
    ['${text.charAt(3)}', 'no character 3'],
    ['${text.repeat(0 - 1)}', 'cannot repeat'],
    ['${text.repeat(30000)}', 'longer than 65536'],
    ['${text.repeat(20000).concat(text.repeat(20000))}', 'longer than 65536'],
    ["${text.repeat(20000).replace('a', text.repeat(20))}", 'longer than 65536'],
    ["${text.repeat(20000).replaceAll('a', text.repeat(20))}", 'longer than 65536'],
    ["${text.repeat(20000).replaceAll('a', text.repeat(200))}", 'too long for each other'],
    ['${text.repeat(20000).matches(text.repeat(200))}', 'too long for each other'],
    ["${text.split('(')}", 'missing closing'],
    ["${text.matches('(?=a).*')}", 'error parsing'],
    ["${text.replaceAll('(a)\\\\1', 'b')}", 'error parsing'],
  ])('%s fails: %s', (text, message) => {
    expect(() => evaluate(text)).toThrow(message);
  });

  it('try a pattern in linear time, whatever it says', () => {
    expect(evaluate("${'a'.repeat(30000).concat('!').matches('(a+)+$')}")).toBe(false);
  });
});

describe('functions that read variables', () => {
  it.each([
    ['${var:get(one)}', 1],
    ["${vars:get('absent')}", null],
    ["${variables:getOrDefault('absent', 5)}", 5],
    ['${vars:getOrDefault(one, 5)}', 1],
    ['${var:exists(text)}', true],
    ['${var:exist(absent)}', false],
    ["${var:eq(text, 'abc')}", true],
    ['${var:eq(absent, null)}', false],
    ['${var:ne(absent, 1)}', false],
    ['${var:notEquals(one, 2)}', true],
    ['${var:lt(one, 2)}', true],
    ['${var:lte(two, 2)}', true],
    ['${var:gt(absent, 2)}', false],
    ['${var:greaterThanOrEquals(two, 2)}', true],
    ["${var:contains(list, 'a', 'b')}", true],
    ["${var:contains(list, 'a', 'z')}", false],
    ["${var:containsAny(list, 'z', 3)}", true],
    ["${var:contains(text, 'bc')}", true],
    ['${var:isEmpty(absent)}', true],
    ['${var:isNotEmpty(text)}', true],
    ['${var:notEmpty(absent)}', false],
    ["${var:base64('text')}", 'YWJj'],
  ])('%s is %j', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });
});

describe('methods of values', () => {
  it.each([
    ['${text.length()}', 3],
    ['${text.toUpperCase()}', 'ABC'],
    ["${text.startsWith('ab')}", true],
    ["${text.equalsIgnoreCase('ABC')}", true],
    ['${text.substring(1)}', 'bc'],
    ['${text.substring(0, 1)}', 'a'],
    ['${list.size()}', 3],
    ["${list.contains('a')}", true],
    ['${list.get(0)}', 'a'],
    ["${map.containsKey('key')}", true],
    ["${map.get('absent')}", null],
    ['${map.isEmpty()}', false],
  ])('%s is %j', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });
});

describe('hostile expressions', () => {
  it.each([
    '${text.constructor}',
    '${map.__proto__}',
    "${map['__proto__'].polluted}",
    "${list['constructor']}",
    '${map.hasOwnProperty}',
    "${map['toString']}",
  ])('%s reaches nothing of the language below', (text) => {
    let value: unknown;
    try {
      value = evaluate(text);
    } catch {
      value = null;
    }
    expect(value).toBeNull();
  });

  it.each([
    "${text.constructor('return 1')()}",
    "${map.constructor.constructor('return process')()}",
    '${list.map(1)}',
    '${map.toString()}',
    '${map.valueOf()}',
    '${constructor}',
    '${__proto__}',
    '${process.exit(1)}',
    "${eval('1')}",
    '${globalThis}',
    "${cmmn:anything('x')}",
    "${java:new('x')}",
  ])('%s is refused', (text) => {
    expect(() => evaluate(text)).toThrow();
  });

  it('refuses deep nesting, in any form', () => {
    const depth = 1000;
    for (const text of [
      `\${${'('.repeat(depth)}1${')'.repeat(depth)}}`,
      `\${${'!'.repeat(depth)}flag}`,
      `\${${'-'.repeat(depth)}1}`,
      `\${list${'[list'.repeat(depth)}}`,
      `\${${'var:get('.repeat(depth)}}`,
      `\${${'flag ? '.repeat(depth)}}`,
    ]) {
      expect(() => evaluate(text)).toThrow();
    }
  });

  it('refuses texts of endless length', () => {
    expect(() => evaluate(`\${'${'x'.repeat(5000)}'}`)).toThrow('longer than');
    VARIABLES.long = 'y'.repeat(60_000);
    expect(() => evaluate('${long}${long}')).toThrow('longer than');
  });

  it.each([
    '${',
    '${1',
    '${}',
    '${1 +}',
    "${'open}",
    '${a..b}',
    '${1 2}',
    '${a b}',
    '${@}',
    '${(1}',
  ])('%s is no expression', (text) => {
    expect(() => parseExpression({ text, language: 'juel' })).toThrow();
  });
});

describe('FEEL expressions', () => {
  it.each([
    ['one + 1', 2],
    ['if flag then "yes" else "no"', 'yes'],
    ['list[1]', 'a'],
    ['map.inner.deep', 7],
    ['date("2026-01-05")', '2026-01-05'],
    ['absent', null],
    ['= one = 1', true],
    ['string(now())', '2026-01-05T23:30:00Z'],
    ['today() + duration("P1D")', '2026-01-06'],
  ])('%s is %j', (text, value) => {
    expect(evaluate(text, 'feel')).toEqual(value);
  });

  it.each([
    'function(x) x',
    'for i in 1..1000000000 return i',
    'for i in [1..1000000000] return i',
    'for i in list, j in list return i',
    'list[list[list[item = 1] = 1] = 1]',
    'matches(text, "(a+)+$")',
    'replace(text, "(a+)+$", "")',
    'one +',
    '((((',
    `${'('.repeat(500)}1${')'.repeat(500)}`,
    'x'.repeat(5000),
  ])('refuses %s', (text) => {
    expect(() => parseExpression({ text, language: 'feel' })).toThrow();
  });
});
