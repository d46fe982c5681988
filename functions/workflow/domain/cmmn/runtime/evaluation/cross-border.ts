import type { CriterionNode, PlanItemNode } from '../../model/case-model.ts';
import { instantiate } from '../instances/plan-item-instances.ts';
import { createTwin } from '../instances/repetition.ts';
import { satisfiedCriterion } from '../rules/sentry.ts';
import type { StandardEvent } from '../run/agenda.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { instancesOf } from '../run/live-tree.ts';
import { plan, type Run } from '../run/run.ts';
import { ruleHolds } from '../variables/expression-scope.ts';

type PlanItemEvent = Extract<StandardEvent, { kind: 'planItem' }>;

/**
 * Enters plan items that have no instance because their stage has not started: an entry criterion with an
 * on-part outside of that stage creates the item and the stages around it
 * (CMMN 1.1, 8.4; Flowable).
 */
export function enterAcrossBorders(run: Run, event: PlanItemEvent): void {
  const { planItem: source, caseInstance } = event.item;
  for (const target of source.entryDependents) {
    const mentioning = target.entryCriteria.filter((criterion) => mentions(criterion, event));
    if (mentioning.length === 0 || liesInside(source, target)) continue;
    if (!mayEnter(run, caseInstance, target) || isResting(caseInstance, target)) continue;
    const criterion = satisfiedCriterion(run, caseInstance, mentioning, event);
    if (criterion) enter(run, caseInstance, target, criterion);
  }
}

/** Whether the source is, at any depth, in the stage of the target. */
function liesInside(source: PlanItemNode, target: PlanItemNode): boolean {
  let node: PlanItemNode | undefined = source;
  while (node) {
    if (node.parent === target.parent) return true;
    node = node.parent.plannedBy[0];
  }
  return false;
}

const mentions = (criterion: CriterionNode, { item, transition }: PlanItemEvent): boolean =>
  criterion.onParts.some(
    (part) =>
      part.kind === 'planItem' &&
      part.source === item.planItem &&
      part.standardEvent === transition,
  );

/**
 * Without an instance that lives or has ended in this command: the first time, or again when the repetition
 * rule, asked on the case, allows it.
 */
function mayEnter(run: Run, caseInstance: LiveCase, target: PlanItemNode): boolean {
  if (instancesInTree(caseInstance, target).length > 0) return false;
  const hadOne = caseInstance.endedCounts[target.id] !== undefined;
  return !hadOne || ruleHolds(run, target.itemControl.repetitionRule, caseInstance);
}

/** A suspended stage is not entered: nothing in it reacts to events until it is resumed (CMMN 1.1, 8.4). */
const isResting = (caseInstance: LiveCase, target: PlanItemNode): boolean =>
  stagesAround(target).some(
    (stage) => instancesInTree(caseInstance, stage)[0]?.state === 'suspended',
  );

function enter(
  run: Run,
  caseInstance: LiveCase,
  target: PlanItemNode,
  criterion: CriterionNode,
): void {
  const stages = stagesAround(target);
  const fresh = new Set<LivePlanItem>();
  let parent: LivePlanItem | undefined;
  for (const stage of stages) {
    const existing = instancesInTree(caseInstance, stage)[0];
    parent = existing ?? instantiate(run, caseInstance, stage, parent);
    if (!existing) fresh.add(parent);
  }
  const item = instantiate(run, caseInstance, target, parent);
  plan(run, { kind: 'create', item });
  const repeats = ruleHolds(run, target.itemControl.repetitionRule, caseInstance, item);
  if (repeats) createTwin(run, item, []);
  plan(run, { kind: 'activate', item, criterionId: criterion.id, cause: 'criterion' });
  for (const stage of stages.reverse()) activateStage(run, caseInstance, stage, fresh);
}

function activateStage(
  run: Run,
  caseInstance: LiveCase,
  stage: PlanItemNode,
  fresh: ReadonlySet<LivePlanItem>,
): void {
  for (const instance of instancesInTree(caseInstance, stage)) {
    if (instance.state === 'active' || instance.state === 'suspended') continue;
    if (fresh.has(instance)) plan(run, { kind: 'create', item: instance });
    plan(run, { kind: 'activate', item: instance });
  }
}

/** The stages around a plan item, outermost first. */
function stagesAround(target: PlanItemNode): PlanItemNode[] {
  const stages: PlanItemNode[] = [];
  let stage = target.parent.plannedBy[0];
  while (stage) {
    stages.unshift(stage);
    stage = stage.parent.plannedBy[0];
  }
  return stages;
}

/**
 * Whether the instance is in the tree; so are those that have ended in this command, but no twin
 * that the evaluation under way has made to wait for the next event.
 */
const isInTree = (item: LivePlanItem): boolean => item.position !== undefined;

const instancesInTree = (caseInstance: LiveCase, planItem: PlanItemNode): LivePlanItem[] =>
  instancesOf(caseInstance, planItem).filter(isInTree);
