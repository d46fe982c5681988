import { evaluate, parseExpression as parseFeelTree, unaryTest } from 'feelin';
import type { JsonValue } from '../json.ts';
import { ExpressionError, ExpressionSyntaxError } from './expression-error.ts';
import { MAX_EXPRESSION_LENGTH } from './parser.ts';

/** Deepest nesting of brackets: the FEEL parser and interpreter are recursive. */
const MAX_DEPTH = 64;

/**
 * FEEL, the expression language of DMN, through the library `feelin`. A leading `=` marks it in texts that
 * have no language of their own.
 * @throws ExpressionSyntaxError
 */
export function parseFeel(source: string): string {
  const text = source.replace(/^\s*=/, '');
  checkLimits(text);
  try {
    let error: number | undefined;
    parseFeelTree(text, {}, undefined).iterate({
      enter: (node: { type: { isError: boolean }; from: number }) => {
        if (node.type.isError) error ??= node.from;
      },
    });
    if (error !== undefined) throw new ExpressionSyntaxError('this is no FEEL', error);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) throw error;
    throw new ExpressionSyntaxError((error as Error).message, 0);
  }
  return text;
}

function checkLimits(text: string): void {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new ExpressionSyntaxError(`longer than ${MAX_EXPRESSION_LENGTH} characters`, 0);
  }
  let depth = 0;
  for (const [position, character] of [...text].entries()) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (depth > MAX_DEPTH) throw new ExpressionSyntaxError('nested too deeply', position);
  }
}

/** The value of a FEEL expression over the variables. @throws ExpressionError */
export function evaluateFeel(
  text: string,
  variables: Readonly<Record<string, JsonValue>>,
): JsonValue {
  return guarded(() => evaluate(text, { ...variables }).value);
}

/** Whether the value satisfies a unary test of DMN (`> 5`, `"a","b"`, `-`). @throws ExpressionError */
export function satisfiesUnaryTest(
  test: string,
  value: JsonValue,
  variables: Readonly<Record<string, JsonValue>>,
): boolean {
  return guarded(() => unaryTest(test, { ...variables, '?': value }).value) === true;
}

function guarded(compute: () => unknown): JsonValue {
  try {
    return feelToJson(compute());
  } catch (error) {
    throw new ExpressionError((error as Error).message, { cause: error });
  }
}

/** Dates, times and durations of FEEL become their ISO 8601 texts. */
function feelToJson(value: unknown): JsonValue {
  if (value === null || value === undefined || typeof value === 'function') return null;
  if (typeof value !== 'object') return value as JsonValue;
  if (Array.isArray(value)) return value.map(feelToJson);
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, feelToJson(member)]),
  );
}
