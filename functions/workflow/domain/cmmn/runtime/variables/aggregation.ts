import type { JsonValue } from '../../basics/json.ts';
import type { VariableAggregation } from '../../model/item-control.ts';
import { isTerminal } from '../../model/transition.ts';
import { containerOf, type LivePlanItem } from '../run/live-case.ts';
import { addTransient, type Run } from '../run/run.ts';
import { evaluateJson } from './expression-scope.ts';
import { setCaseVariable, setLocalVariable } from './variables.ts';

/**
 * Variable aggregation of a repetition (extension of the peer): every completed instance adds one object; when
 * none is left that could add another, the list becomes a variable of the stage or case around.
 */
export function aggregate(run: Run, item: LivePlanItem): void {
  const aggregations = item.planItem.itemControl.repetitionRule?.aggregations;
  if (!aggregations) return;
  for (const aggregation of aggregations) {
    if (item.state === 'completed') collect(run, item, aggregation);
    if (isLast(item)) publish(run, item, aggregation);
  }
}

const aggregationKey = (item: LivePlanItem, { target }: VariableAggregation): string =>
  `${item.stage?.id ?? ''}/${item.planItem.id}/${target}`;

function collect(run: Run, item: LivePlanItem, aggregation: VariableAggregation): void {
  const { caseInstance } = item;
  const entry: Record<string, JsonValue> = {};
  for (const { source, target } of aggregation.variables) {
    entry[target] = evaluateJson(run, source, caseInstance, item);
  }
  const key = aggregationKey(item, aggregation);
  const list = [...(caseInstance.aggregations[key] ?? []), entry];
  caseInstance.aggregations = { ...caseInstance.aggregations, [key]: list };
  if (aggregation.createOverviewVariable) setInContainer(run, item, aggregation.target, list);
}

/** The other instances of the repetition have ended, except those that only wait for another event. */
function isLast(item: LivePlanItem): boolean {
  return containerOf(item).children.every(
    (sibling) =>
      sibling === item ||
      sibling.planItem !== item.planItem ||
      isTerminal(sibling.state) ||
      sibling.state === 'wait_repetition' ||
      sibling.state === 'available',
  );
}

function publish(run: Run, item: LivePlanItem, aggregation: VariableAggregation): void {
  const { caseInstance } = item;
  const key = aggregationKey(item, aggregation);
  const list = caseInstance.aggregations[key];
  if (!list) return;
  const { [key]: _, ...others } = caseInstance.aggregations;
  caseInstance.aggregations = others;
  if (aggregation.storeAsTransient) addTransient(run, { [aggregation.target]: list });
  else setInContainer(run, item, aggregation.target, list);
}

function setInContainer(run: Run, item: LivePlanItem, name: string, value: JsonValue): void {
  if (item.stage) setLocalVariable(run, item.stage, name, value);
  else setCaseVariable(run, item.caseInstance, name, value);
}
