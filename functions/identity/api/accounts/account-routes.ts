import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { etag, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { AccountService } from '../../accounts/account-service.ts';
import { problems } from '../../errors.ts';
import { DEPARTMENTS_PATH, USERS_PATH } from '../../paths.ts';
import * as examples from './account-examples.ts';
import * as schemas from './account-schemas.ts';
import { toNode, toUser } from './account-views.ts';

export interface AccountRouteServices {
  readonly accounts: OnDemand<AccountService>;
}

const TAG = 'Users';
const TARGET = 'identity:user';
const access = permission(TARGET);
const user = {
  description: 'The user',
  schema: schemas.user,
  headers: { etag: 'The version, quoted.' },
  example: examples.user,
};

/** Routes of users and departments. */
export function accountRoutes(
  { accounts }: AccountRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'listUsers',
      method: 'GET',
      path: USERS_PATH,
      summary: 'Lists users by user name',
      tag: TAG,
      access,
      query: () => schemas.userQuery(web),
      responses: {
        200: { description: 'A page of users', schema: schemas.userPage, example: examples.page },
      },
      handle: async ({ query, principal }) => {
        const page = await accounts.list(query, principal);
        return ok(toPage({ ...page, content: page.content.map(toUser) }));
      },
    }),
    route({
      operationId: 'getUser',
      method: 'GET',
      path: `${USERS_PATH}/{id}`,
      summary: 'Reads a user',
      tag: TAG,
      access,
      params: schemas.userParams,
      responses: { 200: user },
      problems: [problems.userNotFound],
      handle: async ({ params, principal }) => {
        const found = await accounts.get(params.id, principal);
        return ok(toUser(found), etag(found.version));
      },
    }),
    ...(['enable', 'disable'] as const).map((verb) =>
      route({
        operationId: `${verb}User`,
        method: 'PUT',
        path: `${USERS_PATH}/{id}/${verb}`,
        summary:
          verb === 'enable' ? 'Enables a user' : 'Disables a user; tokens end within a minute',
        tag: TAG,
        access: permission(TARGET, 'edit'),
        params: schemas.userParams,
        responses: { 200: user },
        problems: [problems.userNotFound, ...(verb === 'disable' ? [problems.ownAccount] : [])],
        handle: async ({ params, principal }) => {
          const status = verb === 'enable' ? 'ENABLED' : 'DISABLED';
          const next = await accounts.setStatus(params.id, status, principal);
          return ok(toUser(next), etag(next.version));
        },
      }),
    ),
    route({
      operationId: 'unlinkUser',
      method: 'DELETE',
      path: `${USERS_PATH}/{id}/links/{sourceId}`,
      summary: 'Unlinks a user from an identity source or provider; the account stays as it is',
      tag: TAG,
      access: permission(TARGET, 'edit'),
      params: schemas.linkParams,
      responses: { 200: user },
      problems: [problems.userNotFound, problems.syncInProgress],
      handle: async ({ params: { id, sourceId }, principal }) => {
        const next = await accounts.unlink(id, sourceId, principal);
        return ok(toUser(next), etag(next.version));
      },
    }),
    route({
      operationId: 'getDepartmentTree',
      method: 'GET',
      path: `${DEPARTMENTS_PATH}/tree`,
      summary: 'Shows all departments as trees',
      tag: TAG,
      access,
      responses: {
        200: { description: 'The trees', schema: schemas.tree, example: examples.tree },
      },
      handle: async ({ principal }) =>
        ok({ content: (await accounts.tree(principal)).map(toNode) }),
    }),
  ];
}
