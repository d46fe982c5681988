import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { TaskRefusal, TaskStep } from '../domain/tasks/task-actions.ts';
import { problems } from '../errors.ts';
import { statusOf } from './task-guard.ts';

/** The problem behind a refusal. */
export function refused(refusal: TaskRefusal, task: TaskRecord): Error {
  const { taskId, assignee } = task;
  switch (refusal) {
    case 'NOT_ACTIVE':
      return problems.taskNotActive({ taskId, status: statusOf(task) });
    case 'ALREADY_CLAIMED':
      return problems.taskAlreadyClaimed({ taskId, assignee });
    case 'CLAIMED_BY_OTHER':
      return problems.taskClaimedByOther({ taskId, assignee });
    case 'NOT_CLAIMED':
      return problems.taskNotClaimed({ taskId });
    case 'DELEGATED':
      return problems.taskDelegated({ taskId, assignee });
    case 'NOT_DELEGATED':
      return problems.taskNotDelegated({ taskId });
    case 'ONESELF':
      return problems.delegatedToOneself({ taskId });
  }
}

/** The task after a step. @throws Problem when the step is refused */
export function taken(step: TaskStep, task: TaskRecord): TaskRecord {
  if ('refusal' in step) throw refused(step.refusal, task);
  return step.task;
}

/** @throws Problem `VERSION_CONFLICT` (412) when the caller has read another version of the task */
export function requireVersion({ version }: TaskRecord, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === String(version)) return;
  throw httpProblems.versionConflict({ expected: ifMatch, actual: version });
}
