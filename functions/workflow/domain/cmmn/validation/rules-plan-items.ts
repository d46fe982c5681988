import type { Report } from '../basics/problem.ts';
import type { PlanItemDefinition, Stage } from '../model/plan-item-definition.ts';
import { asDefinition, asItem, type CaseOutline, type PlacedItem } from './case-outline.ts';

/** Deepest nesting of stages. */
const MAX_STAGE_DEPTH = 100;

/** Plan items and the definitions that they place (CMMN 1.1, 5.4). */
export function checkPlanItems(outline: CaseOutline, report: Report): void {
  checkEmptiness(outline, report);
  for (const placed of outline.planItems) checkDefinition(placed, report);
  checkUse(outline, report);
  checkNesting(outline, report);
  checkAutoComplete(outline, report);
}

function checkEmptiness({ stages, definition }: CaseOutline, report: Report): void {
  for (const stage of stages) {
    if (stage.planItems.length > 0 || stage.planningTable?.items.length) continue;
    if (stage === definition.planModel) {
      const element = { id: stage.id, type: 'casePlanModel', name: stage.name };
      report.add('PLAN_MODEL_EMPTY', 'The case plan model holds no plan item.', element);
    } else {
      report.add('STAGE_EMPTY', 'The stage holds no plan item.', asDefinition(stage));
    }
  }
}

function checkDefinition(placed: PlacedItem, report: Report): void {
  const { item, definition, isInScope } = placed;
  if (item.definitionRef === '') return;
  if (!definition) {
    const message = `There is no definition "${item.definitionRef}".`;
    report.add('PLAN_ITEM_DEFINITION_REF_UNRESOLVED', message, asItem(placed));
  } else if (!isInScope) {
    const message = `The definition "${definition.id}" is in a stage that does not contain the item.`;
    report.add('PLAN_ITEM_DEFINITION_OUT_OF_SCOPE', message, asItem(placed));
  }
}

function checkUse({ definitions, planItems }: CaseOutline, report: Report): void {
  const useCounts = new Map<PlanItemDefinition | undefined, number>();
  for (const { definition } of planItems) {
    useCounts.set(definition, (useCounts.get(definition) ?? 0) + 1);
  }
  for (const definition of definitions) {
    const uses = useCounts.get(definition) ?? 0;
    if (uses === 0) {
      const message = 'No plan item places the definition.';
      report.add('PLAN_ITEM_DEFINITION_UNUSED', message, asDefinition(definition));
    }
    if (uses > 1 && definition.type === 'stage') {
      const message =
        'Several plan items place the stage: entering it from outside means the first.';
      report.add('STAGE_PLANNED_TWICE', message, asDefinition(definition));
    }
  }
}

/** A stage that places itself or a stage around it would nest forever. */
function checkNesting({ definition, planItems }: CaseOutline, report: Report): void {
  const inner = new Map<Stage, Set<Stage>>();
  for (const { stage, definition: placed } of planItems) {
    if (placed?.type !== 'stage') continue;
    const known = inner.get(stage);
    if (known) known.add(placed);
    else inner.set(stage, new Set([placed]));
  }
  const depths = new Map<Stage, number>();
  const around = new Set<Stage>();
  const refuse = (stage: Stage): number => {
    const message = `The stage contains itself, or is nested deeper than ${MAX_STAGE_DEPTH}.`;
    report.add('STAGE_RECURSION', message, asDefinition(stage));
    return 0;
  };
  /** How deep stages are nested in the stage. */
  const measure = (stage: Stage): number => {
    if (around.has(stage) || around.size > MAX_STAGE_DEPTH) return refuse(stage);
    const known = depths.get(stage);
    if (known !== undefined) return known;
    around.add(stage);
    let depth = 0;
    for (const next of inner.get(stage) ?? []) depth = Math.max(depth, measure(next) + 1);
    around.delete(stage);
    const allowed = depth > MAX_STAGE_DEPTH ? refuse(stage) : depth;
    depths.set(stage, allowed);
    return allowed;
  };
  measure(definition.planModel);
  for (const stage of inner.keys()) measure(stage);
}

function checkAutoComplete({ stages }: CaseOutline, report: Report): void {
  for (const stage of stages) {
    if (!stage.autoComplete || !stage.autoCompleteCondition) continue;
    const message = 'The condition for completing by itself overrides the attribute.';
    report.add('AUTO_COMPLETE_CONFLICT', message, asDefinition(stage));
  }
}
