import { noContent, ok } from '../../../../shared/http/reply.ts';
import { authenticated, permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import { tenantOf } from '../../definitions/tenancy.ts';
import { namesOfUser } from '../../domain/tasks/task-caller.ts';
import { problems } from '../../errors.ts';
import type { Substitution } from '../../store/tasks/substitutions.ts';
import type { Absentee } from '../../tasks/people/substitutes.ts';
import type { TaskCalls } from '../../tasks/services.ts';
import { TASKS_PATH, TASKS_TAG } from './paths.ts';
import * as answers from './task-answers.ts';
import * as examples from './task-examples.ts';
import * as schemas from './task-schemas.ts';

const OWN = `${TASKS_PATH}/substitute`;
const OTHERS = `${TASKS_PATH}/substitutes/{user}`;
const ANSWER = {
  200: {
    description: 'Who stands in, and when',
    schema: answers.substitution,
    example: examples.substitution,
  },
};
const GONE = { 204: { description: 'Nobody stands in any more' } };
const SET_PROBLEMS = [
  ...[problems.substituteIsOneself, problems.userUnknown, problems.tooManyAbsences],
  ...[httpProblems.forbidden, httpProblems.concurrentUpdate],
];

const shown = ({ names: _, ...substitution }: Substitution) => substitution;
const self = (principal: Principal): Absentee => ({
  user: principal.id,
  names: namesOfUser(principal),
});

/** Routes by which users, and those who administer them, name substitutes. */
export function substituteRoutes({ substitutes, guard }: TaskCalls): Route[] {
  const own = { tag: TASKS_TAG, path: OWN, access: authenticated } as const;
  const others = {
    ...{ tag: TASKS_TAG, path: OTHERS, params: schemas.substituteParams },
    access: permission('workflow:substitute'),
  } as const;
  const readProblems = [problems.substituteNotFound, httpProblems.forbidden];
  return [
    route({
      ...own,
      operationId: 'getOwnSubstitute',
      method: 'GET',
      summary: 'Shows who stands in for the caller',
      responses: ANSWER,
      problems: readProblems,
      handle: async ({ principal }) => {
        await guard.admitToList([], principal);
        return ok(shown(await substitutes.get(principal.id, principal)));
      },
    }),
    route({
      ...own,
      operationId: 'setOwnSubstitute',
      method: 'PUT',
      summary: 'Names who works on the tasks of the caller for a time',
      description:
        'The substitute finds the tasks that are assigned to the caller, or open to the caller by name, among their own, and acts on behalf of the caller. Users whose substitute the caller is are not passed on.',
      body: schemas.substituteBody,
      bodyExample: examples.substitute,
      responses: ANSWER,
      problems: SET_PROBLEMS,
      concerns: ({ body: { substitute } }) => ({ substitute }),
      handle: async ({ principal, body }) => {
        await guard.admitToList([], principal);
        return ok(shown(await substitutes.set(self(principal), body, principal)));
      },
    }),
    route({
      ...own,
      operationId: 'removeOwnSubstitute',
      method: 'DELETE',
      summary: 'Removes the substitute of the caller',
      responses: GONE,
      problems: readProblems,
      handle: async ({ principal }) => {
        await guard.admitToList([], principal);
        await substitutes.remove(principal.id, principal);
        return noContent();
      },
    }),
    route({
      ...own,
      operationId: 'listAbsences',
      method: 'GET',
      path: `${OWN}/absences`,
      summary: 'Lists for whom the caller stands in now',
      responses: {
        200: {
          description: 'At most ten',
          schema: answers.absences,
          example: { content: [examples.substitution] },
        },
      },
      problems: [httpProblems.forbidden],
      handle: async ({ principal }) => {
        await guard.admitToList([], principal);
        const found = await substitutes.absences(tenantOf(principal), principal);
        return ok({ content: found.map(shown) });
      },
    }),
    route({
      ...others,
      operationId: 'getSubstitute',
      method: 'GET',
      summary: 'Shows who stands in for a user',
      responses: ANSWER,
      problems: readProblems,
      handle: async ({ params: { user }, principal }) =>
        ok(shown(await substitutes.get(user, principal))),
    }),
    route({
      ...others,
      operationId: 'setSubstitute',
      method: 'PUT',
      summary: 'Names who works on the tasks of a user for a time',
      body: schemas.substituteBody,
      bodyExample: examples.substitute,
      responses: ANSWER,
      problems: SET_PROBLEMS,
      handle: async ({ params: { user }, body, principal }) =>
        ok(shown(await substitutes.set({ user }, body, principal))),
    }),
    route({
      ...others,
      operationId: 'removeSubstitute',
      method: 'DELETE',
      summary: 'Removes the substitute of a user',
      responses: GONE,
      problems: readProblems,
      handle: async ({ params: { user }, principal }) => {
        await substitutes.remove(user, principal);
        return noContent();
      },
    }),
  ];
}
