import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import { problems } from '../../errors.ts';
import type { ProviderValidator } from '../../login-providers/provider-validator.ts';
import { PROVIDERS_PATH } from '../../paths.ts';
import * as examples from './provider-examples.ts';
import * as schemas from './provider-schemas.ts';

export interface ProviderValidationServices {
  readonly providerValidator: OnDemand<ProviderValidator>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

/** The route that tries a provider. */
export const providerValidationRoutes = ({
  providerValidator,
  baseUrl,
}: ProviderValidationServices): Route[] => [
  route({
    operationId: 'validateIdentityProvider',
    method: 'POST',
    path: `${PROVIDERS_PATH}/config_validator`,
    summary: 'Tries a provider as a login would use it; nothing is stored',
    tag: 'Login',
    access: permission('identity:source', 'view'),
    body: schemas.validateBody,
    bodyExample: { type: 'OIDC', config: examples.newProvider.config },
    responses: {
      200: {
        description: 'What was found',
        schema: schemas.validation,
        example: examples.validation,
      },
    },
    problems: [
      ...[limitProblems.tooManyRequests, problems.providerNotFound, problems.passwordRequired],
      ...Object.values(encryptionProblems),
    ],
    handle: async ({ body: { id, config }, principal }) => {
      const { clientSecretSet: _shown, ...sent } = config;
      const redirectUri = `${baseUrl()}${PROVIDERS_PATH}/validated/callback`;
      return ok(await providerValidator.validate({ id, config: sent, redirectUri }, principal));
    },
  }),
];
