import type { TaskRecord } from '../cases/task-record.ts';
import type { TaskReminderEvent } from './payloads.ts';

/** Reminders of tasks that are due, or will be soon. */
export function reminderEvent(task: TaskRecord, actor: string): TaskReminderEvent {
  const { tenantCode, workflowCode, definitionVersion, caseInstanceId, businessKey } = task;
  const { entityType, entityId, taskId, name, description, status, assignee, owner } = task;
  const { candidateUsers, candidateGroups, priority, dueDate, category, formKey } = task;
  const { taskDefinitionKey, stageInstanceId, caseName, createdAt } = task;
  return {
    ...{ tenantCode, workflowCode, definitionVersion, caseInstanceId, businessKey },
    ...{ entityType, entityId, actor, taskId, engineTaskId: taskId, planItemInstanceId: taskId },
    ...{ name, description, status, assignee, owner, candidateUsers, candidateGroups, priority },
    ...{ dueDate, category, formKey, taskDefinitionKey, stageInstanceId, caseName, createdAt },
    engine: task.engine ?? 'CMMN',
  };
}
