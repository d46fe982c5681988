import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Variables } from '../../basics/json.ts';
import { toText } from '../../expression/coercion.ts';
import type { Expression } from '../../expression/expression.ts';
import { parseExpression } from '../../expression/expression.ts';
import { nameText, type PlanItemNode } from '../../model/case-model.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { addPlanItem } from '../run/live-tree.ts';
import type { Run } from '../run/run.ts';
import { evaluate, requireShortText } from '../variables/expression-scope.ts';

/** Makes an instance of a plan item; its state follows from the operation that the caller plans for it. */
export function instantiate(
  run: Run,
  caseInstance: LiveCase,
  planItem: PlanItemNode,
  stage: LivePlanItem | undefined,
): LivePlanItem {
  const item = addPlanItem(caseInstance, planItem, stage, newFacts(run));
  nameInstance(run, item);
  return item;
}

/** Makes the follow-up of an instance. Of the local variables it gets the given ones only. */
export function copyInstance(
  run: Run,
  origin: LivePlanItem,
  facts: Pick<Partial<LivePlanItem>, 'state' | 'variables' | 'timer'>,
  defer?: LivePlanItem[],
): LivePlanItem {
  const copy = addPlanItem(
    origin.caseInstance,
    origin.planItem,
    origin.stage,
    { ...newFacts(run), ...facts },
    defer,
  );
  nameInstance(run, copy);
  return copy;
}

const newFacts = (run: Run): { id: string; createdAt: string } => ({
  id: run.environment.newId(),
  createdAt: run.at,
});

const names = new WeakMap<PlanItemNode, Expression>();

/** The expression behind the name: that of the plan item or, where it has none, of the human task. */
const nameExpression = (planItem: PlanItemNode): Expression => ({
  text: nameText(planItem),
  language: 'juel',
});

/** Names are resolved once, when an instance is made. A name that cannot be resolved yet stays as it is written. */
function nameInstance(run: Run, item: LivePlanItem): void {
  const { planItem, caseInstance } = item;
  const expression = names.get(planItem) ?? nameExpression(planItem);
  names.set(planItem, expression);
  item.name = expression.text;
  if (!/[$#]\{/.test(expression.text)) return;
  try {
    parseExpression(expression);
    const name = toText(evaluate(run, expression, caseInstance, item));
    requireShortText(run, expression, name, caseInstance, item);
    item.name = name;
  } catch (error) {
    const mayWait = planItem.itemControl.repetitionRule?.collection && !standsForElement(item);
    if (!(error instanceof CmmnError) || !mayWait) throw error;
  }
}

/** Whether the instance belongs to one element of a collection. */
export function standsForElement({ planItem, variables }: LivePlanItem): boolean {
  const element = planItem.itemControl.repetitionRule?.elementVariable;
  return element !== undefined && variables !== undefined && Object.hasOwn(variables, element);
}

/** The value of the repetition counter; 0 when there is none yet. */
export function counterOf({
  planItem,
  variables,
}: Pick<LivePlanItem, 'planItem' | 'variables'>): number {
  const name = planItem.itemControl.repetitionRule?.counterVariable;
  const value = name === undefined ? undefined : variables?.[name];
  return typeof value === 'number' ? value : 0;
}

/** The local variables of an instance that is the nth of its repetition. */
export function counterVariables(
  { itemControl }: PlanItemNode,
  count: number,
): Variables | undefined {
  const rule = itemControl.repetitionRule;
  const isIgnored = rule?.ignoreCounterVariable && !rule.aggregations;
  return !rule || isIgnored ? undefined : { [rule.counterVariable]: count };
}
