import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { allowedActions } from '../../domain/tasks/task-actions.ts';
import type { TaskCaller } from '../../domain/tasks/task-caller.ts';
import type { ListedTask } from '../../domain/tasks/task-filter.ts';
import type { TaskDraft } from '../../store/tasks/task-notes.ts';
import type { CompletedTask } from '../../tasks/task-completion.ts';
import { statusOf } from '../../tasks/task-guard.ts';

interface Shown {
  readonly caller: TaskCaller;
  readonly draft?: TaskDraft | undefined;
  readonly variables?: ListedTask['variables'] | undefined;
}

/** A task as its caller sees it. */
export function toTask(task: TaskRecord, { caller, draft, variables }: Shown) {
  const { taskId, tenantCode, caseInstanceId, workflowCode, definitionVersion, caseName } = task;
  const { businessKey, entityType, entityId, taskDefinitionKey, stageInstanceId, name } = task;
  const { description, owner, delegationState, candidateUsers, candidateGroups, priority } = task;
  const { dueDate, category, formKey, createdAt, claimedAt, completedAt, completedBy } = task;
  return {
    ...{ taskId, engineTaskId: taskId, name, description, status: statusOf(task) },
    // A task that was completed without a claim shows its completer.
    assignee: task.assignee ?? completedBy,
    ...{ owner, delegationState, candidateUsers, candidateGroups, priority, dueDate, category },
    ...{ formKey, taskDefinitionKey, planItemInstanceId: taskId, stageInstanceId },
    ...{ caseInstanceId, caseName, workflowCode, definitionVersion, tenantCode, businessKey },
    ...{ entityType, entityId, createdAt, claimedAt, completedAt, completedBy },
    ...{ cancelReason: task.cancelReason, outcome: task.outcome },
    // A draft goes with the completion.
    hasDraft: task.hasDraft === true && task.status !== 'COMPLETED',
    ...{ draft, variables },
    allowedActions: allowedActions(task, caller),
    version: task.version,
    engine: task.engine ?? ('CMMN' as const),
    processInstanceId: task.processInstanceId,
  };
}

/** What a completion has led to. */
export const toCompletion = ({ task, caller, case: around, nextTasks }: CompletedTask) => ({
  task: toTask(task, { caller }),
  case: around,
  nextTasks: nextTasks.map((next) => toTask(next, { caller })),
});
