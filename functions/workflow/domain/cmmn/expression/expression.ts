import type { JsonValue } from '../basics/json.ts';
import type { Node } from './ast.ts';
import { evaluateNode } from './evaluator.ts';
import { ExpressionError, ExpressionSyntaxError } from './expression-error.ts';
import { evaluateFeel, parseFeel } from './feel.ts';
import { HostObject, type Value } from './host-object.ts';
import { parseTemplate } from './parser.ts';
import type { ExpressionScope } from './scope.ts';

/** The languages an expression of a model can be written in (CMMN 1.1, 5.4: `Expression.language`). */
type ExpressionLanguage = 'juel' | 'feel';

/** An expression as a compiled model keeps it. */
export interface Expression {
  readonly text: string;
  readonly language: ExpressionLanguage;
}

/** A name as it is, or an expression whose value is the name. */
export type NameExpression = string | Expression;

type Parsed =
  | { readonly language: 'juel'; readonly node: Node }
  | { readonly language: 'feel'; readonly text: string };

const parsedExpressions = new WeakMap<Expression, Parsed>();

/** Parses once per expression of a compiled model. @throws ExpressionSyntaxError */
export function parseExpression(expression: Expression): Parsed {
  const known = parsedExpressions.get(expression);
  if (known) return known;
  const parsed: Parsed =
    expression.language === 'feel'
      ? { language: 'feel', text: parseFeel(expression.text) }
      : { language: 'juel', node: parseTemplate(expression.text) };
  parsedExpressions.set(expression, parsed);
  return parsed;
}

/** The text of an expression that has nothing to evaluate; undefined: it depends on something. */
export const constantText = ({ text, language }: Expression): string | undefined =>
  language === 'juel' && !/[$#]\{/.test(text) ? text : undefined;

/** The value of an expression. @throws ExpressionError */
export function evaluateExpression(expression: Expression, scope: ExpressionScope): Value {
  try {
    const parsed = parseExpression(expression);
    return parsed.language === 'feel'
      ? evaluateFeel(parsed.text, {
          variables: scope.variables(),
          at: scope.at,
          spend: (steps) => scope.spend?.(steps),
        })
      : evaluateNode(parsed.node, scope);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) throw new ExpressionError(error.message);
    throw error;
  }
}

/** The value as JSON; objects of the engine have none. */
export function toJson(value: Value): JsonValue {
  if (value instanceof HostObject)
    throw new ExpressionError('the result is an object of the engine');
  return value ?? null;
}
