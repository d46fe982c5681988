import type { CriterionNode, OnPartNode, PlanItemNode } from '../../model/case-model.ts';
import { countVisits, type StandardEvent } from '../run/agenda.ts';
import type { Container } from '../run/live-case.ts';
import { touch, touchCase } from '../run/live-tree.ts';
import type { Run } from '../run/run.ts';
import { evaluate } from '../variables/expression-scope.ts';

/** The instance (or the case) whose criterion is looked at; it owns the memory of what was satisfied. */
export type SentryOwner = Container;

/**
 * The first criterion, in the order of the model, whose sentry is satisfied (CMMN 1.1, 5.4 and 8.5): entry or
 * exit criteria are alternatives, the on-parts and the if-part of one sentry all have to hold.
 */
export function satisfiedCriterion(
  run: Run,
  owner: SentryOwner,
  criteria: readonly CriterionNode[],
  event: StandardEvent | undefined,
): CriterionNode | undefined {
  for (const criterion of criteria) {
    if (isSatisfied(run, owner, criterion, event)) return criterion;
  }
  return undefined;
}

function isSatisfied(
  run: Run,
  owner: SentryOwner,
  criterion: CriterionNode,
  event: StandardEvent | undefined,
): boolean {
  const { onParts, ifPart } = criterion;
  const [first] = onParts;
  if (!first) return !ifPart || conditionHolds(run, owner, criterion);
  if (onParts.length === 1 && !ifPart) return event !== undefined && matches(owner, first, event);
  return isSatisfiedInParts(run, owner, criterion, event);
}

/** Whether the criterion can be satisfied by an event only, as far as its on-parts have been so far. */
export function needsEvent(owner: SentryOwner, criterion: CriterionNode): boolean {
  const { onParts, ifPart, triggerMode } = criterion;
  if (onParts.length === 0) return false;
  if (onParts.length === 1 && !ifPart) return true;
  const memory = triggerMode === 'onEvent' ? momentaryMemory(owner) : lastingMemory(owner);
  const asksNow = ifPart && triggerMode === 'default' && !memory.has(ifPart.id);
  return !asksNow && onParts.some((part) => !memory.has(part.id));
}

/** Several parts: what has been satisfied is remembered, by default until the owner starts or ends. */
function isSatisfiedInParts(
  run: Run,
  owner: SentryOwner,
  criterion: CriterionNode,
  event: StandardEvent | undefined,
): boolean {
  const { onParts, ifPart, triggerMode } = criterion;
  countVisits(run.agenda, onParts.length);
  const memory = triggerMode === 'onEvent' ? momentaryMemory(owner) : lastingMemory(owner);
  if (event) {
    for (const part of onParts) {
      if (!memory.has(part.id) && matches(owner, part, event)) memory.add(part.id);
    }
  }
  const onPartsHold = onParts.every((part) => memory.has(part.id));
  if (!ifPart) return onPartsHold;
  const isAsked = !memory.has(ifPart.id) && (triggerMode === 'default' || onPartsHold);
  if (isAsked && conditionHolds(run, owner, criterion)) memory.add(ifPart.id);
  return onPartsHold && memory.has(ifPart.id);
}

/** An if-part holds when it is the boolean true, nothing else. */
function conditionHolds(run: Run, owner: SentryOwner, { ifPart }: CriterionNode): boolean {
  if (!ifPart) return false;
  const value = owner.isCase
    ? evaluate(run, ifPart.condition, owner)
    : evaluate(run, ifPart.condition, owner.caseInstance, owner);
  return value === true;
}

/** Whether the event is the one that the on-part waits for. */
function matches(owner: SentryOwner, part: OnPartNode, event: StandardEvent): boolean {
  if (part.kind === 'caseFileItem' || event.kind === 'caseFileItem') {
    return matchesCaseFileItem(part, event);
  }
  if (part.source !== event.item.planItem || part.standardEvent !== event.transition) return false;
  if (part.exitCriterionRef && part.exitCriterionRef !== event.exitCriterionId) return false;
  return owner.isCase || isInReach(owner.planItem, owner.stage?.id, event);
}

/** Flowable's rule: siblings react to each other only inside the same instance of their stage. */
function isInReach(
  planItem: PlanItemNode,
  stageInstanceId: string | undefined,
  event: Extract<StandardEvent, { kind: 'planItem' }>,
): boolean {
  return event.item.planItem.parent !== planItem.parent || event.item.stage?.id === stageInstanceId;
}

/** Case file items are variables: `replace` and `update` are the same (CMMN 1.1, 8.3). */
function matchesCaseFileItem(part: OnPartNode, event: StandardEvent): boolean {
  if (part.kind !== 'caseFileItem' || event.kind !== 'caseFileItem') return false;
  const wanted = part.standardEvent === 'replace' ? 'update' : part.standardEvent;
  return part.variableName === event.variableName && wanted === event.transition;
}

interface Memory {
  has(partId: string): boolean;
  add(partId: string): void;
}

function lastingMemory(owner: SentryOwner): Memory {
  const { satisfiedParts = [] } = owner;
  const many = satisfiedParts.length > 8 ? new Set(satisfiedParts) : undefined;
  return {
    has: (partId) => many?.has(partId) ?? owner.satisfiedParts?.includes(partId) ?? false,
    add: (partId) => {
      many?.add(partId);
      owner.satisfiedParts = [...(owner.satisfiedParts ?? []), partId];
      if (owner.isCase) touchCase(owner);
      else touch(owner);
    },
  };
}

function momentaryMemory(owner: SentryOwner): Set<string> {
  const memory = owner.momentaryParts ?? new Set();
  owner.momentaryParts = memory;
  return memory;
}

/** Forgets what was satisfied: when the owner starts, is enabled or ends. */
export function clearMemory(owner: SentryOwner): void {
  owner.momentaryParts?.clear();
  if (!owner.satisfiedParts?.length) return;
  owner.satisfiedParts = [];
  if (owner.isCase) touchCase(owner);
  else touch(owner);
}

/** Whether a sentry of the model waits for the event: if not, it changes nothing by itself. */
export function isHeard(event: StandardEvent | undefined): boolean {
  if (!event) return false;
  return event.kind === 'caseFileItem' || event.item.planItem.heard.has(event.transition);
}
