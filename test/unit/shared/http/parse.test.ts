import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageQuery, toPage } from '../../../../shared/http/paging.ts';
import { parseWith } from '../../../../shared/http/parse.ts';
import { prefers, readBody, readIfMatch, readQuery } from '../../../../shared/http/request.ts';
import { actionOf, permission, type Route } from '../../../../shared/http/route.ts';
import { allowedMethods, verbsFirst } from '../../../../shared/http/route-matching.ts';
import type { Problem } from '../../../../shared/problems/problem.ts';

function problemOf(work: () => unknown): Pick<Problem, 'code' | 'errors' | 'detail'> {
  try {
    work();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('nothing was refused');
}

const order = z.strictObject({
  id: z.string().min(1),
  lines: z.array(z.strictObject({ 'a/b~c': z.int().min(1) })).optional(),
  kind: z.enum(['A', 'B']).optional(),
});

describe('readBody', () => {
  it.each(['{"a":"\\ud800"}', '{"\\uDC00x":1}', '["\\ude00\\ud83d"]'])(
    'refuses half of a surrogate pair: %s',
    (body) => {
      const event = { body, isBase64Encoded: false, headers: {} } as APIGatewayProxyEventV2;

      expect(problemOf(() => readBody(event, { maxBytes: 100 }))).toMatchObject({
        code: 'INVALID_JSON',
      });
    },
  );

  it.each([
    ['{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['{"a":"\\\\ud800"}', { a: '\\ud800' }],
  ])('takes whole pairs and what only looks like one: %s', (body, value) => {
    const event = { body, isBase64Encoded: false, headers: {} } as APIGatewayProxyEventV2;

    expect(readBody(event, { maxBytes: 100 })).toEqual(value);
  });
});

describe('parseWith', () => {
  it.each([
    ['body', 'UNKNOWN_FIELD', { pointer: '/__proto__' }],
    ['parameter', 'INVALID_PARAMETER', { parameter: '__proto__' }],
  ] as const)('knows no member __proto__ of a %s', (place, code, where) => {
    const value = JSON.parse('{"id":"x","__proto__":{"x":1}}');

    expect(problemOf(() => parseWith(z.looseObject({}), value, place))).toMatchObject({
      code,
      errors: [where],
    });
  });

  it.each([
    ['a record', z.object({ filter: z.record(z.string(), z.unknown()) })],
    ['a loose object', z.object({ filter: z.looseObject({ a: z.unknown().optional() }) })],
    ['a catchall', z.strictObject({ filter: z.object({}).catchall(z.unknown()) })],
  ])('leaves no member __proto__ out silently: of %s', (_what, schema) => {
    const value = JSON.parse('{"filter":{"a":[{"b":1}],"__proto__":{"x":1}}}');

    expect(problemOf(() => parseWith(schema, value, 'body'))).toMatchObject({
      code: 'UNKNOWN_FIELD',
      errors: [{ pointer: '/filter/__proto__' }],
    });
  });

  it('names a member __proto__ inside of lists, and leaves to its reader what no schema looks into', () => {
    const lines = z.object({ lines: z.array(z.record(z.string(), z.unknown())) });
    const value = JSON.parse('{"lines":[{},{"__proto__":1}]}');
    const kept = JSON.parse('{"lines":[{"deep":{"__proto__":1}}]}');

    expect(problemOf(() => parseWith(lines, value, 'body')).errors).toMatchObject([
      { pointer: '/lines/1/__proto__' },
    ]);
    const [line] = parseWith(lines, kept, 'body').lines;
    expect(Object.hasOwn(line?.deep as object, '__proto__')).toBe(true);
  });

  it('gives the parsed value', () => {
    expect(parseWith(order, { id: 'x' }, 'body')).toEqual({ id: 'x' });
  });

  it.each([
    [{}, '/id', 'REQUIRED'],
    [{ id: 1 }, '/id', 'INVALID_TYPE'],
    [{ id: '' }, '/id', 'TOO_SMALL'],
    [{ id: 'x', kind: 'C' }, '/kind', 'INVALID_VALUE'],
    [{ id: 'x', lines: [{ 'a/b~c': 0 }] }, '/lines/0/a~1b~0c', 'TOO_SMALL'],
    [[], '', 'INVALID_TYPE'],
    ['text', '', 'INVALID_TYPE'],
    [undefined, '', 'REQUIRED'],
  ])('points to the mistake in %o', (value, pointer, code) => {
    const { code: problem, errors } = problemOf(() => parseWith(order, value, 'body'));

    expect(problem).toBe('VALIDATION_FAILED');
    expect(errors).toEqual([{ pointer, code, detail: expect.any(String) }]);
  });

  it('names every mistake, unknown fields among them', () => {
    const value = { id: 1, kind: 2, more: 3, lines: [{ 'a/b~c': 1, x: 1 }] };

    const { code, errors } = problemOf(() => parseWith(order, value, 'body'));

    expect(code).toBe('VALIDATION_FAILED');
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/id',
      '/kind',
      '/lines/0/x',
      '/more',
    ]);
  });

  it('has a code of its own when only unknown fields are wrong', () => {
    expect(problemOf(() => parseWith(order, { id: 'x', more: 1 }, 'body')).code).toBe(
      'UNKNOWN_FIELD',
    );
  });

  it('names parameters instead of pointing', () => {
    const { code, errors } = problemOf(() => parseWith(order, { kind: 'C', x: '1' }, 'parameter'));

    expect(code).toBe('INVALID_PARAMETER');
    expect(errors).toMatchObject([
      { parameter: 'id', code: 'REQUIRED' },
      { parameter: 'kind', code: 'INVALID_VALUE' },
      { parameter: 'x', code: 'UNKNOWN_PARAMETER' },
    ]);
  });

  it('shows at most three mistakes in its detail', () => {
    const value = { a: 1, b: 2, c: 3, d: 4, id: 'x' };

    expect(problemOf(() => parseWith(order, value, 'body')).detail).toMatch(
      /^\/a.*\/b.*\/c.*; \.\.\.$/,
    );
  });
});

