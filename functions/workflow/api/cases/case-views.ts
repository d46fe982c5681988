import type { CaseDetails } from '../../cases/case-details.ts';
import { MAX_SHOWN } from '../../cases/case-details.ts';
import type { PlanItemAction } from '../../cases/plan-item-commands.ts';
import { type CaseFacts, type CaseHead, headOf } from '../../domain/cases/case-facts.ts';
import type { HistoryEntry } from '../../domain/cases/history.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import type { CaseInstance, Command, PlanItemView } from '../../domain/cmmn/index.ts';
import type { EndedPlanItem } from '../../store/cases/case-records.ts';

/** The actions of the API, by the commands that an instance accepts. */
const ACTIONS: Readonly<Partial<Record<Command['type'], PlanItemAction>>> = {
  startPlanItem: 'start',
  enable: 'enable',
  disable: 'disable',
  completeStage: 'complete',
  trigger: 'trigger',
  terminatePlanItem: 'terminate',
  suspendPlanItem: 'suspend',
  resumePlanItem: 'resume',
};

/** A plan item that is open. */
export function toPlanItem({
  instance,
  definitionKey,
  definitionType,
  allowedCommands,
}: PlanItemView) {
  const { id, planItemId, name, state, stageInstanceId, completable, variables } = instance;
  const isHumanTask = definitionType === 'humanTask';
  const actions = allowedCommands.flatMap((command) => ACTIONS[command] ?? []);
  const allowed = isHumanTask ? actions.filter((action) => action !== 'trigger') : actions;
  const isTriggerable = allowed.some((action) => ['trigger', 'start', 'complete'].includes(action));
  return {
    ...{ id, planItemId, planItemDefinitionKey: definitionKey, name, type: definitionType },
    ...{ state, stageInstanceId, completable, localVariables: variables },
    createdAt: instance.createdAt,
    startedAt: instance.startedAt,
    taskId: isHumanTask && instance.task ? id : undefined,
    childCaseInstanceId: instance.childCaseInstanceId,
    dueAt: instance.timer?.dueAt,
    triggerable: isTriggerable,
    allowedActions: allowed,
  };
}

/** A plan item that has ended. */
export const toEndedPlanItem = ({ definitionKey, definitionType, ...item }: EndedPlanItem) => ({
  ...item,
  planItemDefinitionKey: definitionKey,
  type: definitionType,
  triggerable: false,
  allowedActions: [],
});

/** A task within its case. */
const toCaseTask = (task: TaskRecord) => ({
  taskId: task.taskId,
  engineTaskId: task.taskId,
  name: task.name,
  status: task.isSuspended ? 'SUSPENDED' : task.status,
  assignee: task.assignee,
  candidateUsers: task.candidateUsers,
  candidateGroups: task.candidateGroups,
  priority: task.priority,
  dueDate: task.dueDate,
  taskDefinitionKey: task.taskDefinitionKey,
  planItemInstanceId: task.taskId,
  caseInstanceId: task.caseInstanceId,
  createdAt: task.createdAt,
});

/** A case of a list. */
export function toCaseHead({
  familyId: _,
  deploymentId: _deployment,
  isBusinessKeyUnique: _unique,
  taskVariables: _variables,
  ...head
}: CaseHead) {
  return head;
}

/** A case with what is open in it. */
export const toCase = ({ instance, facts, version, isTruncated, ...open }: CaseDetails) => ({
  ...headView(instance, facts),
  variables: instance.variables,
  planItems: open.planItems.map(toPlanItem),
  tasks: open.tasks.map(toCaseTask),
  milestones: open.milestones,
  truncated: isTruncated,
  version,
});

const headView = (instance: CaseInstance, facts: CaseFacts) =>
  toCaseHead(headOf(instance, facts, instance.id));

/** An entry of a history. */
export const toHistory = ({ id, at, by, command, changes }: HistoryEntry) => ({
  ...{ id, at, by, command },
  changes: changes.slice(0, MAX_SHOWN),
  truncated: changes.length > MAX_SHOWN,
});
