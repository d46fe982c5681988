import type { JsonValue, Variables } from '../../basics/json.ts';
import { toText } from '../../expression/coercion.ts';
import { type Expression, evaluateExpression, toJson } from '../../expression/expression.ts';
import type { Value } from '../../expression/host-object.ts';
import type { ParameterMapping } from '../../model/definition.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { addTransient, type Run } from '../run/run.ts';
import { evaluateJson, evaluateText, expressionError } from './expression-scope.ts';
import { readVariable, setVariable } from './variables.ts';

/** The values that a task hands to what it calls (CMMN 1.1, 5.4). */
export function inValues(
  run: Run,
  item: LivePlanItem,
  mappings: readonly ParameterMapping[],
): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = {};
  for (const mapping of mappings) {
    const target = targetOf(run, mapping, item.caseInstance, item);
    if (target) values[target] = sourceOf(run, mapping, item.caseInstance, item);
  }
  return values;
}

/** Takes over what the called case has produced: nulls when its values are gone. */
export function readOutParameters(
  run: Run,
  item: LivePlanItem,
  child: LiveCase,
  { areGone = false } = {},
): void {
  const { definition } = item.planItem;
  if (definition.type !== 'caseTask') return;
  for (const mapping of definition.outParameters) {
    const target = targetOf(run, mapping, child);
    if (!target) continue;
    const value = areGone ? null : sourceOf(run, mapping, child);
    if (mapping.isTransient) addTransient(run, { [target]: value });
    else setVariable(run, item, target, value);
  }
}

/**
 * Takes over what came back from outside, from a process or a worker: expressions see these variables and no others.
 * @throws CmmnError `EXPRESSION_ERROR`
 */
export function readReturnedVariables(
  run: Run,
  item: LivePlanItem,
  mappings: readonly ParameterMapping[],
  variables: Variables,
): void {
  for (const { source, sourceExpression, target, targetExpression, isTransient } of mappings) {
    const name = targetExpression
      ? toText(evaluateOver(run, item, targetExpression, variables))
      : target;
    if (!name) continue;
    const value = sourceExpression
      ? toJson(evaluateOver(run, item, sourceExpression, variables))
      : source && Object.hasOwn(variables, source)
        ? (variables[source] ?? null)
        : null;
    if (isTransient) addTransient(run, { [name]: value });
    else setVariable(run, item, name, value);
  }
}

function evaluateOver(
  run: Run,
  item: LivePlanItem,
  expression: Expression,
  variables: Variables,
): Value {
  const variable = (name: string): JsonValue | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined;
  const call = (prefix: string, name: string): Value | undefined =>
    prefix === '' && name === 'now' ? run.at : undefined;
  const scope = { resolve: variable, variable, variables: () => variables, call, at: run.at };
  try {
    return evaluateExpression(expression, scope);
  } catch (error) {
    throw expressionError(expression, error, item.caseInstance, item);
  }
}

function sourceOf(
  run: Run,
  { source, sourceExpression }: ParameterMapping,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): JsonValue {
  if (sourceExpression) return evaluateJson(run, sourceExpression, caseInstance, item);
  return source ? (readVariable(run, caseInstance, item, source) ?? null) : null;
}

function targetOf(
  run: Run,
  { target, targetExpression }: ParameterMapping,
  caseInstance: LiveCase,
  item?: LivePlanItem,
): string | undefined {
  return targetExpression ? evaluateText(run, targetExpression, caseInstance, item) : target;
}
