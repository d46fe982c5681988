import { CmmnError } from '../cmmn-error.ts';
import { readProcessVariables } from '../elements/parameters.ts';
import { isTerminal, type PlanItemState } from '../model/transition.ts';
import { blockingPlanItem } from './blocking-plan-item.ts';
import { requireCaseCompletable } from './case-operations.ts';
import type { Command, CommandType } from './command.ts';
import { judge } from './completion.ts';
import { evaluateText } from './expression-scope.ts';
import { isEnded, type LiveCase, type LivePlanItem } from './live-case.ts';
import { openCase } from './open-case.ts';
import { hasRole, planDiscretionaryItem } from './planning.ts';
import { reactivateCase } from './reactivation.ts';
import { addTransient, findCase, latestDefinition, plan, planEvaluation, type Run } from './run.ts';
import { fireDueTimers, resumeCase, suspendCase } from './suspension.ts';
import {
  checkNames,
  removeCaseVariables,
  setCaseVariables,
  setLocalVariables,
  setVariable,
  setVariables,
} from './variables.ts';

type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;
type Handlers = { readonly [Type in CommandType]: (run: Run, command: CommandOf<Type>) => void };
type PlanItemCommand = CommandOf<'trigger' | 'completeStage'> | CommandOf<'completeTask'>;

/** Plans the operations of a command; what follows from them, the agenda does. */
export function handle<Type extends CommandType>(run: Run, command: CommandOf<Type>): void {
  const handler = HANDLERS[command.type as Type] as (run: Run, command: CommandOf<Type>) => void;
  handler(run, command);
}

const HANDLERS: Handlers = {
  start(run, command) {
    const { definitionKey, tenantId, name, businessKey, businessStatus } = command;
    const deployed = latestDefinition(run, definitionKey, tenantId);
    addTransient(run, checked(command.transientVariables));
    openCase(run, deployed, {
      id: command.caseInstanceId,
      tenantId,
      name,
      businessKey,
      businessStatus,
      variables: command.variables,
    });
  },

  completeTask(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    const { definition } = item.planItem;
    requireState(item, item.state === 'active' && definition.type === 'humanTask', 'complete');
    setAll(run, item, command);
    if (definition.type === 'humanTask' && definition.taskCompleterVariableName) {
      setVariable(run, item, definition.taskCompleterVariableName, run.environment.user ?? null);
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
    item.childVariables = checked(command.childVariables);
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

  suspendPlanItem(run, command) {
    const item = activeItem(run, command.planItemInstanceId);
    const { state } = item;
    const mayRest = ['available', 'enabled', 'disabled', 'active'].includes(state ?? '');
    requireState(item, mayRest, 'suspend');
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
    requireState(item, item.planItem.definition.type === 'externalWorkerTask', 'complete');
    setAll(run, item, command);
    plan(run, { kind: 'complete', item });
  },

  failExternalWork(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'fail');
    requireState(item, item.planItem.definition.type === 'externalWorkerTask', 'fail');
    setAll(run, item, command);
    plan(run, { kind: 'fault', item });
  },

  endProcess(run, command) {
    const item = itemInState(run, command.planItemInstanceId, 'active', 'end the process of');
    const { definition } = item.planItem;
    requireState(item, definition.type === 'processTask', 'end the process of');
    setAll(run, item, command);
    const { outcome, processVariables } = command;
    if (outcome === 'completed' && definition.type === 'processTask') {
      readProcessVariables(run, item, definition.outParameters, checked(processVariables) ?? {});
    }
    const kinds = { completed: 'complete', terminated: 'terminate', failed: 'fault' } as const;
    plan(run, { kind: kinds[outcome], item });
  },

  fireTimer(run, { planItemInstanceId }) {
    const item = activeItem(run, planItemInstanceId);
    const isDue = item.timer !== undefined && Date.parse(item.timer.dueAt) <= run.environment.now;
    requireState(item, item.state === 'available' && isDue, 'fire before it is due');
    run.behaviors[item.planItem.definition.type].onTrigger?.(run, item);
  },

  completeCase(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, checked(command.transientVariables));
    setCaseVariables(run, caseInstance, command.variables);
    if (!command.force && !caseInstance.completable) {
      requireCaseCompletable(run, caseInstance, true);
      throw new CmmnError('CASE_NOT_COMPLETABLE', 'The case cannot be completed yet.', {
        caseInstanceId: caseInstance.id,
      });
    }
    plan(run, { kind: 'completeCase', caseInstance });
  },

  terminate(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (isEnded(caseInstance)) throw notActive(caseInstance);
    plan(run, { kind: 'terminateCase', caseInstance });
  },

  suspend(run, command) {
    suspendCase(run, activeCase(run, command.caseInstanceId));
  },

  resume(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (caseInstance.state !== 'suspended') throw notActive(caseInstance);
    resumeCase(run, caseInstance);
  },

  reactivate(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (!isEnded(caseInstance)) {
      const { id: caseInstanceId, state } = caseInstance;
      const details = { caseInstanceId, state };
      throw new CmmnError('CASE_NOT_ENDED', `The case is ${state}: it has not ended.`, details);
    }
    addTransient(run, checked(command.transientVariables));
    setCaseVariables(run, caseInstance, command.variables);
    reactivateCase(run, caseInstance);
  },

  setVariables(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, checked(command.transientVariables));
    setCaseVariables(run, caseInstance, command.variables);
    run.touched.add(caseInstance);
  },

  removeVariables(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    removeCaseVariables(run, caseInstance, command.names);
    for (const variableName of command.names) {
      if (!caseInstance.model.heardVariables.has(variableName)) continue;
      run.touched.add(caseInstance);
      planEvaluation(run, caseInstance, {
        kind: 'caseFileItem',
        variableName,
        transition: 'delete',
      });
    }
  },

  evaluate(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    run.touched.add(caseInstance);
    fireDueTimers(run, caseInstance);
  },

  signal(run, command) {
    const root = activeCase(run, command.caseInstanceId);
    addTransient(run, checked(command.transientVariables));
    setCaseVariables(run, root, command.variables);
    run.touched.add(root);
    const receivers = command.caseInstanceId === undefined ? run.cases : [root];
    for (const caseInstance of receivers) {
      if (caseInstance.state === 'active') deliverSignal(run, caseInstance, command.name);
    }
  },

  plan(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, checked(command.transientVariables));
    setCaseVariables(run, caseInstance, command.variables);
    const { discretionaryItemId, containerInstanceId, roles } = command;
    planDiscretionaryItem(run, caseInstance, discretionaryItemId, containerInstanceId, roles);
  },
};

