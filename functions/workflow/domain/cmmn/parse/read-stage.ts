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

interface Plan {
  readonly planItems: readonly PlanItem[];
  readonly sentries: readonly Sentry[];
}

/**
 * Plan items and sentries of a stage or plan fragment. A plan fragment (CMMN 1.1, 5.4) has no instances: what
 * a plan item places through one counts as placed in the stage itself.
 */
function readPlan(
  element: ModdleElement,
  reader: ElementReader,
  caseFile: CaseFile,
  seen: readonly ModdleElement[] = [],
): Plan {
  const planItems: PlanItem[] = [];
  const sentries = elementsIn(element, 'sentries').map((s) => readSentry(s, reader, caseFile));
  for (const item of elementsIn(element, 'planItems')) {
    const definition = item.definitionRef as ModdleElement | undefined;
    if (definition?.$type !== 'cmmn:PlanFragment') planItems.push(readPlanItem(item, reader));
    else if (seen.includes(definition)) {
      reader.problem('STAGE_RECURSION', 'The plan fragment contains itself.', definition);
    } else {
      const inner = readPlan(definition, reader, caseFile, [...seen, definition]);
      planItems.push(...inner.planItems);
      sentries.push(...inner.sentries);
    }
  }
  return { planItems, sentries };
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
