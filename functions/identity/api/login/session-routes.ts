import * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import { publicAccess, type Route, route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import type { SessionKeys } from '../../login/session-keys.ts';
import { SESSION_KEYS_PATH } from '../../paths.ts';

export interface SessionRouteServices {
  readonly sessionKeys: OnDemand<SessionKeys>;
}

const keySet = lazy(() =>
  z
    .object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) })
    .meta({ id: 'JsonWebKeySet' }),
);
const EXAMPLE = {
  ...{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: '5Y3x' },
  ...{ x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' },
  ...{ y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' },
};

/** Routes of the tokens that logins give. */
export const sessionRoutes = ({ sessionKeys }: SessionRouteServices): Route[] => [
  route({
    operationId: 'getSessionKeys',
    method: 'GET',
    path: SESSION_KEYS_PATH,
    summary: 'Shows the keys that tokens of logins are checked by',
    tag: 'Login',
    access: publicAccess,
    responses: {
      200: {
        description: 'The newest key and the one before',
        schema: keySet,
        headers: { 'cache-control': 'How long they may be kept.' },
        example: { keys: [EXAMPLE] },
      },
    },
    problems: [problems.sessionKeyMissing],
    handle: async () =>
      ok({ keys: await sessionKeys.published() }, { 'cache-control': 'public, max-age=300' }),
  }),
];
