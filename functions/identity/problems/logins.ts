import { defineProblems } from '../../../shared/problems/problem.ts';

/** The problems of logins and their providers. */
export const loginProblems = defineProblems({
  sessionKeyMissing: {
    code: 'SESSION_KEY_MISSING',
    status: 503,
    title: 'The session key is missing',
    describe: () =>
      'svc.idp.session-secret names no secret of at least 32 characters, and the stack has generated none.',
  },
  providerNotFound: {
    code: 'IDENTITY_PROVIDER_NOT_FOUND',
    status: 404,
    title: 'Identity provider not found',
    describe: ({ provider }: { provider: string }) => `There is no provider ${provider}.`,
  },
  providerEnabled: {
    code: 'PROVIDER_ENABLED',
    status: 409,
    title: 'Identity provider is enabled',
    describe: ({ id }: { id: string }) => `Disable the provider ${id} first.`,
  },
  providerLinked: {
    code: 'PROVIDER_LINKED',
    status: 409,
    title: 'Identity provider has linked accounts',
    describe: ({ id }: { id: string }) =>
      `Accounts are linked with persons of the provider ${id} by their ids at its issuer; create another provider for another issuer.`,
  },
  providerUnavailable: {
    code: 'PROVIDER_UNAVAILABLE',
    status: 502,
    title: 'Identity provider cannot be reached',
    describe: () => 'The provider cannot be reached, or does not answer as OpenID Connect says.',
  },
  returnRefused: {
    code: 'RETURN_REFUSED',
    status: 400,
    title: 'Return address is not allowed',
    describe: () => ({
      detail: 'returnTo must be an address of an origin in svc.idp.return-origins.',
      errors: [
        {
          parameter: 'returnTo',
          code: 'RETURN_REFUSED',
          detail: 'must be an address of an origin in svc.idp.return-origins',
        },
      ],
    }),
  },
  loginState: {
    code: 'LOGIN_STATE_INVALID',
    status: 400,
    title: 'Login is unknown or has expired',
    describe: () =>
      'The login was begun in another browser, has come back already, or took more than 10 minutes.',
  },
  loginCode: {
    code: 'LOGIN_CODE_INVALID',
    status: 400,
    title: 'Login code is not valid',
    describe: () => 'The code was used already, is older than 60 seconds, or is for somebody else.',
  },
  loginRefused: {
    code: 'LOGIN_REFUSED',
    status: 403,
    title: 'Login refused',
    describe: ({ reason }: { reason: string }) => reason,
  },
  accountNotLinked: {
    code: 'ACCOUNT_NOT_LINKED',
    status: 403,
    title: 'No account for this login',
    describe: () => 'No account is linked with this identity, and none is created for it.',
  },
  accountDisabled: {
    code: 'ACCOUNT_DISABLED',
    status: 403,
    title: 'Account is disabled',
    describe: () => 'The account is disabled, or waits until an administrator enables it.',
  },
  identityLinked: {
    code: 'IDENTITY_LINKED',
    status: 409,
    title: 'Identity belongs to another account',
    describe: () => 'The person at the provider is linked with another account.',
  },
  lastLogin: {
    code: 'LAST_LOGIN',
    status: 409,
    title: 'The last login of an account cannot be removed',
    describe: () =>
      'Link the account with another provider first: nothing else lets its owner log in.',
  },
});
