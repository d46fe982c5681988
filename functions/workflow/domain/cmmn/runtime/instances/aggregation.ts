import type { JsonValue, Variables } from '../../basics/json.ts';
import type { Aggregation } from '../../contract/state.ts';
import type { NameExpression } from '../../expression/expression.ts';
import type { AggregatedVariable, VariableAggregation } from '../../model/item-control.ts';
import { isTerminal } from '../../model/transition.ts';
import { countVisits } from '../run/agenda.ts';
import { containerOf, type LiveCase, type LivePlanItem } from '../run/live-case.ts';
import { touchCase } from '../run/live-tree.ts';
import { addTransient, type Run } from '../run/run.ts';
import { evaluateJson, evaluateText } from '../variables/expression-scope.ts';
import { holderOf, removeVariable, setVariableAround } from '../variables/variable-holders.ts';
import { readVariable } from '../variables/variables.ts';
import { counterOf } from './plan-item-instances.ts';

/*
 * Variable aggregation of a repetition (extension of Flowable): every instance that completes adds one object; when
 * the last one has ended, the objects become a list in a variable around it, ordered by the repetition counter.
 */

/** The aggregations that the repetition of the instance has. */
export const aggregationsOf = ({ planItem }: LivePlanItem): readonly VariableAggregation[] =>
  planItem.itemControl.repetitionRule?.aggregations ?? [];

/** A name of an aggregation, as the instance sees it. */
export const nameOf = (run: Run, item: LivePlanItem, name: NameExpression): string | undefined =>
  typeof name === 'string' ? name : evaluateText(run, name, item.caseInstance, item);

/** Whether the collected values belong to the repetition that the instance is part of. */
const isOf = (item: LivePlanItem, { planItemId, stageInstanceId }: Aggregation): boolean =>
  planItemId === item.planItem.id && stageInstanceId === item.stage?.id;

/** Keeps the values of an instance that completes. */
export function collect(run: Run, item: LivePlanItem): void {
  for (const [index, aggregation] of aggregationsOf(item).entries()) {
    const target = nameOf(run, item, aggregation.target);
    if (target === undefined) continue;
    const value = valuesOf(run, item, aggregation);
    const entry = Object.freeze({ counter: counterOf(item), value });
    const known = open(item, index, target);
    run.hasNewVariables = true;
    replace(item.caseInstance, known, { ...known, entries: [...known.entries, entry] });
  }
}

/** The instance has ended without a follow-up: when it was the last one, the list becomes a variable. */
export function publishIfLast(run: Run, item: LivePlanItem, hasCompleted: boolean): void {
  const aggregations = aggregationsOf(item);
  if (aggregations.length === 0 || !isLast(run, item)) return;
  const { caseInstance } = item;
  for (const [index, aggregation] of aggregations.entries()) {
    const target = nameOf(run, item, aggregation.target);
    if (target === undefined) continue;
    if (!hasCompleted) removeVariable(run, holderOf(caseInstance, item.stage, target), target);
    else publish(run, item, aggregation, target, listOf(open(item, index, target).entries));
  }
  caseInstance.aggregations = caseInstance.aggregations.filter((known) => !isOf(item, known));
}

/** All instances have ended; an origin that waits for another event has not. */
function isLast(run: Run, item: LivePlanItem): boolean {
  const { children } = containerOf(item);
  countVisits(run.agenda, children.length);
  return children.every(
    (sibling) => sibling.planItem !== item.planItem || isTerminal(sibling.state),
  );
}

function publish(
  run: Run,
  item: LivePlanItem,
  { storeAsTransient }: VariableAggregation,
  target: string,
  list: JsonValue,
): void {
  if (storeAsTransient) addTransient(run, { [target]: list });
  else setVariableAround(run, item, target, list);
}

/** The values collected under the name so far. */
export function open(item: LivePlanItem, index: number, target: string): Aggregation {
  const { planItem, stage, caseInstance } = item;
  const found = caseInstance.aggregations.find(
    (known) => isOf(item, known) && known.index === index && known.target === target,
  );
  return (
    found ?? { planItemId: planItem.id, stageInstanceId: stage?.id, index, target, entries: [] }
  );
}

/** Keeps what has been collected in place of what was known. */
export function replace(caseInstance: LiveCase, known: Aggregation, by: Aggregation): void {
  const others = caseInstance.aggregations.filter((candidate) => candidate !== known);
  caseInstance.aggregations = [...others, by];
  touchCase(caseInstance);
}

/** The list that a variable gets: in order of the counter. */
export const listOf = (entries: Aggregation['entries']): readonly JsonValue[] =>
  [...entries].sort((left, right) => left.counter - right.counter).map(({ value }) => value);

/** The values of one instance, by the names of the model; variables that there are not are left out. */
export function valuesOf(
  run: Run,
  item: LivePlanItem,
  { variables }: VariableAggregation,
): Variables {
  const values: Record<string, JsonValue> = {};
  for (const variable of variables) {
    const name = nameOf(run, item, variable.target);
    const value = name === undefined ? undefined : singleValue(run, item, variable);
    if (name !== undefined && value !== undefined) values[name] = value;
  }
  return values;
}

function singleValue(
  run: Run,
  item: LivePlanItem,
  { source, sourceName }: AggregatedVariable,
): JsonValue | undefined {
  if (sourceName !== undefined) return readVariable(run, item.caseInstance, item, sourceName);
  return source && evaluateJson(run, source, item.caseInstance, item);
}