describe('readQuery', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a', { a: '' }],
    ['a=%C3%A4+b%2Bc', { a: 'ä b+c' }],
    ['a=%', { a: '%' }],
  ])('reads %o', (text, query) => {
    expect(readQuery(text)).toEqual(query);
  });
});

describe('readIfMatch', () => {
  it.each([
    ['"3"', '3'],
    ['W/"3"', '3'],
    ['3', '3'],
    [' "3" ', '3'],
    ['*', '*'],
    ['""', ''],
    [undefined, undefined],
  ])('reads %o', (header, version) => {
    expect(readIfMatch(header)).toBe(version);
  });
});

describe('prefers', () => {
  it.each([
    ['text/plain', true],
    ['TEXT/PLAIN; q=0.5', true],
    ['application/json, text/plain', true],
    ['text/*', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
  ])('finds text/plain in %o: %s', (accept, expected) => {
    expect(prefers(accept, 'text/plain')).toBe(expected);
  });
});

describe('pageQuery', () => {
  const query = z.strictObject(pageQuery({ pageSizeDefault: 20, pageSizeMax: 50 }));

  it('has the configured size', () => {
    expect(query.parse({})).toEqual({ size: 20 });
  });

  it.each([
    { size: '50', page: '3' },
    { size: '1', cursor: 'abc' },
  ])('takes %o', (given) => {
    expect(query.safeParse(given).success).toBe(true);
  });

  it.each([
    { size: '51' },
    { size: '0' },
    { size: '' },
    { size: ' 5' },
    { size: '1e1' },
    { size: '0x10' },
    { size: ['1', '2'] },
    { page: '-1' },
    { page: '' },
    { page: '1.5' },
    { page: 'Infinity' },
    { cursor: '' },
    { cursor: 'x'.repeat(2_049) },
  ])('refuses %o', (given) => {
    expect(query.safeParse(given).success).toBe(false);
  });
});

describe('toPage', () => {
  it.each([
    [
      { content: [1, 2], number: 0, size: 2, nextCursor: 'c' },
      { first: true, last: false, nextCursor: 'c' },
    ],
    [
      { content: [1], number: 3, size: 2 },
      { first: false, last: true, nextCursor: null },
    ],
    [
      { content: [], number: 0, size: 2 },
      {
        empty: true,
        numberOfElements: 0,
        totalElements: null,
        totalPages: null,
        totalRelation: 'unknown',
      },
    ],
    [
      { content: [1], number: 0, size: 2, total: { value: 5, relation: 'gte' as const } },
      { totalElements: 5, totalPages: 3, totalRelation: 'gte' },
    ],
    [
      { content: [], number: 0, size: 2, total: { value: 0, relation: 'eq' as const } },
      { totalElements: 0, totalPages: 0 },
    ],
  ])('wraps %o', (facts, page) => {
    expect(toPage(facts)).toMatchObject(page);
  });
});

describe('actionOf', () => {
  it.each([
    ['GET', '/things', undefined, 'view'],
    ['POST', '/things', undefined, 'add'],
    ['PUT', '/things/{id}', undefined, 'edit'],
    ['PATCH', '/things/{id}', undefined, 'edit'],
    ['DELETE', '/things/{id}', undefined, 'delete'],
    ['POST', '/things/{id}:suspend', undefined, 'edit'],
    ['POST', '/things:import', undefined, 'edit'],
    ['POST', '/things/save', 'edit', 'edit'],
    ['GET', '/things', 'reveal', 'reveal'],
  ] as const)('of %s %s (named: %s) is %s', (method, path, named, action) => {
    expect(actionOf({ method, path, access: permission('thing', named) })).toBe(action);
  });
});

describe('route matching', () => {
  const routes = [
    { method: 'GET', path: '/things/{id}' },
    { method: 'POST', path: '/things/{id}' },
    { method: 'POST', path: '/things/{id}:suspend' },
    { method: 'GET', path: '/files/{path+}' },
    { method: 'GET', path: '/a.b' },
  ] as Route[];

  it.each([
    ['/things/7', ['GET', 'HEAD', 'POST']],
    ['/things/7/', ['GET', 'HEAD', 'POST']],
    ['/things/7:suspend', ['GET', 'HEAD', 'POST']],
    ['/things/7/8', []],
    ['/files/a/b/c', ['GET', 'HEAD']],
    ['/files', []],
    ['/a.b', ['GET', 'HEAD']],
    ['/aXb', []],
  ])('allows for %s: %s', (path, methods) => {
    expect(allowedMethods(routes, path)).toEqual(methods);
  });

  it('tries verbs before ids', () => {
    expect(verbsFirst(routes)[0]?.path).toBe('/things/{id}:suspend');
  });
});
