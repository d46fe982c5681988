import { defineProblems } from '../../../shared/problems/problem.ts';

export interface AssignedTask {
  readonly taskId: string;
  readonly assignee: string | undefined;
}

export interface ExcludedCompleter {
  readonly taskId: string;
  readonly user: string;
  readonly taskKey: string;
}

/** Problems of tasks. */
export const taskProblems = defineProblems({
  taskNotFound: {
    code: 'TASK_NOT_FOUND',
    status: 404,
    title: 'Task not found',
    describe: ({ taskId }: { taskId: string }) =>
      `There is no task ${taskId} that is visible to the caller.`,
  },
  taskNotActive: {
    code: 'TASK_NOT_ACTIVE',
    status: 409,
    title: 'Task is not active',
    describe: ({ taskId, status }: { taskId: string; status: string }) => ({
      detail: `The task ${taskId} is ${status}.`,
      extensions: { taskStatus: status },
    }),
  },
  taskAlreadyClaimed: {
    code: 'TASK_ALREADY_CLAIMED',
    status: 409,
    title: 'Another user has claimed the task',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `${assignee} has claimed the task ${taskId}.`,
      extensions: { assignee },
    }),
  },
  taskClaimedByOther: {
    code: 'TASK_CLAIMED_BY_OTHER',
    status: 409,
    title: 'The task is assigned to another user',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `${assignee} has the task ${taskId}.`,
      extensions: { assignee },
    }),
  },
  taskNotClaimed: {
    code: 'TASK_NOT_CLAIMED',
    status: 409,
    title: 'The task is not claimed by the caller',
    describe: ({ taskId }: { taskId: string }) => `Claim the task ${taskId} first.`,
  },
  taskDelegated: {
    code: 'TASK_DELEGATED',
    status: 409,
    title: 'The task is delegated',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `The task ${taskId} is with ${assignee}, who completes it or gives it back.`,
      extensions: { assignee },
    }),
  },
  taskNotDelegated: {
    code: 'TASK_NOT_DELEGATED',
    status: 409,
    title: 'The task is not delegated',
    describe: ({ taskId }: { taskId: string }) =>
      `Only a delegated task can be given back; ${taskId} is not delegated.`,
  },
  delegatedToOneself: {
    code: 'DELEGATED_TO_ONESELF',
    status: 422,
    title: 'A task cannot be delegated to oneself',
    describe: ({ taskId }: { taskId: string }) => `The caller has the task ${taskId} already.`,
  },
  userUnknown: {
    code: 'USER_UNKNOWN',
    status: 422,
    title: 'User not found',
    describe: ({ user }: { user: string }) => `There is no enabled user named ${user}.`,
  },
  taskCompletionRejected: {
    code: 'TASK_COMPLETION_REJECTED',
    status: 422,
    title: 'The completion was rejected',
    describe: ({ reason }: { reason: string }) => reason,
  },
  completerExcluded: {
    code: 'COMPLETER_EXCLUDED',
    status: 422,
    title: 'The user completed a task that excludes its completers from this one',
    describe: ({ taskId, user, taskKey }: ExcludedCompleter) => ({
      detail: `${user} completed ${taskKey}; users who completed it may not work on the task ${taskId}.`,
      extensions: { user, taskDefinitionKey: taskKey },
    }),
  },
  substituteNotFound: {
    code: 'SUBSTITUTE_NOT_FOUND',
    status: 404,
    title: 'Substitute not found',
    describe: ({ user }: { user: string }) => `${user} has no substitute.`,
  },
  substituteIsOneself: {
    code: 'SUBSTITUTE_IS_ONESELF',
    status: 422,
    title: 'A user cannot be their own substitute',
    describe: ({ user }: { user: string }) => `Name another user as the substitute of ${user}.`,
  },
  tooManyAbsences: {
    code: 'TOO_MANY_ABSENCES',
    status: 422,
    title: 'The user is the substitute of too many users',
    describe: ({ substitute, max }: { substitute: string; max: number }) =>
      `${substitute} is the substitute of ${max} users already, which is the maximum.`,
  },
  businessRecordGone: {
    code: 'BUSINESS_RECORD_GONE',
    status: 409,
    title: 'The business record is gone',
    describe: ({ entityType, entityId }: { entityType: string; entityId: string }) =>
      `The record ${entityId} of ${entityType}, which the form is for, has been deleted; without formData the task can be completed.`,
  },
  draftNotFound: {
    code: 'DRAFT_NOT_FOUND',
    status: 404,
    title: 'Draft not found',
    describe: ({ taskId }: { taskId: string }) => `The task ${taskId} has no draft.`,
  },
  sortWindowExceeded: {
    code: 'SORT_WINDOW_EXCEEDED',
    status: 400,
    title: 'Too many tasks to sort',
    describe: ({ max }: { max: number }) => ({
      detail: `More than ${max} tasks fit; narrow the list, or sort it by createdAt.`,
      errors: [
        {
          parameter: 'sort',
          code: 'SORT_WINDOW_EXCEEDED',
          detail: `puts at most ${max} tasks in this order`,
        },
      ],
    }),
  },
});
