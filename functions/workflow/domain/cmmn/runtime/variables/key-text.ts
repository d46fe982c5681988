import { fitsKey, MAX_KEY_BYTES } from '../../basics/key-text.ts';
import type { Expression } from '../../expression/expression.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { evaluateText, expressionError } from './expression-scope.ts';

/** The value as a text that hosts can build keys from; undefined for null, absent and empty ones. */
export function evaluateKey(
  run: Run,
  expression: Expression | undefined,
  item: LivePlanItem,
): string | undefined {
  const text = evaluateText(run, expression, item.caseInstance, item);
  if (expression && text !== undefined) requireKey(expression, text, item);
  return text;
}

/** @throws CmmnError `EXPRESSION_ERROR` when hosts cannot build a key from the text that the expression has given */
export function requireKey(expression: Expression, text: string, item: LivePlanItem): void {
  if (fitsKey(text)) return;
  const error = new Error(`a name of more than ${MAX_KEY_BYTES} bytes`);
  throw expressionError(expression, error, item.caseInstance, item);
}
