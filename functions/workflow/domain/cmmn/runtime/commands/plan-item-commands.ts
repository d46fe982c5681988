import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Command } from '../../contract/command.ts';
import { isTerminal, type PlanItemState } from '../../model/transition.ts';
import { canRest } from '../operations/plan-item-operations.ts';
import { judge } from '../rules/completion.ts';
import { blockingPlanItem } from '../run/blocking-plan-item.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { addTransient, emit, factsOf, plan, type Run, withCause } from '../run/run.ts';
import { setNamedVariable } from '../variables/named-variable.ts';
import { readReturnedVariables } from '../variables/parameters.ts';
import { removeLocalVariables, setLocalVariables, setVariables } from '../variables/variables.ts';
import { notActive } from './case-commands.ts';
import { hasRole } from './planning.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;
type PlanItemCommandType = Extract<Command, { planItemInstanceId: string }>['type'];
type Handlers = {
  readonly [Type in PlanItemCommandType]: (run: Run, command: CommandOf<Type>) => void;
};

/** Commands for one plan item instance (CMMN 1.1, 8.4): who may, in which state, and what is planned. */
export const PLAN_ITEM_COMMANDS: Handlers = {
  completeTask(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    const { definition } = item.planItem;
    requireState(item, item.state === 'active' && definition.type === 'humanTask', 'complete');
    setAll(run, item, command);
    if (definition.type === 'humanTask') {
      const { taskCompleterVariableName } = definition;
      setNamedVariable(run, item, taskCompleterVariableName, run.environment.user ?? null);
    }
    plan(run, { kind: 'complete', item });
  },

  trigger(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    const { definition, isEventListener, isStage } = item.planItem;
    requireState(item, item.state === (isEventListener ? 'available' : 'active'), 'trigger');
    if (definition.type === 'userEventListener') {
      requireRole(item, definition.authorizedRoleRefs, command.roles);
    }
    setAll(run, item, command);
    if (!isStage) return run.behaviors[definition.type].onTrigger?.(run, item);
    requireCompletableStage(run, item);
    plan(run, { kind: 'complete', item });
  },

  enable(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    const mayEnable = item.state === 'disabled' || item.state === 'available';
    requireState(item, mayEnable && !item.planItem.isEventListener, 'enable');
    setAll(run, item, command);
    plan(run, { kind: 'enable', item });
  },

  disable(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'enabled', 'disable');
    setAll(run, item, command);
    plan(run, { kind: 'disable', item });
  },

  startPlanItem(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'enabled', 'start');
    setAll(run, item, command);
    item.childVariables = command.childVariables;
    plan(run, { kind: 'start', item });
  },

  terminatePlanItem(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    setAll(run, item, command);
    plan(run, { kind: 'terminate', item });
  },

  completeStage(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'complete');
    requireState(item, item.planItem.isStage, 'complete as a stage');
    setAll(run, item, command);
    if (!command.force) requireCompletableStage(run, item);
    plan(run, { kind: 'complete', item });
  },

  setLocalVariables(run, { planItemInstanceId, variables }) {
    const item = activeItem(run, planItemInstanceId);
    setLocalVariables(run, item, variables);
    run.touched.add(item.caseInstance);
  },

  removeLocalVariables(run, { planItemInstanceId, names }) {
    const item = activeItem(run, planItemInstanceId);
    removeLocalVariables(run, item, names);
    run.touched.add(item.caseInstance);
  },

  suspendPlanItem(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    requireState(item, canRest(item.state), 'suspend');
    setAll(run, item, command);
    plan(run, { kind: 'suspend', item });
  },

  resumePlanItem(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'suspended', 'resume');
    requireState(item, item.stage?.state !== 'suspended', 'resume inside a suspended stage');
    setAll(run, item, command);
    plan(run, { kind: 'resume', item });
  },

  completeExternalWork(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'complete');
    const { definition } = item.planItem;
    requireState(item, definition.type === 'externalWorkerTask', 'complete');
    const results = definition.type === 'externalWorkerTask' ? definition.outParameters : [];
    if (results.length === 0) setAll(run, item, command);
    else {
      setAll(run, item, { ...command, variables: undefined });
      readReturnedVariables(run, item, results, command.variables ?? {});
    }
    plan(run, { kind: 'complete', item });
  },

  failExternalWork(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'fail');
    requireState(item, item.planItem.definition.type === 'externalWorkerTask', 'fail');
    setAll(run, item, command);
    emit(run, item.caseInstance, {
      type: 'externalWorkFailed',
      ...factsOf(item),
      reason: command.reason,
    });
    plan(run, { kind: 'fault', item });
  },

  endProcess(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'end the process of');
    const { definition } = item.planItem;
    requireState(item, definition.type === 'processTask', 'end the process of');
    setAll(run, item, command);
    const { outcome, processVariables } = command;
    if (outcome === 'completed' && definition.type === 'processTask') {
      readReturnedVariables(run, item, definition.outParameters, processVariables ?? {});
    }
    item.processInstanceId = undefined;
    touch(item);
    const kinds = { completed: 'complete', terminated: 'terminate', failed: 'fault' } as const;
    plan(run, { kind: kinds[outcome], item, cause: 'calledEnded' });
  },

  fireTimer(run, { planItemInstanceId, dueAt }) {
    const item = activeItem(run, planItemInstanceId);
    const { timer } = item;
    const isMeant = dueAt === undefined || timer?.dueAt === dueAt;
    const isDue = timer && isMeant && Date.parse(timer.dueAt) <= run.environment.now;
    requireState(item, item.state === 'available' && isDue === true, 'fire before it is due');
    withCause(run, 'timer', () =>
      run.behaviors[item.planItem.definition.type].onTrigger?.(run, item),
    );
  },
};

