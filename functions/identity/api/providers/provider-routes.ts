import { created, etag, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import type { IdentityProvider } from '../../domain/providers/provider.ts';
import { problems } from '../../errors.ts';
import type { ProviderDetails, ProviderService } from '../../login-providers/provider-service.ts';
import { PROVIDERS_PATH } from '../../paths.ts';
import * as examples from './provider-examples.ts';
import * as schemas from './provider-schemas.ts';
import { withoutNull } from './sent-provider.ts';

export interface ProviderRouteServices {
  readonly providers: OnDemand<ProviderService>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

const tag = 'Login';
const access = permission('identity:source');
const sealing = Object.values(encryptionProblems);
const shape = {
  description: 'The provider, without its secret',
  schema: schemas.provider,
  headers: { etag: 'The version, quoted; send it back in If-Match.' },
  example: examples.provider,
};

/** Routes of identity providers themselves. */
export function providerRoutes({ providers, baseUrl }: ProviderRouteServices): Route[] {
  const redirectUri = ({ code }: Pick<IdentityProvider, 'code'>) =>
    `${baseUrl()}${PROVIDERS_PATH}/${code}/callback`;
  const shown = ({ provider, config: { clientSecret, ...config } }: ProviderDetails) => {
    const body = { ...toRow(provider), redirectUri: redirectUri(provider) };
    const clientSecretSet = clientSecret !== undefined;
    return ok({ ...body, config: { ...config, clientSecretSet } }, etag(provider.version));
  };
  return [
    route({
      operationId: 'listIdentityProviders',
      method: 'GET',
      path: `${PROVIDERS_PATH}/list`,
      summary: 'Lists identity providers by name',
      ...{ tag, access },
      responses: {
        200: { description: 'All of them', schema: schemas.list, example: examples.list },
      },
      handle: async ({ principal }) =>
        ok({ content: (await providers.list(principal)).map(toRow) }),
    }),
    route({
      operationId: 'createIdentityProvider',
      method: 'POST',
      path: `${PROVIDERS_PATH}/create`,
      summary: 'Creates an identity provider, disabled',
      ...{ tag, access, body: schemas.createBody, bodyExample: examples.newProvider },
      idempotent: true,
      responses: {
        201: {
          description: 'The provider',
          schema: schemas.created,
          headers: { location: 'The new provider.' },
          example: examples.created,
        },
      },
      problems: [problems.codeExists, problems.nameExists, problems.sourceNotFound, ...sealing],
      handle: async ({ body: { type: _type, ...body }, principal }) => {
        const made = await providers.create(withoutNull(body), principal);
        const { id, code } = made;
        const redirect = { redirectUri: redirectUri(made) };
        return created(`${PROVIDERS_PATH}/get/${id}`, { id, code, ...redirect });
      },
    }),
    route({
      operationId: 'getIdentityProvider',
      method: 'GET',
      path: `${PROVIDERS_PATH}/get/{id}`,
      summary: 'Reads an identity provider, without its secret',
      ...{ tag, access, params: schemas.params },
      responses: { 200: shape },
      problems: [problems.providerNotFound, ...sealing],
      handle: async ({ params, principal }) => shown(await providers.get(params.id, principal)),
    }),
    route({
      operationId: 'updateIdentityProvider',
      method: 'PUT',
      path: `${PROVIDERS_PATH}/update`,
      summary: 'Changes an identity provider',
      description:
        'A client secret that is left out or null stays; it must be sent again with an issuer of another origin.',
      ...{ tag, access, body: schemas.updateBody },
      bodyExample: { id: examples.provider.id, ...examples.changed },
      conditional: true,
      responses: { 200: shape },
      problems: [
        ...[problems.providerNotFound, problems.sourceNotFound, problems.nameExists],
        ...[problems.passwordRequired, problems.providerLinked, ...sealing],
      ],
      concerns: ({ body: { id } }) => ({ id }),
      handle: async ({ body: { id, version, ...body }, ifMatch, principal }) =>
        shown(await providers.update(id, withoutNull(body), principal, { ifMatch, version })),
    }),
    ...(['enable', 'disable'] as const).map((verb) =>
      route({
        operationId: `${verb}IdentityProvider`,
        method: 'PUT',
        path: `${PROVIDERS_PATH}/${verb}/{id}`,
        summary:
          verb === 'enable'
            ? 'Enables an identity provider for logins'
            : 'Disables an identity provider; it takes no further logins',
        ...{ tag, access, params: schemas.params },
        responses: { 200: shape },
        problems: [problems.providerNotFound, ...sealing],
        handle: async ({ params, principal }) =>
          shown(await providers.setEnabled(params.id, verb === 'enable', principal)),
      }),
    ),
    route({
      operationId: 'deleteIdentityProvider',
      method: 'DELETE',
      path: `${PROVIDERS_PATH}/delete/{id}`,
      summary: 'Deletes an identity provider that is disabled; accounts stay',
      ...{ tag, access, params: schemas.params },
      responses: { 204: { description: 'The provider is deleted' } },
      problems: [problems.providerNotFound, problems.providerEnabled],
      handle: async ({ params, principal }) => {
        await providers.delete(params.id, principal);
        return noContent();
      },
    }),
  ];
}

const toRow = (provider: IdentityProvider) => ({
  id: provider.id,
  code: provider.code,
  name: provider.name,
  type: provider.type,
  enabled: provider.enabled,
  displayed: provider.displayed,
  remark: provider.remark ?? null,
  identitySourceId: provider.identitySourceId ?? null,
  autoCreate: provider.autoCreate,
  matching: provider.matching,
  allowedDomains: provider.allowedDomains,
  version: provider.version,
  createTime: provider.createdAt,
  updateTime: provider.updatedAt,
});
