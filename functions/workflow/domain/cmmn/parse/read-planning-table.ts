import type { ModdleElement } from 'cmmn-moddle';
import type { DiscretionaryItem, PlanItem, PlanningTable } from '../model/plan-item.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import { readPlanItem } from './read-plan-item.ts';

type ApplicabilityRule = DiscretionaryItem['applicabilityRules'][number];

/** Most applicability rules, and most roles, of one item. */
const MAX_HANDED_DOWN = 100;

/**
 * Reads a planning table (CMMN 1.1, 5.4). A nested table passes its rules and roles on to its items: both
 * have to allow an item.
 */
export function readPlanningTable(element: ModdleElement, reader: ElementReader): PlanningTable {
  const rules = new Map<string, ApplicabilityRule>();
  collectRules(element, rules, reader);
  const outer = { applicabilityRules: [], authorizedRoleRefs: [] };
  return {
    id: reader.idOf(element, 'planningTable'),
    items: readItems(element, outer, rules, reader),
  };
}

function collectRules(
  table: ModdleElement,
  rules: Map<string, ApplicabilityRule>,
  reader: ElementReader,
): void {
  for (const element of elementsIn(table, 'applicabilityRules')) {
    const id = reader.idOf(element, 'applicabilityRule');
    const condition = reader.expressionElement(elementIn(element, 'condition'), element);
    rules.set(id, { id, name: reader.attribute(element, 'name'), condition });
  }
  for (const item of elementsIn(table, 'tableItems')) {
    if (item.$type === 'cmmn:PlanningTable') collectRules(item, rules, reader);
  }
}

/** Limits what a table passes on to each of its items. */
function atMost<Entry>(
  entries: readonly Entry[],
  element: ModdleElement,
  reader: ElementReader,
): readonly Entry[] {
  if (entries.length <= MAX_HANDED_DOWN) return entries;
  const message = `More than ${MAX_HANDED_DOWN} applicability rules or roles decide on one item.`;
  reader.problem('CASE_TOO_LARGE', message, element);
  return entries.slice(0, MAX_HANDED_DOWN);
}

function readItems(
  table: ModdleElement,
  outer: DiscretionaryItem,
  rules: ReadonlyMap<string, ApplicabilityRule>,
  reader: ElementReader,
): PlanItem[] {
  return elementsIn(table, 'tableItems').flatMap((element) => {
    const own = reader.references(element, 'applicabilityRuleRefs').flatMap((id) => {
      const rule = rules.get(id);
      if (rule) return [rule];
      const message = `There is no applicability rule "${id}".`;
      reader.problem('REFERENCE_UNRESOLVED', message, element);
      return [];
    });
    const roles = reader.references(element, 'authorizedRoleRefs');
    const discretionary: DiscretionaryItem = {
      applicabilityRules: atMost([...outer.applicabilityRules, ...own], element, reader),
      authorizedRoleRefs: atMost(
        roles.length > 0 ? roles : outer.authorizedRoleRefs,
        element,
        reader,
      ),
    };
    const definition = element.definitionRef as ModdleElement | undefined;
    if (definition?.$type === 'cmmn:PlanFragment') {
      const message = 'A plan fragment cannot be planned: plan its items or a stage.';
      reader.problem('PLAN_FRAGMENT_DISCRETIONARY_UNSUPPORTED', message, element);
    }
    return element.$type === 'cmmn:PlanningTable'
      ? readItems(element, discretionary, rules, reader)
      : [{ ...readPlanItem(element, reader), discretionary }];
  });
}
