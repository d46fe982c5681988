import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, etag, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { SourceReader } from '../../sources/source-details.ts';
import type { SourceService } from '../../sources/source-service.ts';
import { ofConfigs, present } from './sent-configs.ts';
import * as examples from './source-examples.ts';
import * as schemas from './source-schemas.ts';
import { toConfig, toRow, toSource } from './source-views.ts';

export interface SourceRouteServices {
  readonly sources: OnDemand<SourceService>;
  readonly sourceReader: OnDemand<SourceReader>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

const TARGET = 'identity:source';
const access = permission(TARGET);
const version = { etag: 'The version, quoted; send it back in If-Match.' };
const source = {
  description: 'The source',
  schema: schemas.source,
  headers: version,
  example: examples.source,
};
const reading = [problems.sourceNotFound, ...Object.values(encryptionProblems)];

/** Routes of sources themselves. */
export function sourceRoutes(
  { sources, sourceReader, baseUrl }: SourceRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  const shown = async (found: Parameters<SourceReader['details']>[0]) =>
    ok(toSource(await sourceReader.details(found), baseUrl()), etag(found.version));
  return [
    route({
      operationId: 'listIdentitySources',
      method: 'GET',
      path: `${SOURCES_PATH}/list`,
      summary: 'Lists sources by name',
      access,
      query: () => schemas.listQuery(web),
      responses: {
        200: {
          description: 'A page of sources',
          schema: schemas.sourcePage,
          example: examples.rowsPage,
        },
      },
      handle: async ({ query, principal }) => {
        const { content, number, size, total } = await sources.list(query, principal);
        const page = toPage({
          content: content.map(toRow),
          ...{ number, size, total: { value: total, relation: 'eq' } },
        });
        return ok({ ...page, last: (number + 1) * size >= total });
      },
    }),
    route({
      operationId: 'createIdentitySource',
      method: 'POST',
      path: `${SOURCES_PATH}/create`,
      summary: 'Creates a source, disabled',
      access,
      body: schemas.createBody,
      bodyExample: examples.newSource,
      idempotent: true,
      responses: {
        201: {
          description: 'The source, with the secret of its events',
          schema: schemas.createdSource,
          headers: { location: 'The new source.' },
          example: examples.created,
        },
      },
      problems: [
        ...[problems.providerNotSupported, problems.codeExists, problems.nameExists],
        ...ofConfigs,
      ],
      handle: async ({ body, principal }) => {
        const made = await sources.create(present(body), principal);
        const { id, code } = made.source;
        return created(`${SOURCES_PATH}/get/${id}`, { id, code, eventSecret: made.eventSecret });
      },
    }),
    route({
      operationId: 'getIdentitySource',
      method: 'GET',
      path: `${SOURCES_PATH}/get/{id}`,
      summary: 'Reads a source',
      access,
      params: schemas.sourceParams,
      responses: { 200: source },
      problems: reading,
      handle: async ({ params, principal }) => shown(await sources.get(params.id, principal)),
    }),
    route({
      operationId: 'getIdentitySourceConfig',
      method: 'GET',
      path: `${SOURCES_PATH}/get/config/{id}`,
      summary: 'Reads the configuration of a source, without its secrets',
      access,
      params: schemas.sourceParams,
      responses: {
        200: {
          description: 'The configuration',
          schema: schemas.configView,
          headers: version,
          example: examples.config,
        },
      },
      problems: reading,
      handle: async ({ params, principal }) => {
        const found = await sources.get(params.id, principal);
        const { connection } = await sourceReader.details(found);
        return ok(toConfig(found, connection), etag(found.version));
      },
    }),
    route({
      operationId: 'updateIdentitySource',
      method: 'PUT',
      path: `${SOURCES_PATH}/update`,
      summary: 'Changes name and remark of a source',
      access,
      body: schemas.updateBody,
      bodyExample: { id: examples.row.id, name: 'Head office', remark: 'Since 2026' },
      conditional: true,
      responses: { 200: source },
      problems: [...reading, problems.nameExists],
      concerns: ({ body: { id } }) => ({ id }),
      handle: async ({ body: { id, name, remark, version: read }, ifMatch, principal }) =>
        shown(await sources.update(id, { name, remark }, principal, { ifMatch, version: read })),
    }),
    route({
      operationId: 'saveIdentitySourceConfig',
      method: 'PUT',
      path: `${SOURCES_PATH}/save/config`,
      summary: 'Saves the configuration of a source',
      description:
        'A block that is left out stays; a secret that is left out or null stays. When an address has another origin than the stored one, the secrets must be sent again.',
      access,
      body: schemas.saveBody,
      bodyExample: examples.savedConfig,
      conditional: true,
      responses: { 200: source },
      problems: [problems.sourceNotFound, ...ofConfigs],
      concerns: ({ body: { id } }) => ({ id }),
      handle: async ({ body: { id, version: read, ...blocks }, ifMatch, principal }) => {
        const seen = { ifMatch, version: read };
        return shown(await sources.saveConfig(id, present(blocks), principal, seen));
      },
    }),
    route({
      operationId: 'rotateIdentitySourceEventSecret',
      method: 'POST',
      path: `${SOURCES_PATH}/event/rotate_secret/{id}`,
      summary: 'Makes a new secret for the events of a source',
      tag: 'Synchronisation',
      access: permission('identity:sync', 'edit'),
      params: schemas.sourceParams,
      responses: {
        200: {
          description: 'The new secret, shown once',
          schema: schemas.rotatedSecret,
          example: { eventSecret: examples.created.eventSecret },
        },
      },
      problems: reading,
      handle: async ({ params, principal }) =>
        ok({ eventSecret: await sources.rotateSecret(params.id, principal) }),
    }),
    ...(['enable', 'disable'] as const).map((verb) =>
      route({
        operationId: `${verb}IdentitySource`,
        method: 'PUT',
        path: `${SOURCES_PATH}/${verb}/{id}`,
        summary:
          verb === 'enable'
            ? 'Enables a source and puts its schedule in place'
            : 'Disables a source, takes its schedule away and ends its run',
        access,
        params: schemas.sourceParams,
        responses: { 200: source },
        problems: reading,
        handle: async ({ params, principal }) => shown(await sources[verb](params.id, principal)),
      }),
    ),
  ];
}
