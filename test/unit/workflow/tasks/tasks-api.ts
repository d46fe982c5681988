import { caseRoutes } from '../../../../functions/workflow/api/cases/case-routes.ts';
import { WorkflowRuntime } from '../../../../functions/workflow/api/runtime/workflow-runtime.ts';
import { taskRoutes } from '../../../../functions/workflow/api/tasks/task-routes.ts';
import { createTaskServices } from '../../../../functions/workflow/tasks/services.ts';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { aCaseWorld } from '../../../helpers/cases/case-world.ts';
import { connect } from '../../../helpers/world/a-context.ts';

export const TASKS = '/api/v1/tasks';
const CASES = '/api/v1/workflow/cmmn/cases';

export const ann: TestClaims = { sub: 'ann', groups: ['clerks'] };
export const bob: TestClaims = { sub: 'bob', groups: ['clerks'] };
export const eve: TestClaims = { sub: 'eve' };
export const operator: TestClaims = { sub: 'op', roles: ['admin'] };

/** The models of this world are deployed already. */
const deploymentService = { deploy: () => Promise.reject(new Error('Nothing is deployed here')) };

type Headers = Readonly<Record<string, string>>;
export type Body = Readonly<Record<string, unknown>>;

interface TasksOptions {
  readonly world?: Parameters<typeof aCaseWorld>[1];
  readonly host?: Partial<Host>;
  readonly limitMs?: number;
}

/** The routes of tasks and cases over models that are deployed. */
export async function aTasksApi(
  models: readonly string[],
  { world: wanted, host: more, limitMs }: TasksOptions = {},
) {
  const world = await aCaseWorld(models, wanted);
  const host = {
    ...world.context.host,
    permissionEvaluator: claimsPermissionEvaluator,
    workflowTaskAuthorizationService: claimsTaskAuthorization,
    ...more,
  };
  const context = { ...world.context, host };
  const { call } = connect((given) => {
    const tasks = createTaskServices(given, world, { limitMs, runtime: () => runtime });
    const runtime = new WorkflowRuntime({ ...given, cases: world, tasks, deploymentService });
    return {
      routes: [
        ...caseRoutes({ cases: world, tasks }, given.config),
        ...taskRoutes(tasks, given.config),
      ],
    };
  }, context);
  const get = (path: string, caller: TestClaims) => call({ method: 'GET', path, caller });
  const post = (path: string, body: unknown, caller: TestClaims, headers?: Headers) =>
    call({ method: 'POST', path, body, caller, headers });
  const start = async (body: object = {}): Promise<Body> => {
    const given = { workflowCode: 'theCase', ...body };
    return (await post(CASES, given, operator)).body;
  };
  return {
    ...{ world, call, get, post, start, context },
    /** Does something with a task: `act('claim', id, ann)`. */
    act: (action: string, id: string, caller: TestClaims, body: unknown = {}, headers?: Headers) =>
      post(`${TASKS}/${id}/${action}`, body, caller, headers),
    /** Starts a case. @returns id of its first task */
    aTaskId: async (body: object = {}) => idsOf((await start(body)).tasks)[0] ?? '',
    /** Ids of the tasks of a list. */
    list: async (query: string, caller: TestClaims) =>
      idsOf((await get(`${TASKS}${query}`, caller)).body.content),
    getCase: async (id: string) => (await get(`${CASES}/${id}`, operator)).body,
    caseHistory: async (id: string) =>
      (await get(`${CASES}/${id}/history`, operator)).body.content as readonly Body[],
  };
}

export type TasksApi = Awaited<ReturnType<typeof aTasksApi>>;

export const idsOf = (tasks: unknown): string[] =>
  (tasks as readonly { taskId: string }[]).map(({ taskId }) => taskId);
