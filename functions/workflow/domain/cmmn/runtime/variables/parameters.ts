import type { JsonValue, Variables } from '../../basics/json.ts';
import type { ParameterMapping } from '../../model/calling-task.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { addTransient, type Run } from '../run/run.ts';
import { evaluateJson, evaluateText } from './expression-scope.ts';
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

/** Takes over what a called process has produced: by name only. */
export function readProcessVariables(
  run: Run,
  item: LivePlanItem,
  mappings: readonly ParameterMapping[],
  variables: Variables,
): void {
  for (const { source, target } of mappings) {
    if (source && target) setVariable(run, item, target, variables[source] ?? null);
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
