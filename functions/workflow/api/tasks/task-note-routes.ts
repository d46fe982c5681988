import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, etag, noContent, ok } from '../../../../shared/http/reply.ts';
import { authenticated, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { problems } from '../../errors.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import { TASKS_PATH, TASKS_TAG } from './paths.ts';
import * as answers from './task-answers.ts';
import * as examples from './task-examples.ts';
import * as lists from './task-list-schemas.ts';
import * as schemas from './task-schemas.ts';
import { toTask } from './task-views.ts';

const common = { tag: TASKS_TAG, access: authenticated, params: schemas.taskParams } as const;
const READ_PROBLEMS = [problems.taskNotFound, httpProblems.forbidden];
const DRAFT_ANSWER = {
  200: { description: 'The draft', schema: answers.draftView, example: examples.draftView },
};
const WORK_PROBLEMS = [
  ...READ_PROBLEMS,
  ...[problems.taskNotActive, problems.taskDelegated, problems.taskClaimedByOther],
  httpProblems.concurrentUpdate,
];

/** Routes that show a task with its draft, comments and history. */
export function taskNoteRoutes(
  { drafts }: TaskCalls,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      ...common,
      operationId: 'getTask',
      method: 'GET',
      path: `${TASKS_PATH}/{taskId}`,
      summary: 'Reads a task with its draft',
      responses: {
        200: {
          description: 'The task',
          schema: answers.taskView,
          headers: { etag: 'The version, quoted; send it back in If-Match.' },
          example: examples.task,
        },
      },
      problems: READ_PROBLEMS,
      handle: async ({ params: { taskId }, principal }) => {
        const { task, caller, draft } = await drafts.get(taskId, principal);
        return ok(toTask(task, { caller, draft }), etag(task.version));
      },
    }),
    ...draftRoutes({ drafts }),
    ...commentRoutes({ drafts }, config),
    route({
      ...common,
      operationId: 'getTaskHistory',
      method: 'GET',
      path: `${TASKS_PATH}/{taskId}/history`,
      summary: 'Lists what people have done to a task, newest first',
      query: () => lists.pageOnly(config),
      responses: {
        200: {
          description: 'A page of actions with what they have changed',
          schema: answers.historyPage,
          example: examples.historyPage,
        },
      },
      problems: READ_PROBLEMS,
      handle: async ({ params: { taskId }, query, principal }) =>
        ok(toPage(await drafts.history(taskId, principal, query))),
    }),
  ];
}

function draftRoutes({ drafts }: Pick<TaskCalls, 'drafts'>): Route[] {
  return [
    route({
      ...common,
      operationId: 'saveTaskDraft',
      method: 'POST',
      path: `${TASKS_PATH}/{taskId}/save-draft`,
      summary: 'Keeps what is filled in so far, instead of an earlier draft',
      body: schemas.draftBody,
      bodyExample: examples.draft,
      maxBodyBytes: schemas.MAX_DRAFT_BYTES,
      responses: DRAFT_ANSWER,
      problems: [...WORK_PROBLEMS, httpProblems.moduleOff],
      handle: async ({ params: { taskId }, body, principal }) =>
        ok({ taskId, draft: await drafts.save(taskId, body, principal) }),
    }),
    route({
      ...common,
      operationId: 'getTaskDraft',
      method: 'GET',
      path: `${TASKS_PATH}/{taskId}/draft`,
      summary: 'Reads the draft of a task',
      responses: DRAFT_ANSWER,
      problems: [...READ_PROBLEMS, problems.draftNotFound],
      handle: async ({ params: { taskId }, principal }) =>
        ok({ taskId, draft: await drafts.draft(taskId, principal) }),
    }),
    route({
      ...common,
      operationId: 'deleteTaskDraft',
      method: 'DELETE',
      path: `${TASKS_PATH}/{taskId}/draft`,
      summary: 'Throws the draft of a task away',
      responses: { 204: { description: 'The draft is deleted' } },
      problems: [...WORK_PROBLEMS, problems.draftNotFound],
      handle: async ({ params: { taskId }, principal }) => {
        await drafts.discard(taskId, principal);
        return noContent();
      },
    }),
  ];
}

function commentRoutes(
  { drafts }: Pick<TaskCalls, 'drafts'>,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const path = `${TASKS_PATH}/{taskId}/comments`;
  return [
    route({
      ...common,
      operationId: 'listTaskComments',
      method: 'GET',
      path,
      summary: 'Lists the remarks on a task, newest first',
      query: () => lists.pageOnly(config),
      responses: {
        200: {
          description: 'A page of remarks',
          schema: answers.commentPage,
          example: examples.commentPage,
        },
      },
      problems: READ_PROBLEMS,
      handle: async ({ params: { taskId }, query, principal }) =>
        ok(toPage(await drafts.comments(taskId, principal, query))),
    }),
    route({
      ...common,
      operationId: 'addTaskComment',
      method: 'POST',
      path,
      summary: 'Adds a remark to a task',
      body: schemas.commentBody,
      bodyExample: { text: examples.comment.text },
      idempotent: true,
      responses: {
        201: {
          description: 'The remark',
          schema: answers.commentView,
          headers: { location: 'The remarks on the task.' },
          example: examples.comment,
        },
      },
      problems: READ_PROBLEMS,
      handle: async ({ params: { taskId }, body, principal }) =>
        created(
          `${TASKS_PATH}/${encodeURIComponent(taskId)}/comments`,
          await drafts.comment(taskId, body.text, principal),
        ),
    }),
  ];
}
