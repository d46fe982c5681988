import type { RuntimeCase, RuntimeTask } from '../../../../shared/ports/workflow-runtime.ts';
import type { CaseDetails } from '../../cases/case-details.ts';
import { headOf } from '../../domain/cases/case-facts.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { statusOf } from '../../tasks/task-guard.ts';

/** A task as in-process callers see it. */
export function toRuntimeTask(task: TaskRecord): RuntimeTask {
  const { taskId, taskDefinitionKey, name, owner, candidateUsers, candidateGroups } = task;
  const { priority, dueDate, caseInstanceId, workflowCode, tenantCode, businessKey } = task;
  const { entityType, entityId, createdAt, outcome, version } = task;
  return {
    ...{ taskId, taskDefinitionKey, name, status: statusOf(task) },
    assignee: task.assignee ?? task.completedBy,
    ...{ owner, candidateUsers, candidateGroups, priority, dueDate },
    ...{ caseInstanceId, workflowCode, tenantCode, businessKey, entityType, entityId },
    ...{ createdAt, outcome, version },
  };
}

/** A case as in-process callers see it. */
export function toRuntimeCase({ instance, facts, tasks }: CaseDetails): RuntimeCase {
  const head = headOf(instance, facts, instance.id);
  const { caseInstanceId, workflowCode, definitionVersion, tenantCode, caseDefinitionKey } = head;
  const { state, businessKey, businessStatus, entityType, entityId } = head;
  return {
    ...{ caseInstanceId, workflowCode, definitionVersion, tenantCode, caseDefinitionKey },
    ...{ state, businessKey, businessStatus, entityType, entityId },
    variables: instance.variables,
    tasks: tasks.map(toRuntimeTask),
  };
}
