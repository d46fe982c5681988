import type { CaseDetails } from '../../cases/case-details.ts';
import { MAX_SHOWN } from '../../cases/case-details.ts';
import type { PlanItemAction } from '../../cases/plan-item-commands.ts';
import { type CaseHead, headOf } from '../../domain/cases/case-facts.ts';
import type { HistoryEntry } from '../../domain/cases/history.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import type { Command, PlanItemView } from '../../domain/cmmn/index.ts';
import type { TaskCaller } from '../../domain/tasks/task-caller.ts';
import type { EndedPlanItem } from '../../store/cases/case-records.ts';
import { toTask } from '../tasks/task-views.ts';
import { AnswerRoom } from './answer-room.ts';

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
  repetitionCounter,
}: PlanItemView) {
  const { id, planItemId, name, state, stageInstanceId, completable, variables } = instance;
  const isHumanTask = definitionType === 'humanTask';
  const actions = allowedCommands.flatMap((command) => ACTIONS[command] ?? []);
  const allowed = isHumanTask ? actions.filter((action) => action !== 'trigger') : actions;
  const isTriggerable = allowed.some((action) => ['trigger', 'start', 'complete'].includes(action));
  return {
    ...{ id, planItemId, planItemDefinitionKey: definitionKey, name, type: definitionType },
    ...{ state, stageInstanceId, completable, repetitionCounter, localVariables: variables },
    createdAt: instance.createdAt,
    startedAt: instance.startedAt,
    assignee: instance.task?.assignee,
    taskId: isHumanTask && instance.task ? id : undefined,
    childCaseInstanceId: instance.childCaseInstanceId,
    dueAt: instance.timer?.dueAt,
    triggerable: isTriggerable,
    allowedActions: allowed,
  };
}

interface EndedItem extends EndedPlanItem {
  readonly task?: TaskRecord | undefined;
}

/** A plan item that has ended. */
export const toEndedPlanItem = ({ definitionKey, definitionType, task, ...item }: EndedItem) => ({
  ...item,
  planItemDefinitionKey: definitionKey,
  type: definitionType,
  assignee: task?.assignee ?? task?.completedBy,
  taskId: task?.taskId,
  triggerable: false,
  allowedActions: [],
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

/** A case with what is open in it, as the caller sees its tasks. */
export function toCase(
  { instance, facts, version, isTruncated, ...open }: CaseDetails,
  caller: TaskCaller,
) {
  const head = headOf(instance, facts, instance.id);
  const shown = { caller, variables: head.taskVariables };
  const room = new AnswerRoom();
  const variables = room.take(instance.variables);
  const planItems = open.planItems.map((item) => {
    const { localVariables, ...view } = toPlanItem(item);
    return { ...view, localVariables: localVariables && room.take(localVariables) };
  });
  return {
    ...toCaseHead(head),
    ...{ variables, planItems },
    tasks: open.tasks.map((task) => toTask(task, shown)),
    milestones: open.milestones,
    truncated: isTruncated || room.isCut,
    version,
  };
}

/** An entry of a history. */
export const toHistory = ({ id, at, by, command, changes }: HistoryEntry) => ({
  ...{ id, at, by, command },
  changes: changes.slice(0, MAX_SHOWN),
  truncated: changes.length > MAX_SHOWN,
});
