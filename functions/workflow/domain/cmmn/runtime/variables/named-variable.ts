import type { JsonValue } from '../../basics/json.ts';
import type { NameExpression } from '../../expression/expression.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { evaluateText } from './expression-scope.ts';
import { setVariable } from './variables.ts';

/** Sets the variable whose name the model gives, as a text or as an expression; an empty name sets none. */
export function setNamedVariable(
  run: Run,
  item: LivePlanItem,
  name: NameExpression | undefined,
  value: JsonValue,
): void {
  const isExpression = typeof name === 'object';
  const text = isExpression ? evaluateText(run, name, item.caseInstance, item) : name;
  if (text) setVariable(run, item, text, value);
}
