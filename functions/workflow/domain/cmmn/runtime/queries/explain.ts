import { CmmnError } from '../../basics/cmmn-error.ts';
import type { JsonValue } from '../../basics/json.ts';
import type { EngineState } from '../../contract/state.ts';
import type { CriterionNode, OnPartNode } from '../../model/case-model.ts';
import type { PlanItemState } from '../../model/transition.ts';
import { isAutoComplete, judge } from '../rules/completion.ts';
import type { Container, LiveCase, LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { evaluateJson } from '../variables/expression-scope.ts';
import { createQuery, type QueryEnvironment, queriedCase } from './queries.ts';

/** An on-part, and whether it has been seen. One that stands alone needs no memory: it is never "seen". */
interface ExplainedOnPart {
  readonly id: string;
  /** Id and name of the plan item, or name of the case file item, that it waits for. */
  readonly source: string;
  readonly sourceName?: string;
  readonly standardEvent: string;
  readonly isSeen: boolean;
}

/** An if-part with what its condition says now, or why it says nothing. */
interface ExplainedIfPart {
  readonly condition: string;
  readonly isSatisfied: boolean;
  readonly value?: JsonValue;
  readonly error?: string;
}

/** A criterion that is waited for. */
interface ExplainedCriterion {
  readonly id: string;
  readonly onParts: readonly ExplainedOnPart[];
  readonly ifPart?: ExplainedIfPart;
}

/** A child that keeps its stage or case from completing. */
interface ExplainedChild {
  readonly id: string;
  readonly name: string;
  readonly definitionKey: string;
  readonly state: PlanItemState;
  /** It blocks in any case, or only keeps the parent from completing by itself. */
  readonly effect: 'blocks' | 'waits';
}

/** Why a plan item instance waits, or stays open. */
export interface Explanation {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Any one of these lets the instance start; empty when it does not wait for one. */
  readonly entryCriteria: readonly ExplainedCriterion[];
  /** Any one of these ends it. */
  readonly exitCriteria: readonly ExplainedCriterion[];
  /** Of a stage or case: whether a person may complete it now, whether it completes by itself, and what is in the way. */
  readonly completion?: {
    readonly isCompletable: boolean;
    readonly isAutoComplete: boolean;
    readonly openChildren: readonly ExplainedChild[];
  };
  /** Of a timer: when it is due. */
  readonly dueAt?: string;
  /** Of a case task: the case that it waits for. */
  readonly childCaseInstanceId?: string;
}

/**
 * Says why a plan item instance, or a whole case, waits or stays open. Changes nothing.
 * @param id id of a plan item instance or of a case
 * @throws CmmnError `PLAN_ITEM_NOT_FOUND`
 */
export function explain(
  state: EngineState,
  id: string,
  environment: QueryEnvironment,
): Explanation {
  const run = createQuery(state, environment);
  for (const caseInstance of run.cases) {
    if (caseInstance.id === id) return explainCase(run, queriedCase(run, id));
    const item = caseInstance.planItems.find((candidate) => candidate.id === id);
    if (item) return explainItem(run, item);
  }
  const message = `There is no plan item instance "${id}", or it has ended.`;
  throw new CmmnError('PLAN_ITEM_NOT_FOUND', message, { planItemInstanceId: id });
}

function explainCase(run: Run, caseInstance: LiveCase): Explanation {
  const { id, name, state, model } = caseInstance;
  const isOpen = state === 'active' || state === 'suspended';
  return {
    id,
    name: name ?? model.definition.key,
    state,
    entryCriteria: [],
    exitCriteria: isOpen ? explainAll(run, caseInstance, model.exitCriteria) : [],
    completion: isOpen ? explainCompletion(run, caseInstance) : undefined,
  };
}

function explainItem(run: Run, item: LivePlanItem): Explanation {
  const { id, name, state, planItem } = item;
  const awaitsEntry = state === 'available' || state === 'wait_repetition';
  return {
    id,
    name,
    state: state ?? 'available',
    entryCriteria: awaitsEntry ? explainAll(run, item, planItem.entryCriteria) : [],
    exitCriteria: explainAll(run, item, planItem.exitCriteria),
    completion: planItem.isStage && state === 'active' ? explainCompletion(run, item) : undefined,
    dueAt: item.timer?.dueAt,
    childCaseInstanceId: item.childCaseInstanceId,
  };
}

const explainAll = (
  run: Run,
  owner: Container,
  criteria: readonly CriterionNode[],
): ExplainedCriterion[] => criteria.map((criterion) => explainCriterion(run, owner, criterion));

function explainCriterion(
  run: Run,
  owner: Container,
  { id, onParts, ifPart }: CriterionNode,
): ExplainedCriterion {
  const seen = new Set(owner.satisfiedParts);
  return {
    id,
    onParts: onParts.map((part) => explainOnPart(part, seen)),
    ifPart: ifPart && explainIfPart(run, owner, ifPart, seen),
  };
}

function explainOnPart(part: OnPartNode, seen: ReadonlySet<string>): ExplainedOnPart {
  const { id, standardEvent } = part;
  const isSeen = seen.has(id);
  if (part.kind === 'caseFileItem') return { id, source: part.variableName, standardEvent, isSeen };
  const { source } = part;
  const sourceName = source.item.name ?? source.definition.name;
  return { id, source: source.id, sourceName, standardEvent, isSeen };
}

/** Once true, an if-part stays satisfied as long as its on-parts are waited for. */
function explainIfPart(
  run: Run,
  owner: Container,
  ifPart: NonNullable<CriterionNode['ifPart']>,
  seen: ReadonlySet<string>,
): ExplainedIfPart {
  const { condition, id } = ifPart;
  const caseInstance = owner.isCase ? owner : owner.caseInstance;
  const item = owner.isCase ? undefined : owner;
  try {
    const value = evaluateJson(run, condition, caseInstance, item);
    const isSatisfied = value === true || seen.has(id);
    return { condition: condition.text, isSatisfied, value };
  } catch (error) {
    const isSatisfied = seen.has(id);
    return { condition: condition.text, isSatisfied, error: (error as Error).message };
  }
}

/** Judges every child alone: the others do not count meanwhile. */
function explainCompletion(run: Run, container: Container): Explanation['completion'] {
  const isAuto = isAutoComplete(run, container);
  const openChildren = container.children.flatMap((child): ExplainedChild[] => {
    const { isCompletable, shouldComplete } = judge(
      run,
      { ...container, children: [child] },
      isAuto,
    );
    if (isCompletable && shouldComplete) return [];
    return [
      {
        id: child.id,
        name: child.name,
        definitionKey: child.planItem.definition.id,
        state: child.state ?? 'available',
        effect: isCompletable ? 'waits' : 'blocks',
      },
    ];
  });
  return { isCompletable: container.completable ?? false, isAutoComplete: isAuto, openChildren };
}
