import type { ModdleElement } from 'cmmn-moddle';
import type { PlanItem } from '../model/plan-item.ts';
import type { PlanItemDefinition, Stage } from '../model/plan-item-definition.ts';
import type { Sentry } from '../model/sentry.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import { readBasics, readOverview } from './read-basics.ts';
import { readListener } from './read-listener.ts';
import { readMilestone } from './read-milestone.ts';
import { readPlanItem } from './read-plan-item.ts';
import { readPlanningTable } from './read-planning-table.ts';
import { type CaseFile, readSentry } from './read-sentry.ts';
import { readTask } from './read-task.ts';

/** Reads a stage or a case plan model (CMMN 1.1, 5.4), with the definitions in it. */
export function readStage(
  element: ModdleElement,
  reader: ElementReader,
  caseFile: CaseFile,
): Stage {
  const id = reader.idOf(element, 'stage');
  const { planItems, sentries } = readPlan(element, reader, caseFile);
  const table = elementIn(element, 'planningTable');
  return {
    type: 'stage',
    ...readBasics(element, id, reader),
    autoComplete: reader.flag(element, 'autoComplete') ?? false,
    autoCompleteCondition: reader.expressionAttribute(element, 'autoCompleteCondition'),
    planItems,
    sentries,
    definitions: elementsIn(element, 'planItemDefinitions').flatMap(
      (definition) => readDefinition(definition, reader, caseFile) ?? [],
    ),
    planningTable: table && readPlanningTable(table, reader),
    businessStatus: reader.expressionAttribute(element, 'businessStatus'),
    ...readOverview(element, reader),
  };
}

/** Deepest nesting of plan fragments. */
const MAX_FRAGMENT_DEPTH = 100;

interface Plan {
  readonly planItems: readonly PlanItem[];
  readonly sentries: readonly Sentry[];
}

/**
 * Plan items and sentries of a stage or plan fragment. A plan fragment (CMMN 1.1, 5.4) has no instances: what
 * a plan item places through one counts as placed in the stage itself.
 */
function readPlan(element: ModdleElement, reader: ElementReader, caseFile: CaseFile): Plan {
  const plan = { planItems: [], sentries: [] };
  collectPlan(element, plan, [], reader, caseFile);
  return plan;
}

function collectPlan(
  element: ModdleElement,
  plan: { readonly planItems: PlanItem[]; readonly sentries: Sentry[] },
  around: readonly ModdleElement[],
  reader: ElementReader,
  caseFile: CaseFile,
): void {
  for (const sentry of elementsIn(element, 'sentries')) {
    plan.sentries.push(readSentry(sentry, reader, caseFile));
  }
  for (const item of elementsIn(element, 'planItems')) {
    const definition = item.definitionRef as ModdleElement | undefined;
    if (definition?.$type !== 'cmmn:PlanFragment') plan.planItems.push(readPlanItem(item, reader));
    else if (isPlaceable(definition, item, around, reader)) {
      collectPlan(definition, plan, [...around, definition], reader, caseFile);
    }
  }
}

/** A plan fragment is placed once, because its items have one id each, and by an item in reach of it. */
function isPlaceable(
  fragment: ModdleElement,
  item: ModdleElement,
  around: readonly ModdleElement[],
  reader: ElementReader,
): boolean {
  if (around.includes(fragment) || around.length > MAX_FRAGMENT_DEPTH) {
    const message = `The plan fragment contains itself, or is nested deeper than ${MAX_FRAGMENT_DEPTH}.`;
    reader.problem('STAGE_RECURSION', message, fragment);
  } else if (!isInScope(fragment, item)) {
    const message = `The plan fragment "${fragment.id}" is in a stage that does not contain the item.`;
    reader.problem('PLAN_ITEM_DEFINITION_OUT_OF_SCOPE', message, item);
  } else if (!reader.isFirst(fragment)) {
    const message = `The plan fragment "${fragment.id}" is placed already: only one plan item can place it.`;
    reader.problem('PLAN_FRAGMENT_PLANNED_TWICE', message, item);
  } else {
    return true;
  }
  return false;
}

function isInScope(definition: ModdleElement, item: ModdleElement): boolean {
  let around = item.$parent;
  while (around && around !== definition.$parent) around = around.$parent;
  return around !== undefined;
}

function readDefinition(
  element: ModdleElement,
  reader: ElementReader,
  caseFile: CaseFile,
): PlanItemDefinition | undefined {
  const type = element.$type.slice('cmmn:'.length);
  if (type === 'Stage') return readStage(element, reader, caseFile);
  if (type === 'PlanFragment') return undefined;
  const basics = readBasics(element, reader.idOf(element, type), reader);
  if (type === 'Milestone') return readMilestone(element, basics, reader);
  if (type.endsWith('EventListener')) return readListener(element, basics, reader);
  if (reader.attribute(element, 'availableCondition')) {
    const message = 'Only event listeners have an available condition.';
    reader.problem('AVAILABLE_CONDITION_ON_NON_LISTENER', message, element);
  }
  return readTask(element, basics, reader);
}
