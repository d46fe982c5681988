import type * as z from 'zod';
import { unknownName } from '../primitives/nearest-name.ts';
import { droppedMember, UNSAFE } from '../problems/dropped-member.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { Problem, ProblemItem } from '../problems/problem.ts';
import { describeIssue } from './describe-issue.ts';
import { knownMembers } from './known-members.ts';

/** Source of a value; decides how a validation error is reported. */
type Place = 'body' | 'parameter';

/**
 * Validates a value against a route's schema.
 * @returns the parsed value.
 * @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD` or `INVALID_PARAMETER` (400), naming every violation.
 */
export function parseWith<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: Place,
): z.output<S> {
  if (isObject(value) && Object.hasOwn(value, UNSAFE)) {
    throw toProblem([toUnknown([UNSAFE], place, [])], place);
  }
  const parsed = schema.safeParse(value, { reportInput: true, error: describeIssue });
  if (parsed.success) {
    const dropped = droppedMember(value, parsed.data);
    if (dropped) throw toProblem([toUnknown(dropped, place, [])], place);
    return parsed.data;
  }
  const items = parsed.error.issues.flatMap((issue) => toItems(issue, place, schema));
  throw toProblem(items, place);
}

function toProblem(items: readonly ProblemItem[], place: Place): Problem {
  if (place === 'parameter') return httpProblems.invalidParameter(items);
  return items.every(({ code }) => code === 'UNKNOWN_FIELD')
    ? httpProblems.unknownField(items)
    : httpProblems.validationFailed(items);
}

function toItems(issue: z.core.$ZodIssue, place: Place, schema: z.ZodType): ProblemItem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownMembers(schema, issue.path);
    return issue.keys.map((key) => toUnknown([...issue.path, key], place, known));
  }
  return [
    { ...locate(issue.path, place), code: ruleCode(issue), detail: lowerFirst(issue.message) },
  ];
}

function toUnknown(
  path: readonly PropertyKey[],
  place: Place,
  known: readonly string[],
): ProblemItem {
  const code = place === 'body' ? 'UNKNOWN_FIELD' : 'UNKNOWN_PARAMETER';
  return { ...locate(path, place), code, detail: unknownName(String(path.at(-1)), known) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function locate(
  path: readonly PropertyKey[],
  place: Place,
): Pick<ProblemItem, 'pointer' | 'parameter'> {
  if (place === 'parameter') return { parameter: String(path[0] ?? '') };
  return { pointer: path.map((part) => `/${escapePointer(String(part))}`).join('') };
}

/** @see RFC 6901, section 3 */
const escapePointer = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');

function ruleCode(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'REQUIRED' : 'INVALID_TYPE';
  if (issue.code === 'custom' && typeof issue.params?.code === 'string') return issue.params.code;
  return issue.code.toUpperCase();
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
