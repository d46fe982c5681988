import type { JsonValue, Variables } from '../../basics/json.ts';
import { toText } from '../../expression/coercion.ts';
import type { ParameterMapping } from '../../model/calling-task.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { evaluate, evaluateJson } from './expression-scope.ts';
import { readVariable, setVariable } from './variables.ts';

/** The values that a task hands to what it calls (CMMN 1.1, 5.4). */
export function inValues(
  run: Run,
  item: LivePlanItem,
  mappings: readonly ParameterMapping[],
): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = {};
  for (const mapping of mappings) {
    const target = targetOf(run, mapping, item);
    if (target) values[target] = sourceOf(run, mapping, item.caseInstance, item);
  }
  return values;
}

/** Takes over what the called case has produced. */
export function readOutParameters(run: Run, item: LivePlanItem, child: LiveCase): void {
  const { definition } = item.planItem;
  if (definition.type !== 'caseTask') return;
  for (const mapping of definition.outParameters) {
    const target = targetOf(run, mapping, item);
    if (target) setVariable(run, item, target, sourceOf(run, mapping, child));
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
  item: LivePlanItem,
): string | undefined {
  if (!targetExpression) return target;
  return toText(evaluate(run, targetExpression, item.caseInstance, item)) || undefined;
}
