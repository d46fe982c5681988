import { etag, ok, type Reply } from '../../../../shared/http/reply.ts';
import { authenticated, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { DeclaredProblem } from '../../../../shared/problems/problem.ts';
import { recordMergesPort } from '../../../entities/port.ts';
import { ENGINE_PROBLEMS } from '../../cases/engine-problems.ts';
import type { Completion } from '../../domain/tasks/completion.ts';
import { problems } from '../../errors.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import type { TaskRequest } from '../../tasks/task-commands.ts';
import { ENGINE_TASKS_PATH, TASKS_PATH, TASKS_TAG } from './paths.ts';
import * as answers from './task-answers.ts';
import * as examples from './task-examples.ts';
import * as schemas from './task-schemas.ts';
import { toCompletion } from './task-views.ts';

/**
 * Routes that complete tasks: one for clients of the engine, and one beside the other actions.
 * @param ofProcesses problems of tasks of processes, where there are any
 */
export function completionRoutes(
  { completion, bulk }: TaskCalls,
  ofProcesses: readonly DeclaredProblem[] = [],
): Route[] {
  const complete = async (request: TaskRequest, given: Completion): Promise<Reply> => {
    const done = await completion.complete(request, given);
    return ok(toCompletion(done), etag(done.task.version));
  };
  const common = {
    method: 'POST',
    summary: 'Completes a task and continues its case',
    description:
      'Completing an unclaimed task claims it; completing a delegated task returns it. Members of formData that are fields of the business record are written to the record in the same transaction; the right to complete the task includes the right to edit these fields.',
    tag: TASKS_TAG,
    access: authenticated,
    body: schemas.completeBody,
    bodyExample: examples.complete,
    idempotent: true,
    conditional: true,
    responses: {
      200: {
        description: 'The task, and what has become of its case',
        schema: answers.completion,
        headers: { etag: 'The version of the task, quoted.' },
        example: examples.completion,
      },
    },
    problems: [
      ...[...ENGINE_PROBLEMS, ...ofProcesses, problems.taskNotFound, problems.taskNotActive],
      ...[...recordMergesPort.problems, problems.businessRecordGone],
      problems.completerExcluded,
      ...[problems.taskDelegated, problems.taskClaimedByOther, problems.taskCompletionRejected],
      ...[httpProblems.forbidden, httpProblems.versionConflict, httpProblems.concurrentUpdate],
    ],
  } as const;
  return [
    route({
      ...common,
      operationId: 'completeTask',
      path: `${TASKS_PATH}/{taskId}/complete`,
      params: schemas.taskParams,
      handle: ({ params: { taskId }, principal, ifMatch, body }) =>
        complete({ taskId, principal, ifMatch }, body),
    }),
    route({
      ...common,
      operationId: 'completeEngineTask',
      path: `${ENGINE_TASKS_PATH}/{engineTaskId}:complete`,
      params: schemas.engineTaskParams,
      handle: ({ params: { engineTaskId: taskId }, principal, ifMatch, body }) =>
        complete({ taskId, principal, ifMatch }, body),
    }),
    route({
      operationId: 'bulkTasks',
      method: 'POST',
      path: `${TASKS_PATH}/bulk`,
      summary: 'Claims, gives back, assigns or completes up to 100 tasks',
      description:
        'Each task has a transaction of its own; the outcomes list successes and failures. The same user may repeat the call.',
      tag: TASKS_TAG,
      access: authenticated,
      body: schemas.bulkBody,
      bodyExample: examples.bulk,
      responses: {
        200: {
          description: 'An outcome for each task, in their order',
          schema: answers.bulkOutcome,
          example: examples.bulkOutcome,
        },
      },
      concerns: ({ body: { action, taskIds } }) => ({ action, taskIds }),
      handle: async ({ body: { taskIds, ...action }, principal }) =>
        ok({ results: await bulk.run(taskIds, action, principal) }),
    }),
  ];
}
