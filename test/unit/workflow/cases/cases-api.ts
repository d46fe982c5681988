import { caseRoutes } from '../../../../functions/workflow/api/cases/case-routes.ts';
import { createCaseServices } from '../../../../functions/workflow/cases/services.ts';
import { createTaskServices } from '../../../../functions/workflow/tasks/services.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { aCaseWorld } from '../../../helpers/cases/case-world.ts';
import { connect } from '../../../helpers/world/a-context.ts';

export const CASES = '/api/v1/workflow/cmmn/cases';

function noRuntime(): never {
  throw new Error('No interceptor is asked here');
}

/** The routes of cases over models that are deployed. */
export async function aCasesApi(
  models: readonly string[],
  options: Parameters<typeof aCaseWorld>[1] = {},
) {
  const world = await aCaseWorld(models, options);
  const host = { ...world.context.host, permissionEvaluator: claimsPermissionEvaluator };
  const context = { ...world.context, host };
  const { call } = connect((given) => {
    const cases = createCaseServices(given, { ...world, limits: options.limits });
    const tasks = createTaskServices(given, cases, { runtime: () => noRuntime() });
    return { routes: caseRoutes({ cases, tasks }, given.config) };
  }, context);
  const request =
    (method: string) =>
    (path: string, body?: unknown, caller?: TestClaims | null, headers?: Record<string, string>) =>
      call({ method, path, body, caller, headers });
  return {
    ...world,
    get: (path: string, caller?: TestClaims | null) => call({ method: 'GET', path, caller }),
    post: request('POST'),
    put: request('PUT'),
    patch: request('PATCH'),
    delete: request('DELETE'),
    /** Starts a case of the first model. */
    start: async (body: object = {}) => {
      const { body: started } = await call({
        method: 'POST',
        path: CASES,
        body: { workflowCode: 'theCase', ...body },
      });
      return String(started.caseInstanceId);
    },
  };
}
