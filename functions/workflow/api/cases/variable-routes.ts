import { noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { CaseCalls } from '../../cases/services.ts';
import { caseIn } from '../../domain/cases/family.ts';
import { problems } from '../../errors.ts';
import { toVariables } from './answer-room.ts';
import * as answers from './case-answers.ts';
import { COMMAND_PROBLEMS } from './case-command-routes.ts';
import * as examples from './case-examples.ts';
import * as schemas from './case-schemas.ts';
import { CASES_PATH, CASES_TAG } from './paths.ts';

const answer = {
  200: {
    description: 'All variables of the case',
    schema: answers.caseVariables,
    example: examples.caseVariables,
  },
};

/** Routes of the variables of a case. */
export function variableRoutes({ reader, actions }: CaseCalls): Route[] {
  const access = permission('workflow:case');
  const edit = permission('workflow:case', 'edit');
  const path = `${CASES_PATH}/{caseInstanceId}/variables`;
  const set = (method: 'PUT' | 'PATCH'): Route =>
    route({
      operationId: method === 'PUT' ? 'putCaseVariables' : 'patchCaseVariables',
      method,
      path,
      summary: 'Sets variables of a case; the others stay',
      tag: CASES_TAG,
      access,
      params: schemas.caseParams,
      body: schemas.variablesBody,
      bodyExample: examples.caseVariables,
      responses: answer,
      problems: COMMAND_PROBLEMS,
      handle: async ({ params: { caseInstanceId }, body, principal }) => {
        const done = await actions.setVariables(caseInstanceId, body.variables, principal);
        return ok(toVariables(caseIn(done.family, caseInstanceId)?.variables ?? {}));
      },
    });
  return [
    route({
      operationId: 'getCaseVariables',
      method: 'GET',
      path,
      summary: 'Reads the variables of a case',
      tag: CASES_TAG,
      access,
      params: schemas.caseParams,
      responses: answer,
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, principal }) =>
        ok(toVariables(await reader.variables(params.caseInstanceId, principal))),
    }),
    set('PUT'),
    set('PATCH'),
    route({
      operationId: 'deleteCaseVariables',
      method: 'DELETE',
      path,
      summary: 'Removes several variables of a case, all or none',
      tag: CASES_TAG,
      access: edit,
      params: schemas.caseParams,
      query: schemas.variableNames,
      responses: { 204: { description: 'Removed' } },
      problems: [...COMMAND_PROBLEMS, problems.variableNotFound],
      handle: async ({ params, query, principal }) => {
        await actions.removeVariables(params.caseInstanceId, query.name, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'deleteCaseVariable',
      method: 'DELETE',
      path: `${path}/{name}`,
      summary: 'Removes a variable of a case',
      tag: CASES_TAG,
      access: edit,
      params: schemas.variableParams,
      responses: { 204: { description: 'Removed' } },
      problems: [...COMMAND_PROBLEMS, problems.variableNotFound],
      handle: async ({ params: { caseInstanceId, name }, principal }) => {
        await actions.removeVariables(caseInstanceId, [name], principal);
        return noContent();
      },
    }),
  ];
}
