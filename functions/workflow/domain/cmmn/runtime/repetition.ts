import { CmmnError } from '../cmmn-error.ts';
import type { JsonValue, Variables } from '../json.ts';
import type { CriterionNode } from '../model/case-model.ts';
import type { RepetitionRule } from '../model/item-control.ts';
import { isTerminal, type PlanItemState } from '../model/transition.ts';
import { countVisits } from './agenda.ts';
import { evaluateJson, ruleHolds } from './expression-scope.ts';
import { type Container, containerOf, isEnded, type LivePlanItem } from './live-case.ts';
import { copyInstance, counterOf, counterVariables } from './plan-item-instances.ts';
import { plan, type Run } from './run.ts';
import { clearMemory } from './sentry.ts';

/** What the repetition rule says when an instance could be activated. */
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
  created: LivePlanItem[],
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
 * @param container undefined: room is no question
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
  created: LivePlanItem[],
): RepetitionVerdict {
  if (hasElement(rule, item)) return 'activate';
  const elements = readCollection(run, item, rule);
  const hasOnPart = item.planItem.entryCriteria.some((entry) => entry.onParts.length > 0);
  if (!elements && !hasOnPart) return 'refuse';
  for (const [index, element] of (elements ?? []).entries()) {
    const variables = elementVariables(item, rule, element, index);
    const copy = copyInstance(run, item, { state: 'wait_repetition', variables }, created);
    plan(run, { kind: 'createRepeated', item: copy });
    plan(run, { kind: 'activate', item: copy, criterionId: criterion?.id });
  }
  if (hasOnPart) clearMemory(item);
  else plan(run, { kind: 'terminate', item });
  return 'replaced';
}

const hasElement = (rule: RepetitionRule, { variables }: LivePlanItem): boolean =>
  rule.elementVariable !== undefined && Object.hasOwn(variables ?? {}, rule.elementVariable);

/** @throws CmmnError `COLLECTION_TOO_LARGE` */
function readCollection(
  run: Run,
  item: LivePlanItem,
  rule: RepetitionRule,
): readonly JsonValue[] | undefined {
  if (!rule.collection) return undefined;
  const value = evaluateJson(run, rule.collection, item.caseInstance, item);
  if (value === null) return undefined;
  const elements = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
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

/** How an instance has ended, as far as repetition asks. */
export interface Ending {
  readonly from: PlanItemState | undefined;
  readonly kind: 'complete' | 'occur' | 'exit' | 'terminate' | 'fault';
  /** An exit type spares some instances, so those that it ends are replaced. */
  readonly hasExitType: boolean;
}

/**
 * The follow-up of an instance that has ended: without entry criteria the next one starts at once, as in a
 * do-while loop; with entry criteria an instance that ended before it could start leaves a twin behind.
 */
export function repeatAtEnd(run: Run, item: LivePlanItem, ending: Ending): void {
  const { planItem } = item;
  const rule = planItem.itemControl.repetitionRule;
  if (!rule || planItem.isEventListener || rule.collection || isContainerEnded(item)) return;
  const container = containerOf(item);
  if (planItem.entryCriteria.length > 0) {
    const neverStarted = ending.from === 'available' && item.state === 'terminated';
    if (neverStarted && !hasTwin(run, item)) createTwin(run, item);
    return;
  }
  const isDone = ending.kind === 'complete' || (ending.kind === 'exit' && ending.hasExitType);
  if (!isDone || hasTwin(run, item) || !mayRepeat(run, item, container)) return;
  const next = createTwin(run, item);
  plan(run, { kind: 'activate', item: next });
}

function hasTwin(run: Run, item: LivePlanItem): boolean {
  const { children } = containerOf(item);
  countVisits(run.agenda, children.length);
  return children.some(
    (sibling) => sibling.planItem === item.planItem && sibling.state === 'wait_repetition',
  );
}

function isContainerEnded({ stage, caseInstance }: LivePlanItem): boolean {
  return isEnded(caseInstance) || (stage !== undefined && isTerminal(stage.state));
}
