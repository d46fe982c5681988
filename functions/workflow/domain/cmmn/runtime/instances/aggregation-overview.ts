import { CmmnError } from '../../basics/cmmn-error.ts';
import { type JsonValue, sameJson } from '../../basics/json.ts';
import type { Aggregation } from '../../contract/state.ts';
import type { VariableAggregation } from '../../model/item-control.ts';
import { countVisits } from '../run/agenda.ts';
import { isAtWork, type LiveCase, type LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { holderOf, setDerivedVariable, setVariableAround } from '../variables/variable-holders.ts';
import { aggregationsOf, listOf, nameOf, open, replace, valuesOf } from './aggregation.ts';
import { counterOf } from './plan-item-instances.ts';

/** The first instance of a repetition comes to life: overviews that the model wants can be read from now on. */
export function openOverviews(run: Run, item: LivePlanItem): void {
  for (const [index, aggregation] of aggregationsOf(item).entries()) {
    if (!aggregation.createOverviewVariable) continue;
    const target = nameOf(run, item, aggregation.target);
    if (target === undefined) continue;
    const known = open(item, index, target);
    replace(item.caseInstance, known, known);
    setVariableAround(run, item, target, null);
  }
}

/**
 * Brings the overviews of a case up to date: what has been collected, and what the active instances hold now. Those of
 * inner stages come first, because outer ones can read them.
 */
export function refreshOverviews(run: Run, caseInstance: LiveCase): void {
  if (caseInstance.overviewRevision === caseInstance.revision) return;
  caseInstance.overviewRevision = caseInstance.revision;
  const overviews = caseInstance.aggregations
    .map((aggregation) => ({ aggregation, definition: definitionOf(caseInstance, aggregation) }))
    .filter(({ definition }) => definition?.createOverviewVariable)
    .map(({ aggregation }) => ({ aggregation, stage: stageOf(caseInstance, aggregation) }))
    .sort((left, right) => depthOf(right.stage) - depthOf(left.stage));
  for (const { aggregation, stage } of overviews) refresh(run, caseInstance, aggregation, stage);
  caseInstance.overviewRevision = caseInstance.revision;
}

const definitionOf = (
  { model }: LiveCase,
  { planItemId, index }: Aggregation,
): VariableAggregation | undefined =>
  model.planItems.get(planItemId)?.itemControl.repetitionRule?.aggregations?.[index];

const stageOf = (
  { planItems }: LiveCase,
  { stageInstanceId }: Aggregation,
): LivePlanItem | undefined =>
  stageInstanceId === undefined ? undefined : planItems.find(({ id }) => id === stageInstanceId);

function depthOf(stage: LivePlanItem | undefined): number {
  let depth = 0;
  for (let around = stage; around; around = around.stage) depth++;
  return depth;
}

function refresh(
  run: Run,
  caseInstance: LiveCase,
  aggregation: Aggregation,
  stage: LivePlanItem | undefined,
): void {
  const { planItemId, target, entries } = aggregation;
  const definition = definitionOf(caseInstance, aggregation);
  const holder = holderOf(caseInstance, stage, target);
  if (!definition || !holder) return;
  const { children } = stage ?? caseInstance;
  countVisits(run.agenda, children.length);
  const active = children.filter((child) => child.planItem.id === planItemId && isAtWork(child));
  const list = listOf([...entries, ...active.map((child) => overviewOf(run, child, definition))]);
  const value = list.length > 0 ? list : null;
  if (!sameJson(holder.variables?.[target], value)) setDerivedVariable(run, holder, target, value);
}

/** As far as the values of an instance are known already: an expression that fails leaves its value out. */
function overviewOf(
  run: Run,
  item: LivePlanItem,
  definition: VariableAggregation,
): Aggregation['entries'][number] {
  const value: Record<string, JsonValue> = {};
  for (const variable of definition.variables) {
    try {
      Object.assign(value, valuesOf(run, item, { ...definition, variables: [variable] }));
    } catch (error) {
      if (!(error instanceof CmmnError)) throw error;
    }
  }
  return { counter: counterOf(item), value };
}
