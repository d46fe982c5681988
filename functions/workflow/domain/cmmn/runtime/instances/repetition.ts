import { CmmnError } from '../../basics/cmmn-error.ts';
import type { JsonValue, Variables } from '../../basics/json.ts';
import type { CriterionNode } from '../../model/case-model.ts';
import type { RepetitionRule } from '../../model/item-control.ts';
import { isTerminal, type PlanItemState } from '../../model/transition.ts';
import { clearMemory } from '../rules/sentry.ts';
import { countVisits } from '../run/agenda.ts';
import { type Container, isEnded, type LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { evaluateJson, ruleHolds } from '../variables/expression-scope.ts';
import {
  copyInstance,
  counterOf,
  counterVariables,
  standsForElement,
} from './plan-item-instances.ts';

/** The decision of the repetition rule when an instance could be activated. */
export type RepetitionVerdict =
  /** Activate the instance. */
  | 'activate'
  /** Nothing happens. */
  | 'refuse'
  /** The instance has been replaced by one for each element of the collection. */
  | 'replaced';

/**
 * Applies the repetition rule at activation (CMMN 1.1, 5.4 and 8.6.4): with entry criteria, a twin is left
 * waiting for the next time; if the rule is false, the instance does not start at all.
 */
export function repeatAtActivation(
  run: Run,
  item: LivePlanItem,
  container: Container,
  criterion: CriterionNode | undefined,
  created?: LivePlanItem[],
): RepetitionVerdict {
  const rule = item.planItem.itemControl.repetitionRule;
  if (!rule) return 'activate';
  if (rule.collection) return repeatOverCollection(run, item, rule, criterion, created);
  if (item.planItem.entryCriteria.length === 0) return 'activate';
  if (!mayRepeat(run, item, container)) return 'refuse';
  createTwin(run, item, created);
  return 'activate';
}

/**
 * Whether the container has room for another instance and the rule's condition holds.
 * @param container undefined: without checking for room
 */
export function mayRepeat(run: Run, item: LivePlanItem, container: Container | undefined): boolean {
  const rule = item.planItem.itemControl.repetitionRule;
  if (!rule || (container && isFull(item, container, rule))) return false;
  return ruleHolds(run, rule, item.caseInstance, item);
}

function isFull(item: LivePlanItem, container: Container, rule: RepetitionRule): boolean {
  if (rule.maxInstanceCount === undefined) return false;
  const others = container.children.filter(
    (sibling) =>
      sibling !== item && sibling.planItem === item.planItem && !isTerminal(sibling.state),
  );
  return others.length >= rule.maxInstanceCount;
}

/** The instance that waits for the next entry criterion. */
export function createTwin(run: Run, item: LivePlanItem, created?: LivePlanItem[]): LivePlanItem {
  const variables = counterVariables(item.planItem, counterOf(item) + 1);
  const twin = copyInstance(run, item, { state: 'wait_repetition', variables }, created);
  plan(run, { kind: 'createRepeated', item: twin });
  return twin;
}

/** One instance for each element; no collection and nothing that could bring one: wait. */
function repeatOverCollection(
  run: Run,
  item: LivePlanItem,
  rule: RepetitionRule,
  criterion: CriterionNode | undefined,
  created: LivePlanItem[] | undefined,
): RepetitionVerdict {
  if (standsForElement(item)) return 'activate';
  const elements = readCollection(run, item, rule);
  const hasOnPart = item.planItem.entryCriteria.some((entry) => entry.onParts.length > 0);
  if (!elements && !hasOnPart) return 'refuse';
  if (rule.elementVariable) run.hasNewVariables = true;
  for (const [index, element] of (elements ?? []).entries()) {
    const variables = elementVariables(item, rule, element, index);
    const copy = copyInstance(run, item, { variables }, created);
    plan(run, { kind: 'createRepeated', item: copy });
    const cause = criterion && 'criterion';
    plan(run, { kind: 'activate', item: copy, criterionId: criterion?.id, cause });
  }
  if (hasOnPart) clearMemory(item);
  else plan(run, { kind: 'terminate', item });
  return 'replaced';
}

/** @throws CmmnError `COLLECTION_TOO_LARGE` */
function readCollection(
  run: Run,
  item: LivePlanItem,
  rule: RepetitionRule,
): readonly JsonValue[] | undefined {
  if (!rule.collection) return undefined;
  const value = evaluateJson(run, rule.collection, item.caseInstance, item);
  if (value === null) return undefined;
  if (!Array.isArray(value)) {
    const message = `${rule.collection.text} of "${item.name}" is not a list.`;
    throw new CmmnError('EXPRESSION_ERROR', message, {
      planItemInstanceId: item.id,
      elementId: item.planItem.id,
      expression: rule.collection.text,
    });
  }
  const elements = value as readonly JsonValue[];
  const { maxCollectionSize } = run.limits;
  if (elements.length <= maxCollectionSize) return elements;
  const message = `"${item.name}" would be repeated for more than ${maxCollectionSize} elements.`;
  throw new CmmnError('COLLECTION_TOO_LARGE', message, { planItemInstanceId: item.id });
}

function elementVariables(
  item: LivePlanItem,
  rule: RepetitionRule,
  element: JsonValue,
  index: number,
): Variables {
  return {
    ...counterVariables(item.planItem, index + 1),
    ...(rule.elementVariable ? { [rule.elementVariable]: element } : {}),
    ...(rule.elementIndexVariable ? { [rule.elementIndexVariable]: index } : {}),
  };
}

/** How an instance has ended, as repetition distinguishes it. */
export interface Ending {
  readonly from: PlanItemState | undefined;
  readonly kind: 'complete' | 'occur' | 'exit' | 'terminate' | 'fault';
  /** An exit type spares some instances, so those that it ends are replaced. */
  readonly hasExitType: boolean;
}

/**
 * The follow-up of an instance that has ended: without entry criteria the next one starts at once, as in a
 * do-while loop; with entry criteria an instance that ended before it could start leaves a twin behind.
 * @returns whether there is a follow-up
 */
export function repeatAtEnd(run: Run, item: LivePlanItem, ending: Ending): boolean {
  const { planItem, caseInstance } = item;
  const rule = planItem.itemControl.repetitionRule;
  if (!rule || planItem.isEventListener || rule.collection || isEnded(caseInstance)) return false;
  const startsAtOnce = planItem.entryCriteria.length === 0;
  const isFollowed = startsAtOnce ? goesOn(run, item, ending) : hasNeverStarted(item, ending);
  if (!isFollowed || hasTwin(run, item)) return false;
  const next = createTwin(run, item);
  if (startsAtOnce) plan(run, { kind: 'activate', item: next });
  return true;
}

/** Done, or ended by an exit type: the rule is asked, inside a stage for the room in it too. */
function goesOn(run: Run, item: LivePlanItem, { kind, hasExitType }: Ending): boolean {
  const isDone = kind === 'complete' || (kind === 'exit' && hasExitType);
  return isDone && mayRepeat(run, item, item.stage);
}

/** The rule does not matter: it will be asked when an entry criterion is satisfied. */
function hasNeverStarted({ state, stage }: LivePlanItem, { from }: Ending): boolean {
  const isParentOpen = !stage || !isTerminal(stage.state);
  return from === 'available' && state === 'terminated' && isParentOpen;
}

/** Inside a stage there is never more than one instance that waits; at the top level Flowable does not look. */
function hasTwin(run: Run, { stage, planItem }: LivePlanItem): boolean {
  if (!stage) return false;
  countVisits(run.agenda, stage.children.length);
  return stage.children.some(
    (sibling) => sibling.planItem === planItem && sibling.state === 'wait_repetition',
  );
}
