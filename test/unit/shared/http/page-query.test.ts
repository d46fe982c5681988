import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageQuery } from '../../../../shared/http/paging.ts';
import { parseWith } from '../../../../shared/http/parse.ts';
import type { Problem } from '../../../../shared/problems/problem.ts';

const query = z.strictObject(pageQuery({ pageSizeDefault: 20, pageSizeMax: 200 }));
const parse = (given: Record<string, unknown>) => parseWith(query, given, 'parameter');

describe('the paging parameters', () => {
  it.each([
    [{}, { size: 20 }],
    [
      { page: '0', size: '1' },
      { page: 0, size: 1 },
    ],
    [
      { page: '10000', size: '200' },
      { page: 10_000, size: 200 },
    ],
  ])('read %j', (given, expected) => {
    expect(parse(given)).toEqual(expected);
  });

  it.each([
    ['page', ''],
    ['page', ' 1'],
    ['page', '1e1'],
    ['page', '0x10'],
    ['page', '-1'],
    ['page', '1.0'],
    ['page', ['1', '2']],
    ['size', 'ten'],
  ])('refuse %s=%j, which is no whole number', (name, text) => {
    const problem = failure({ [name]: text });

    expect(problem).toMatchObject({ code: 'INVALID_PARAMETER', status: 400 });
    expect(problem.errors).toEqual([
      { parameter: name, code: 'INVALID_TYPE', detail: 'must be a whole number' },
    ]);
  });

  it.each([
    ['page', '10001', 'TOO_BIG'],
    ['size', '201', 'TOO_BIG'],
    ['size', '0', 'TOO_SMALL'],
  ])('refuse %s=%s, which is out of range', (name, text, code) => {
    expect(failure({ [name]: text }).errors).toMatchObject([{ parameter: name, code }]);
  });
});

function failure(given: Record<string, unknown>): Problem {
  try {
    parse(given);
  } catch (error) {
    return error as Problem;
  }
  throw new Error('The parameters were accepted');
}