/** Transient variables first, so that expressions see them; then the instance's own, then the others. */
function setAll(
  run: Run,
  item: LivePlanItem,
  command: Pick<CommandOf<'completeTask'>, 'variables' | 'localVariables' | 'transientVariables'>,
): void {
  addTransient(run, command.transientVariables);
  setLocalVariables(run, item, command.localVariables);
  setVariables(run, item, command.variables);
}

/** A live instance of an active case. @throws CmmnError `PLAN_ITEM_NOT_FOUND`, `CASE_SUSPENDED` */
function activeItem(run: Run, id: string): LivePlanItem {
  for (const caseInstance of run.cases) {
    const item = caseInstance.planItems.find((candidate) => candidate.id === id);
    if (!item || isTerminal(item.state)) continue;
    if (caseInstance.state !== 'active') throw notActive(caseInstance);
    return item;
  }
  const message = `There is no plan item instance "${id}", or it has ended.`;
  throw new CmmnError('PLAN_ITEM_NOT_FOUND', message, { planItemInstanceId: id });
}

function itemInState(run: Run, id: string, state: PlanItemState, action: string): LivePlanItem {
  const item = activeItem(run, id);
  requireState(item, item.state === state, action);
  return item;
}

/** @throws CmmnError `PLAN_ITEM_ILLEGAL_STATE` */
function requireState(item: LivePlanItem, isAllowed: boolean, action: string): void {
  if (isAllowed) return;
  throw new CmmnError(
    'PLAN_ITEM_ILLEGAL_STATE',
    `"${item.name}" is ${item.state}: cannot ${action}.`,
    { planItemInstanceId: item.id, elementId: item.planItem.id, state: item.state },
  );
}

/** @throws CmmnError `ROLE_MISSING` */
function requireRole(
  item: LivePlanItem,
  authorized: readonly string[] | undefined,
  roles: readonly string[] | undefined,
): void {
  if (hasRole(authorized, roles)) return;
  const message = `"${item.name}" needs one of the roles ${authorized?.join(', ')}.`;
  throw new CmmnError('ROLE_MISSING', message, { planItemInstanceId: item.id });
}

/** A person completes a stage only when its flag says so. @throws CmmnError `STAGE_NOT_COMPLETABLE` */
function requireCompletableStage(run: Run, stage: LivePlanItem): void {
  if (stage.completable) return;
  const { blockedBy } = judge(run, stage, true);
  const reason = blockedBy ? `: "${blockedBy.name}" is ${blockedBy.state}` : '';
  throw new CmmnError('STAGE_NOT_COMPLETABLE', `"${stage.name}" cannot be completed${reason}.`, {
    planItemInstanceId: stage.id,
    blockingPlanItem: blockedBy && blockingPlanItem(blockedBy),
  });
}
