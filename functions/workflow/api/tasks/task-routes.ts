import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { etag, ok } from '../../../../shared/http/reply.ts';
import {
  authenticated,
  type Route,
  type RouteInput,
  route,
} from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { DeclaredProblem } from '../../../../shared/problems/problem.ts';
import { problems } from '../../errors.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import type { TaskAnswer, TaskRequest } from '../../tasks/task-commands.ts';
import { TASKS_PATH, TASKS_TAG } from './paths.ts';
import { substituteRoutes } from './substitute-routes.ts';
import * as answers from './task-answers.ts';
import { completionRoutes } from './task-completion-routes.ts';
import * as examples from './task-examples.ts';
import { taskListRoutes } from './task-list-routes.ts';
import { taskNoteRoutes } from './task-note-routes.ts';
import * as schemas from './task-schemas.ts';
import { toTask } from './task-views.ts';

/**
 * Routes of tasks, each decided by the host's policy of tasks.
 * @param ofProcesses problems of tasks of processes, where there are any
 */
export function taskRoutes(
  services: TaskCalls,
  config: Pick<PlatformConfig, 'web'>,
  ofProcesses?: readonly DeclaredProblem[],
): Route[] {
  return [
    ...substituteRoutes(services),
    ...taskListRoutes(services, config),
    ...taskNoteRoutes(services, config),
    ...assignmentRoutes(services),
    ...completionRoutes(services, ofProcesses),
  ];
}

const VERSION = { etag: 'The version, quoted; send it back in If-Match.' };
const ANSWER = {
  200: {
    description: 'The task after the change',
    schema: answers.taskView,
    headers: VERSION,
    example: examples.task,
  },
};
/** Problems of whatever changes a task. */
const CHANGE_PROBLEMS: readonly DeclaredProblem[] = [
  problems.taskNotFound,
  problems.taskNotActive,
  httpProblems.forbidden,
  httpProblems.versionConflict,
  httpProblems.concurrentUpdate,
];

type Input<Body> = RouteInput<{ readonly taskId: string }, unknown, Body>;

/** A request for the task of a path. */
const requestOf = <Body>({ params, principal, ifMatch }: Input<Body>): TaskRequest => ({
  taskId: params.taskId,
  principal,
  ifMatch,
});

const shown = ({ task, caller }: TaskAnswer) => ok(toTask(task, { caller }), etag(task.version));

function assignmentRoutes({ commands }: TaskCalls): Route[] {
  const common = {
    tag: TASKS_TAG,
    access: authenticated,
    params: schemas.taskParams,
    conditional: true,
    responses: ANSWER,
  } as const;
  const [claimed, delegated] = [problems.taskNotClaimed, problems.taskDelegated];
  return [
    route({
      ...common,
      operationId: 'claimTask',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/claim`,
      summary: 'Takes a task that is open to the caller',
      description: 'Who has it already keeps it.',
      body: schemas.emptyBody,
      bodyExample: {},
      idempotent: true,
      problems: [...CHANGE_PROBLEMS, problems.taskAlreadyClaimed, problems.completerExcluded],
      handle: async (input) => shown(await commands.claim(requestOf(input))),
    }),
    route({
      ...common,
      operationId: 'unclaimTask',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/unclaim`,
      summary: 'Gives a claimed task back to its candidates',
      body: schemas.remarkBody,
      bodyExample: {},
      idempotent: true,
      problems: [...CHANGE_PROBLEMS, claimed, delegated],
      handle: async (input) =>
        shown(await commands.unclaim({ ...requestOf(input), ...input.body })),
    }),
    route({
      ...common,
      operationId: 'assignTask',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/assign`,
      summary: 'Assigns a task to a user, or returns it to its candidates',
      body: schemas.assignBody,
      bodyExample: { assignee: 'mai' },
      idempotent: true,
      problems: [...CHANGE_PROBLEMS, delegated, problems.userUnknown, problems.completerExcluded],
      handle: async (input) => {
        const { assignee, comment } = input.body;
        return shown(await commands.assign({ ...requestOf(input), comment }, assignee));
      },
    }),
    route({
      ...common,
      operationId: 'delegateTask',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/delegate`,
      summary: 'Delegates a task to a user who returns or completes it',
      body: schemas.delegateBody,
      bodyExample: { assignee: 'lan' },
      idempotent: true,
      problems: [
        ...[...CHANGE_PROBLEMS, claimed, delegated],
        ...[problems.delegatedToOneself, problems.userUnknown, problems.completerExcluded],
      ],
      handle: async (input) => {
        const { to, comment } = input.body;
        return shown(await commands.delegate({ ...requestOf(input), comment }, to));
      },
    }),
    route({
      ...common,
      operationId: 'resolveTask',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/resolve`,
      summary: 'Gives a delegated task back to its owner',
      body: schemas.remarkBody,
      bodyExample: {},
      idempotent: true,
      problems: [...CHANGE_PROBLEMS, problems.taskNotDelegated],
      handle: async (input) =>
        shown(await commands.resolve({ ...requestOf(input), ...input.body })),
    }),
    route({
      ...common,
      operationId: 'updateTask',
      method: 'PATCH',
      path: `${TASKS_PATH}/{taskId}`,
      summary: 'Changes name, due date or priority of a task',
      body: schemas.updateBody,
      bodyExample: { priority: 80 },
      problems: CHANGE_PROBLEMS,
      handle: async (input) => {
        const { comment, ...update } = input.body;
        return shown(await commands.update({ ...requestOf(input), comment }, update));
      },
    }),
  ];
}