/** Raises every available signal listener that waits for the name. */
function deliverSignal(run: Run, caseInstance: LiveCase, name: string): void {
  for (const item of [...caseInstance.planItems]) {
    const { definition } = item.planItem;
    if (definition.type !== 'signalEventListener' || item.state !== 'available') continue;
    if (evaluateText(run, definition.signalRef, caseInstance, item) !== name) continue;
    run.behaviors[definition.type].onTrigger?.(run, item);
  }
}

function checked<Given extends Parameters<typeof checkNames>[0]>(variables: Given): Given {
  checkNames(variables);
  return variables;
}

/** Transient variables first, so that expressions see them; then the instance's own, then the others. */
function setAll(
  run: Run,
  item: LivePlanItem,
  command: Pick<PlanItemCommand, 'variables' | 'localVariables' | 'transientVariables'>,
): void {
  addTransient(run, checked(command.transientVariables));
  setLocalVariables(run, item, command.localVariables);
  setVariables(run, item, command.variables);
}

/** The root case, or the one with the id. @throws CmmnError `CASE_NOT_FOUND` */
function caseOf(run: Run, id: string | undefined): LiveCase {
  const found = id === undefined ? run.cases[0] : findCase(run, id);
  if (found) return found;
  throw new CmmnError('CASE_NOT_FOUND', `There is no case "${id ?? ''}".`, { caseInstanceId: id });
}

/** @throws CmmnError `CASE_SUSPENDED`, `CASE_NOT_ACTIVE` */
function activeCase(run: Run, id: string | undefined): LiveCase {
  const caseInstance = caseOf(run, id);
  if (caseInstance.state !== 'active') throw notActive(caseInstance);
  return caseInstance;
}

function notActive({ id: caseInstanceId, state }: LiveCase): CmmnError {
  const code = state === 'suspended' ? 'CASE_SUSPENDED' : 'CASE_NOT_ACTIVE';
  return new CmmnError(code, `The case is ${state}.`, { caseInstanceId, state });
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
