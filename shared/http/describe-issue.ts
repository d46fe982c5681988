import type * as z from 'zod';
import { formatRule } from '../primitives/format-rule.ts';

type Issue = z.core.$ZodRawIssue;

/** JSON names of types. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Formats whose names differ from those of JSON Schema. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'date-time',
  url: 'uri',
  guid: 'uuid',
  base64: 'byte',
};

/** Internal string rules that are not formats of JSON Schema. */
const describeText: Readonly<Record<string, (issue: Issue) => string>> = {
  regex: ({ pattern }) => `must match the pattern ${String(pattern)}`,
  starts_with: ({ prefix }) => `must begin with ${JSON.stringify(prefix)}`,
  ends_with: ({ suffix }) => `must end with ${JSON.stringify(suffix)}`,
  includes: ({ includes }) => `must contain ${JSON.stringify(includes)}`,
};

const describe: Readonly<Record<string, (issue: Issue) => string>> = {
  invalid_type: ({ input, expected }) =>
    input === undefined
      ? 'is required'
      : `must be ${TYPES[String(expected)] ?? String(expected)}, not ${typeOf(input)}`,
  too_big: ({ origin, maximum, inclusive }) => `must ${limit(origin, 'most', maximum, inclusive)}`,
  too_small: ({ origin, minimum, inclusive }) =>
    `must ${limit(origin, 'least', minimum, inclusive)}`,
  invalid_format: (issue) => {
    const format = String(issue.format);
    return describeText[format]?.(issue) ?? formatRule(FORMATS[format] ?? format);
  },
  not_multiple_of: ({ divisor }) => `must be a multiple of ${String(divisor)}`,
  invalid_value: ({ input, values }) =>
    input === undefined ? 'is required' : `must be ${oneOf(values)}`,
  invalid_union: ({ input }) =>
    input === undefined ? 'is required' : 'has none of the accepted forms',
  invalid_key: () => 'has a name that is not allowed',
  custom: () => 'is not valid',
};

/** Describes a violated rule as a predicate of the field: `must be at most 200`. A message of the schema takes precedence. */
export const describeIssue = (issue: Issue): string | undefined => describe[issue.code]?.(issue);

function limit(origin: unknown, bound: 'least' | 'most', value: unknown, inclusive: unknown) {
  const number = String(value);
  if (origin === 'string') return `have at ${bound} ${count(number, 'character')}`;
  if (origin === 'array' || origin === 'set') return `have at ${bound} ${count(number, 'item')}`;
  if (inclusive === false) return `be ${bound === 'most' ? 'less' : 'greater'} than ${number}`;
  return `be at ${bound} ${number}`;
}

const count = (number: string, unit: string): string =>
  `${number} ${unit}${number === '1' ? '' : 's'}`;

function typeOf(input: unknown): string {
  if (input === null) return 'null';
  return TYPES[Array.isArray(input) ? 'array' : typeof input] ?? typeof input;
}

function oneOf(values: unknown): string {
  const all = (Array.isArray(values) ? values : [values]).map((value) => JSON.stringify(value));
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`;
}
