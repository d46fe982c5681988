import { evaluate, parseExpression, parseUnaryTests, unaryTest } from 'feelin';
import { CmmnError } from '../basics/cmmn-error.ts';
import type { JsonValue } from '../basics/json.ts';
import { ExpressionError, ExpressionSyntaxError } from './expression-error.ts';
import { boundSteps, MAX_FEEL_STEPS } from './feel-steps/bound-steps.ts';
import { PATTERN_FUNCTIONS } from './feel-steps/call-bound.ts';
import { shapeOf, VALUE_SIZE } from './feel-steps/shape.ts';
import { MAX_EXPRESSION_LENGTH } from './parser.ts';

/** Deepest nesting of brackets: the FEEL parser and interpreter are recursive. */
const MAX_DEPTH = 64;
/** Deepest nesting of filters and iterations, each of which multiplies the work. */
const MAX_ITERATION_DEPTH = 2;

const ITERATIONS: ReadonlySet<string> = new Set([
  'FilterExpression',
  'ForExpression',
  'QuantifiedExpression',
]);

/**
 * FEEL, the expression language of DMN, through the library `feelin`. A leading `=` marks it in texts that
 * have no language of their own. What no size of the variables makes harmless is refused here, because the
 * interpreter has no limit: function definitions, iterations over ranges or deep in each other, the list of earlier
 * results within an iteration, functions with patterns. How long the rest takes is judged before it is evaluated.
 * @throws ExpressionSyntaxError
 */
export function parseFeel(source: string): string {
  const text = source.replace(/^\s*=/, '');
  checkLimits(text);
  checkTree(text, () => parseExpression(text, {}, undefined));
  return text;
}

/** Checks a unary test of a decision table (DMN, clause 9) in the same way. @throws ExpressionSyntaxError */
export function parseUnaryTest(text: string): void {
  checkLimits(text);
  checkTree(text, () => parseUnaryTests(text, {}, undefined));
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

/** The used part of a parse tree's node. */
interface TreeNode {
  readonly type: { readonly name: string; readonly isError: boolean };
  readonly from: number;
  readonly to: number;
}

function checkTree(text: string, parse: () => ReturnType<typeof parseExpression>): void {
  let depth = 0;
  let loops = 0;
  try {
    parse().iterate({
      enter: (node: TreeNode) => {
        if (ITERATIONS.has(node.type.name)) depth++;
        if (node.type.name === 'ForExpression') loops++;
        const reason = refusal(node, text, depth, loops > 0);
        if (reason) throw new ExpressionSyntaxError(reason, node.from);
      },
      leave: (node: TreeNode) => {
        if (ITERATIONS.has(node.type.name)) depth--;
        if (node.type.name === 'ForExpression') loops--;
      },
    });
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) throw error;
    throw new ExpressionSyntaxError((error as Error).message, 0);
  }
}

function refusal(
  { type, from, to }: TreeNode,
  text: string,
  depth: number,
  isInLoop: boolean,
): string | undefined {
  if (type.isError) return 'this is no FEEL';
  if (depth > MAX_ITERATION_DEPTH) return 'iterations are nested too deeply';
  const source = text.slice(from, to);
  switch (type.name) {
    case 'FunctionDefinition':
      return 'functions cannot be defined';
    case 'IterationContext':
      return source.includes('..') ? 'ranges cannot be iterated' : undefined;
    case 'InExpressions':
      return source.includes(',') ? 'one iteration at a time' : undefined;
    case 'VariableName':
      if (isInLoop && source === 'partial') return 'earlier results cannot be used';
      return PATTERN_FUNCTIONS.has(source) ? `${source}() is not supported` : undefined;
    default:
      return undefined;
  }
}

/** What a FEEL expression sees: variables by name, and the instant (ISO 8601, UTC) that `now()` answers. */
export interface FeelContext {
  readonly variables: Readonly<Record<string, JsonValue>>;
  readonly at: string;
  /** Called before an evaluation with the largest number of steps that it can take. */
  readonly spend?: (steps: number) => void;
}

/** The value of a FEEL expression. @throws ExpressionError */
export function evaluateFeel(text: string, context: FeelContext): JsonValue {
  return guarded(() => {
    const seen = seenBy(text, context);
    const steps = boundOf(text, seen, parseExpression);
    context.spend?.(steps);
    return evaluate(text, { ...clockOf(context), ...seen }).value;
  });
}

/** Whether the value satisfies a unary test of DMN (`> 5`, `"a","b"`, `-`). @throws ExpressionError */
export function satisfiesUnaryTest(test: string, value: JsonValue, context: FeelContext): boolean {
  return (
    guarded(() => {
      const seen = { ...seenBy(test, context), '?': value };
      const steps = boundOf(test, seen, parseUnaryTests);
      context.spend?.(steps);
      return unaryTest(test, { ...clockOf(context), ...seen }).value;
    }) === true
  );
}

/** The variables whose names can be in the text: the interpreter copies all that it is given. */
function seenBy(text: string, { variables }: FeelContext): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) =>
      (name.match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => text.includes(word)),
    ),
  );
}

/** An expression without brackets has no calls and iterations: each operator visits its operands at most once. */
function boundOf(
  text: string,
  seen: Readonly<Record<string, JsonValue>>,
  parse: typeof parseExpression,
): number {
  const { size } = shapeOf(Object.values(seen));
  const steps = ((text.length + 1) * size) / VALUE_SIZE;
  if (!/[([{]|\b(?:for|some|every)\b/.test(text) && steps <= MAX_FEEL_STEPS) return steps;
  return size / VALUE_SIZE + boundSteps(parse(text, seen, undefined), text, seen);
}

/** The functions of FEEL that read a clock, over the instant of the command instead. */
const clockOf = ({ at }: FeelContext): Readonly<Record<string, () => unknown>> => ({
  now: () => evaluate(`date and time("${at}")`).value,
  today: () => evaluate(`date("${at.slice(0, 10)}")`).value,
});

function guarded(compute: () => unknown): JsonValue {
  try {
    return feelToJson(compute());
  } catch (error) {
    if (error instanceof CmmnError) throw error;
    throw new ExpressionError((error as Error).message, { cause: error });
  }
}

/** Dates, times and durations of FEEL become their ISO 8601 texts. */
function feelToJson(value: unknown): JsonValue {
  if (value === null || value === undefined || typeof value === 'function') return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  if (typeof value !== 'object') return value as JsonValue;
  if (Array.isArray(value)) return value.map(feelToJson);
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, feelToJson(member)]),
  );
}
