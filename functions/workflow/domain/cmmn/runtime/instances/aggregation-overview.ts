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
 * inner stages come first, because outer ones can read them; an overview that read itself would grow for ever.
 */
export function refreshOverviews(run: Run, caseInstance: LiveCase): void {
  if (caseInstance.hiddenOverviews || caseInstance.overviewRevision === caseInstance.revision) {
    return;
  }
  const overviews = overviewsOf(caseInstance);
  let depth = Number.POSITIVE_INFINITY;
  try {
    for (const overview of overviews) {
      if (overview.depth < depth)
        caseInstance.hiddenOverviews = namesUpTo(overview.depth, overviews);
      depth = overview.depth;
      refresh(run, caseInstance, overview);
    }
  } finally {
    caseInstance.hiddenOverviews = undefined;
  }
  caseInstance.overviewRevision = caseInstance.revision;
}

interface Overview {
  readonly aggregation: Aggregation;
  readonly definition: VariableAggregation;
  /** The stage instance that holds the repetition; undefined: the case. */
  readonly stage: LivePlanItem | undefined;
  readonly depth: number;
}

function overviewsOf(caseInstance: LiveCase): readonly Overview[] {
  const overviews = caseInstance.aggregations.flatMap((aggregation): Overview[] => {
    const definition = definitionOf(caseInstance, aggregation);
    if (!definition?.createOverviewVariable) return [];
    const stage = stageOf(caseInstance, aggregation);
    return [{ aggregation, definition, stage, depth: depthOf(stage) }];
  });
  return overviews.sort((left, right) => right.depth - left.depth);
}

const namesUpTo = (depth: number, overviews: readonly Overview[]): ReadonlySet<string> =>
  new Set(
    overviews.flatMap((overview) => (overview.depth <= depth ? overview.aggregation.target : [])),
  );

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
  { aggregation, definition, stage }: Overview,
): void {
  const { planItemId, target, entries } = aggregation;
  const holder = holderOf(caseInstance, stage, target);
  if (!holder) return;
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
