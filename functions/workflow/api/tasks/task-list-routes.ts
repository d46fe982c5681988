import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { type PageTotal, toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { authenticated, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { problems } from '../../errors.ts';
import type { TaskPage } from '../../tasks/lists/listed-tasks.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import { isCounted } from '../schema-parts.ts';
import { TASKS_PATH, TASKS_TAG } from './paths.ts';
import * as answers from './task-answers.ts';
import * as examples from './task-examples.ts';
import * as lists from './task-list-schemas.ts';
import * as schemas from './task-schemas.ts';
import { toTask } from './task-views.ts';

const PAGE = {
  200: { description: 'A page of tasks', schema: answers.taskPage, example: examples.taskPage },
};

const shown = (found: TaskPage, total?: PageTotal) =>
  ok(
    toPage({
      ...{ ...found, total },
      content: found.content.map(({ task, variables }) =>
        toTask(task, { caller: found.caller, variables }),
      ),
    }),
  );

/** Routes that list and count tasks. */
export function taskListRoutes(
  { search, completed }: TaskCalls,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const common = { method: 'GET', tag: TASKS_TAG, access: authenticated } as const;
  return [
    route({
      ...common,
      operationId: 'listTasks',
      path: TASKS_PATH,
      summary: "Lists the caller's open tasks",
      description:
        'Tasks that are assigned to the caller, and unclaimed tasks that are open to the caller or one of their groups. Tasks of others need the permission workflow:case:view. With filters a page may have fewer tasks than its size although there is a next page.',
      query: () => lists.tasksQuery(config),
      responses: PAGE,
      problems: [problems.sortWindowExceeded, httpProblems.forbidden],
      handle: async ({ query, principal }) => {
        const asked = lists.toTaskQuery(query);
        const found = await search.page(asked, principal, query);
        if (!isCounted(query)) return shown(found);
        const { count: value, relation } = await search.count(asked, principal);
        return shown(found, { value, relation });
      },
    }),
    route({
      ...common,
      operationId: 'listActiveTasksOfEntity',
      path: `${TASKS_PATH}/by-entity/{entityType}/{entityId}/active`,
      summary: 'Lists the open tasks of a business record that the caller sees',
      params: schemas.entityParams,
      query: () => lists.historyQuery(config),
      responses: PAGE,
      problems: [httpProblems.forbidden],
      handle: async ({ params, query: { tenantCode, ...page }, principal }) =>
        shown(
          await search.page(
            { filter: params, tenantCode, order: 'createdAt', isReverse: true },
            principal,
            page,
          ),
        ),
    }),
    route({
      ...common,
      operationId: 'listCompletedTasks',
      path: `${TASKS_PATH}/history`,
      summary: 'Lists the tasks that the caller has completed, newest first',
      query: () => lists.historyQuery(config),
      responses: PAGE,
      problems: [httpProblems.forbidden],
      handle: async ({ query: { tenantCode, ...page }, principal }) =>
        shown(await completed.page({ filter: {}, tenantCode }, principal, page)),
    }),
    route({
      ...common,
      operationId: 'countTasks',
      path: `${TASKS_PATH}/count`,
      summary: "Counts the caller's open tasks, or those that a filter leaves, up to 1 000",
      query: lists.countQuery,
      responses: {
        200: { description: 'How many', schema: answers.taskCount, example: examples.count },
      },
      problems: [httpProblems.forbidden],
      handle: async ({ query, principal }) =>
        ok(await search.count(lists.toTaskQuery(query), principal)),
    }),
  ];
}
