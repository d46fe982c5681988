import * as z from 'zod';
import { noContent, ok } from '../../../../shared/http/reply.ts';
import { prefers } from '../../../../shared/http/request.ts';
import { authenticated, capability, type Route, route } from '../../../../shared/http/route.ts';
import { pageHeaders } from '../../../../shared/pages/page-shell.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import { problems } from '../../errors.ts';
import type { Returned } from '../../login/login-calls.ts';
import type { LoginLimits } from '../../login/login-limits.ts';
import type { LoginService } from '../../login/login-service.ts';
import { PROVIDERS_PATH, SIGNED_IN_PATH } from '../../paths.ts';
import { signedInPage } from './signed-in-page.ts';

export interface LoginRouteServices {
  readonly logins: OnDemand<LoginService>;
  readonly loginLimits: OnDemand<LoginLimits>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

/** The cookie that binds a login to the browser that has begun it. */
const COOKIE = 'svc-login';
const COOKIE_SECONDS = 600;
const tag = 'Login';

const secret = lazy(() => z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not valid'));
const verifier = lazy(() =>
  z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, 'must be 43 to 128 unreserved characters'),
);
const params = lazy(() => z.strictObject({ code: z.string().min(1).max(63) }));
const cookies = lazy(() => z.object({ [COOKIE]: z.string().max(200).optional() }));
const loginQuery = lazy(() =>
  z
    .strictObject({
      returnTo: z.string().max(2_000).describe('Address of an origin in svc.idp.return-origins.'),
      codeChallenge: secret()
        .optional()
        .describe('S256 challenge: only who has its verifier gets the token (RFC 7636).'),
      purpose: z.enum(['login', 'link']).default('login').describe('link: needs a codeChallenge.'),
    })
    .refine(({ purpose, codeChallenge }) => purpose === 'login' || codeChallenge !== undefined, {
      path: ['codeChallenge'],
      message: 'is needed to link',
    }),
);
const callbackQuery = lazy(() =>
  z.object({
    state: z.string().min(1).max(200),
    code: z.string().min(1).max(4_000).optional(),
    error: z.string().max(200).optional(),
    iss: z.string().max(1_000).optional(),
  }),
);
const tokenBody = lazy(() =>
  z.strictObject({ code: secret(), codeVerifier: verifier().optional() }),
);
const linkBody = lazy(() => z.strictObject({ code: secret(), codeVerifier: verifier() }));
const session = lazy(() =>
  z
    .object({
      accessToken: z.string(),
      tokenType: z.string(),
      expiresIn: z.number().describe('Seconds.'),
      user: z.object({ id: z.string(), userName: z.string() }),
    })
    .meta({ id: 'LoginSession' }),
);
const CODE = 'w1Yc0Zr8xT3nQ5vK7mB9dF2gH4jL6pS8aE0iU1oR3tY';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const redirect = {
  description: 'Address to which the browser continues',
  headers: { location: 'That address.' },
};
const failures = [
  ...[problems.loginRefused, problems.providerUnavailable, problems.accountNotLinked],
  ...[problems.accountDisabled, problems.identityLinked, ...Object.values(encryptionProblems)],
];

/** Routes of logins through identity providers. */
export function loginRoutes({ logins, loginLimits, baseUrl }: LoginRouteServices): Route[] {
  return [
    route({
      operationId: 'beginLogin',
      method: 'GET',
      path: `${PROVIDERS_PATH}/{code}/login`,
      summary: 'Sends a browser to a provider to log in',
      ...{ tag, access: capability, params, query: loginQuery, cookies },
      responses: {
        302: { ...redirect, setsCookies: { [COOKIE]: 'Binds the login to the browser.' } },
      },
      problems: [
        ...[problems.providerNotFound, problems.returnRefused, problems.providerUnavailable],
        ...[limitProblems.tooManyRequests, httpProblems.concurrentUpdate],
        ...Object.values(encryptionProblems),
      ],
      handle: async ({ params: { code }, query, cookies: own }) => {
        await loginLimits.take('begin');
        const { address, browser } = await logins.begin(code, {
          ...{ returnTo: query.returnTo, codeChallenge: query.codeChallenge },
          redirectUri: `${baseUrl()}${PROVIDERS_PATH}/${code}/callback`,
          isLink: query.purpose === 'link',
          browser: secret().safeParse(own[COOKIE]).data,
        });
        const cookie = { name: COOKIE, value: browser, maxAgeSeconds: COOKIE_SECONDS };
        return { status: 302, headers: { location: address }, cookies: [cookie] };
      },
    }),
    route({
      operationId: 'finishLogin',
      method: 'GET',
      path: `${PROVIDERS_PATH}/{code}/callback`,
      summary: 'Takes a browser back from a provider',
      description:
        'The application gets a code that works once within 60 seconds, or, in a browser, the code of the problem as error.',
      ...{ tag, access: capability, params, query: callbackQuery, cookies, lenient: true },
      responses: { 302: redirect },
      problems: [
        ...[problems.providerNotFound, problems.loginState, limitProblems.tooManyRequests],
        httpProblems.concurrentUpdate,
        ...failures,
      ],
      handle: async ({ params: { code }, query, cookies: own, headers }) => {
        await loginLimits.take('finish');
        const returned = await logins.finish(code, { ...query, browser: own[COOKIE] });
        const isBrowser = prefers(headers.accept, 'text/html');
        if (returned.problem && !isBrowser) throw returned.problem;
        return { status: 302, headers: { location: addressOf(returned) } };
      },
    }),
    route({
      operationId: 'showSignedIn',
      method: 'GET',
      path: SIGNED_IN_PATH,
      summary: 'Shows who has logged in',
      description:
        'A page for `returnTo` where no application waits for the login: it exchanges the code, names the person and gives the token. It takes the codes of logins without a `codeChallenge`.',
      ...{ tag, access: capability, lenient: true },
      responses: {
        200: { description: 'The page', contentType: 'text/html', headers: pageHeaders },
      },
      handle: async () => signedInPage(),
    }),
    route({
      operationId: 'getLoginToken',
      method: 'POST',
      path: `${PROVIDERS_PATH}/token`,
      summary: 'Exchanges the code of a login for a token',
      ...{ tag, access: capability, body: tokenBody },
      bodyExample: { code: CODE, codeVerifier: VERIFIER },
      responses: {
        200: {
          description: 'The token',
          schema: session,
          example: {
            ...{ accessToken: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', tokenType: 'Bearer' },
            ...{ expiresIn: 3_600, user: { id: '019f5a3c', userName: 'lan.nguyen' } },
          },
        },
      },
      problems: [
        ...[problems.loginCode, problems.accountDisabled, problems.sessionKeyMissing],
        limitProblems.tooManyRequests,
      ],
      handle: async ({ body }) => {
        await loginLimits.take('token');
        const { user, ...issued } = await logins.token(body.code, body.codeVerifier);
        return ok({ ...issued, user: { id: user.id, userName: user.userName } });
      },
    }),
    route({
      operationId: 'linkIdentity',
      method: 'POST',
      path: `${PROVIDERS_PATH}/{code}/link`,
      summary: "Links the person of a login with the caller's account",
      ...{ tag, access: authenticated, params, body: linkBody },
      bodyExample: { code: CODE, codeVerifier: VERIFIER },
      responses: { 204: { description: 'Linked' } },
      problems: [
        ...[problems.providerNotFound, problems.userNotFound, problems.loginCode, ...failures],
      ],
      handle: async ({ params: { code }, body, principal }) => {
        await logins.link(code, body, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'unlinkIdentity',
      method: 'DELETE',
      path: `${PROVIDERS_PATH}/{code}/link`,
      summary: "Unlinks a provider from the caller's account",
      ...{ tag, access: authenticated, params },
      responses: { 204: { description: 'No person of the provider is linked' } },
      problems: [problems.providerNotFound, problems.userNotFound, problems.lastLogin],
      handle: async ({ params: { code }, principal }) => {
        await logins.unlink(code, principal);
        return noContent();
      },
    }),
  ];
}

function addressOf({ returnTo, code, problem }: Returned): string {
  const address = new URL(returnTo);
  for (const name of ['code', 'error']) address.searchParams.delete(name);
  if (code !== undefined) address.searchParams.set('code', code);
  if (problem) address.searchParams.set('error', problem.code);
  return address.href;
}
