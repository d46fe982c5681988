import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Cause } from '../../contract/effect.ts';
import type { CaseState } from '../../contract/state.ts';
import { isTerminal } from '../../model/transition.ts';
import { createChildren } from '../instances/create-children.ts';
import { judge } from '../rules/completion.ts';
import { type CaseOperation, makeRoomFor, type PlanItemOperation } from '../run/agenda.ts';
import { blockingPlanItem } from '../run/blocking-plan-item.ts';
import { isEnded, type LiveCase } from '../run/live-case.ts';
import { touchCase } from '../run/live-tree.ts';
import { caseFactsOf, emit, plan, planEvaluation, type Run } from '../run/run.ts';
import { type CaseEnding, caseHasEnded } from './case-callback.ts';

type OperationOf<Kind extends CaseOperation['kind']> = Extract<CaseOperation, { kind: Kind }>;

/** Creates the instances of the plan model (CMMN 1.1, 8.4): the case has started. */
export function initPlanModel(run: Run, { caseInstance }: OperationOf<'initPlanModel'>): void {
  run.touched.add(caseInstance);
  makeRoomFor(run.agenda, caseInstance.model.planItems.size);
  createChildren(run, caseInstance, caseInstance.model.planModel.children, undefined);
  planEvaluation(run, caseInstance);
}

/** Creates the instances of a stage that has started, but for items that were entered across its border. */
export function initStage(run: Run, { item: stage }: OperationOf<'initStage'>): void {
  stage.isInFlux = false;
  if (isTerminal(stage.state)) return;
  createChildren(run, stage.caseInstance, stage.planItem.stage?.children ?? [], stage);
}

/** The case completes (CMMN 1.1, 8.4 `complete`); what is left in it is terminated. */
export function completeCase(run: Run, { caseInstance, cause }: OperationOf<'completeCase'>): void {
  if (isEnded(caseInstance)) return;
  endChildren(run, caseInstance, { kind: 'terminate', cause: 'parentCompleted' });
  endCase(run, caseInstance, { state: 'completed', how: 'complete', cause });
}

/**
 * The case ends before its work is done: by a command, or because an exit criterion of the plan model was
 * satisfied, which can also complete it (extension of Flowable).
 * @throws CmmnError `CASE_NOT_COMPLETABLE`
 */
export function terminateCase(run: Run, operation: OperationOf<'terminateCase'>): void {
  const { caseInstance, criterionId, exitEventType, cause } = operation;
  if (isEnded(caseInstance)) return;
  const completes = exitEventType === 'complete' || exitEventType === 'forceComplete';
  if (exitEventType === 'complete') {
    requireCaseCompletable(run, caseInstance, caseInstance.model.planModel.definition.autoComplete);
  }
  const kind = criterionId ? 'exit' : 'terminate';
  const ended = kind === 'exit' ? 'parentExited' : 'parentTerminated';
  endChildren(run, caseInstance, {
    kind,
    criterionId,
    cause: completes ? 'parentCompleted' : ended,
  });
  const state = completes ? 'completed' : 'terminated';
  endCase(run, caseInstance, {
    state,
    how: completes ? 'forceComplete' : kind,
    cause,
    criterionId,
  });
}

/** @throws CmmnError `CASE_NOT_COMPLETABLE` when something has to be done first */
export function requireCaseCompletable(
  run: Run,
  caseInstance: LiveCase,
  isAutoComplete: boolean,
): void {
  const { isCompletable, blockedBy } = judge(run, caseInstance, isAutoComplete);
  if (isCompletable) return;
  throw new CmmnError(
    'CASE_NOT_COMPLETABLE',
    `The case cannot be completed${blockedBy ? `: "${blockedBy.name}" is ${blockedBy.state}` : ''}.`,
    { caseInstanceId: caseInstance.id, blockingPlanItem: blockedBy && blockingPlanItem(blockedBy) },
  );
}

function endChildren(
  run: Run,
  caseInstance: LiveCase,
  ending: Pick<PlanItemOperation, 'criterionId' | 'cause'> & {
    readonly kind: 'terminate' | 'exit';
  },
): void {
  for (const item of caseInstance.children) {
    if (!isTerminal(item.state)) plan(run, { ...ending, item });
  }
}

interface CaseEnd {
  readonly state: CaseState;
  readonly how: CaseEnding;
  readonly cause: Cause | undefined;
  readonly criterionId?: string;
}

function endCase(
  run: Run,
  caseInstance: LiveCase,
  { state, how, cause, criterionId }: CaseEnd,
): void {
  caseInstance.state = state;
  caseInstance.endedAt = run.at;
  caseInstance.satisfiedParts = [];
  touchCase(caseInstance);
  run.touched.add(caseInstance);
  emit(run, caseInstance, {
    type: 'caseEnded',
    ...caseFactsOf(caseInstance),
    state,
    cause,
    criterionId,
  });
  caseHasEnded(run, caseInstance, how);
}
