import type { Principal } from '../../../../shared/security/principal.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import type { ProcessHead } from '../../domain/processes/process-head.ts';
import type { ProcessDetails } from '../../processes/process-reader.ts';
import { toTask } from '../tasks/task-views.ts';

/** A process instance without what is in it. */
export function toProcessHead(head: ProcessHead) {
  const { processInstanceId, workflowCode, processKey, definitionVersion, tenantCode } = head;
  const { name, businessKey, entityType, entityId, state, startedBy, startedAt } = head;
  const { endedAt, endReason, parent } = head;
  return {
    ...{ processInstanceId, workflowCode, processKey, definitionVersion, tenantCode, name },
    ...{ businessKey, entityType, entityId, state, startedBy, startedAt, endedAt, endReason },
    parentCaseInstanceId: parent?.caseInstanceId,
  };
}

/** A process instance with what waits in it. */
export const toProcess = ({ head, state, version, activities }: ProcessDetails) => ({
  ...toProcessHead(head),
  activities,
  variables: state.variables,
  version,
});

/** A task as a caller sees it who sees the process. */
export function toProcessTask(task: TaskRecord, { id, username, roles, groups }: Principal) {
  const caller = { id, names: [...new Set([id, username])], groups: [...roles, ...groups] };
  return toTask(task, { caller });
}
