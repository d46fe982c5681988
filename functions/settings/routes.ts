import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { pageQuery } from '../../shared/http/paging.ts';
import { accepted, created, etag, noContent, ok } from '../../shared/http/reply.ts';
import { prefers } from '../../shared/http/request.ts';
import { permission, type Route, type RouteInput, route } from '../../shared/http/route.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../shared/primitives/once.ts';
import { problems } from './errors.ts';
import { example, historyExample, pageExample } from './examples.ts';
import { clockRoutes } from './platform/clock-routes.ts';
import type { ClockService } from './platform/clock-service.ts';
import { healthRoute } from './platform/health-routes.ts';
import type { HealthService } from './platform/health-service.ts';
import { openApiRoutes } from './platform/openapi-routes.ts';
import type { ApiDescription } from './platform/openapi-service.ts';
import type { ReEncryptionService } from './re-encryption/re-encryption-service.ts';
import { reEncryptionRoutes } from './re-encryption/routes.ts';
import type { RefreshService } from './refresh-service.ts';
import * as schemas from './schemas.ts';
import type { StandardSettingService } from './service.ts';
import { toDetail, toHistoryPage, toSettingPage, toValue } from './views.ts';

export interface SettingsRouteServices {
  readonly settingService: StandardSettingService;
  readonly refreshService: RefreshService;
  readonly healthService: HealthService;
  readonly apiDescription: OnDemand<ApiDescription>;
  readonly clockService: ClockService;
  readonly reEncryptionService: OnDemand<ReEncryptionService>;
}

const key = { key: '$response.body#/name' };
const next = {
  getSetting: key,
  getSettingDetail: key,
  getSettingHistory: key,
  rollbackSetting: key,
  deleteSetting: key,
};
const version = { etag: 'The version, quoted; send it back in If-Match.' };

/** Routes of the settings module. */
export function settingsRoutes(
  services: SettingsRouteServices,
  { web, security }: Pick<PlatformConfig, 'web' | 'security'>,
): Route[] {
  const { settingService, refreshService, apiDescription } = services;
  const paging = lazy(() => pageQuery(web));
  return [
    ...(security.testClock ? clockRoutes(services.clockService) : []),
    route({
      operationId: 'listSettings',
      tag: 'Settings',
      method: 'GET',
      path: '/api/v1/setting',
      summary: 'Lists settings in the order of their names',
      description: 'The list reflects a save within moments; a single setting is always current.',
      access: permission('setting'),
      query: () => z.strictObject({ ...paging(), ...schemas.listFilter() }),
      responses: {
        200: {
          description: 'A page of settings',
          schema: schemas.settingPage,
          example: pageExample,
        },
      },
      handle: async ({ query: { prefix, q, ...page } }) =>
        ok(toSettingPage(await settingService.list({ prefix, q }, page))),
    }),
    route({
      operationId: 'saveSetting',
      tag: 'Settings',
      method: 'POST',
      path: '/api/v1/setting/save',
      summary: 'Creates a setting, or updates it by its name',
      description:
        'Saving the stored values again changes nothing. Saving ****** to a masked setting keeps its value.',
      access: permission('setting', 'edit'),
      body: schemas.saveBody,
      bodyExample: { name: 'mail.from', value: 'no-reply@example.com', desc: 'Sender of notices' },
      idempotent: true,
      conditional: true,
      responses: {
        200: {
          description: 'Updated, or unchanged',
          schema: schemas.settingDetail,
          headers: version,
          example,
          links: next,
        },
        201: {
          description: 'Created',
          schema: schemas.settingDetail,
          headers: { ...version, location: 'The new setting.' },
          example,
          links: next,
        },
      },
      problems: [
        problems.settingInvalid,
        problems.settingExists,
        problems.settingProtected,
        problems.encryptKeyMissing,
        problems.encryptKeyUnknown,
        problems.encryptMalformed,
      ],
      concerns: ({ body: { name } }) => ({ name }),
      handle: async ({ body, principal, ifMatch = body.version?.toString(), ifNoneMatch }) => {
        const { setting, kind } = await settingService.save(body, principal, {
          ifMatch,
          ifNoneMatch,
        });
        const headers = etag(setting.version);
        return kind === 'created'
          ? created(`/api/v1/setting/${setting.name}`, toDetail(setting), headers)
          : ok(toDetail(setting), headers);
      },
    }),
    route({
      operationId: 'refreshSettings',
      tag: 'Settings',
      method: 'POST',
      path: '/api/v1/setting/refresh',
      summary: 'Makes every running function reload refresh-scoped values',
      access: permission('setting', 'edit'),
      body: schemas.refreshBody,
      bodyExample: { key: '__REFRESH_ALL__' },
      idempotent: true,
      responses: {
        202: {
          description: 'The refresh is accepted',
          schema: schemas.refreshAccepted,
          example: { key: '__REFRESH_ALL__', epoch: 42 },
        },
      },
      concerns: ({ body: { key } }) => ({ key }),
      handle: async ({ body: { key } }) => accepted(await refreshService.refresh(key)),
    }),
    route({
      operationId: 'getSetting',
      tag: 'Settings',
      method: 'GET',
      path: '/api/v1/setting/{key}',
      summary: 'Reads the value of a setting',
      description: 'With Accept: text/plain the response is the bare value, unless it is masked.',
      access: permission('setting'),
      params: schemas.settingParams,
      query: schemas.settingQuery,
      responses: {
        200: {
          description: 'The value',
          schema: schemas.settingValue,
          otherContent: { 'text/plain': { schema: () => z.string(), example: example.value } },
          headers: version,
          example: { name: 'mail.from', value: 'no-reply@example.com', masked: false, version: 3 },
        },
      },
      problems: [problems.settingNotFound, problems.settingProtected],
      handle: async (input) => {
        const { setting, revealed } = await read(settingService, input);
        const view = toValue(setting, revealed);
        return !view.masked && prefers(input.headers.accept, 'text/plain')
          ? ok(view.value, {
              ...etag(setting.version),
              'content-type': 'text/plain; charset=utf-8',
            })
          : ok(view, etag(setting.version));
      },
    }),
    route({
      operationId: 'getSettingDetail',
      tag: 'Settings',
      method: 'GET',
      path: '/api/v1/setting/{key}/detail',
      summary: 'Reads a setting with its entity',
      access: permission('setting'),
      params: schemas.settingParams,
      query: schemas.settingQuery,
      responses: {
        200: {
          description: 'The setting',
          schema: schemas.settingDetail,
          headers: version,
          example,
        },
      },
      problems: [problems.settingNotFound, problems.settingProtected],
      handle: async (input) => {
        const { setting, revealed } = await read(settingService, input);
        return ok(toDetail(setting, revealed), etag(setting.version));
      },
    }),
    route({
      operationId: 'getSettingHistory',
      tag: 'Settings',
      method: 'GET',
      path: '/api/v1/setting/{key}/history',
      summary: 'Lists the versions of a setting, newest first',
      access: permission('setting'),
      params: schemas.settingParams,
      query: () => z.strictObject(paging()),
      responses: {
        200: {
          description: 'A page of versions',
          schema: schemas.historyPage,
          example: historyExample,
        },
      },
      problems: [problems.settingNotFound],
      handle: async ({ params: { key }, query }) =>
        ok(toHistoryPage(await settingService.history(key, query))),
    }),
    route({
      operationId: 'rollbackSetting',
      tag: 'Settings',
      method: 'POST',
      path: '/api/v1/setting/{key}/rollback',
      summary: 'Restores an earlier version of a setting as its newest',
      description: 'Adds a new version with the earlier value. A deleted setting is restored.',
      access: permission('setting', 'edit'),
      params: schemas.settingParams,
      body: schemas.rollbackBody,
      bodyExample: { version: 2 },
      idempotent: true,
      conditional: true,
      responses: {
        200: {
          description: 'The setting',
          schema: schemas.settingDetail,
          headers: version,
          example,
        },
      },
      problems: [problems.settingVersionNotFound, problems.settingProtected],
      handle: async ({ params, body, principal, ifMatch }) => {
        const setting = await settingService.rollback(params.key, body.version, principal, {
          ifMatch,
        });
        return ok(toDetail(setting), etag(setting.version));
      },
    }),
    route({
      operationId: 'deleteSetting',
      tag: 'Settings',
      method: 'DELETE',
      path: '/api/v1/setting/{key}',
      summary: 'Deletes a setting; its history stays',
      access: permission('setting'),
      params: schemas.settingParams,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: [problems.settingNotFound, problems.settingProtected],
      handle: async ({ params: { key }, principal, ifMatch }) => {
        await settingService.delete(key, principal, { ifMatch });
        return noContent();
      },
    }),
    healthRoute(services.healthService),
    ...reEncryptionRoutes(services.reEncryptionService),
    ...openApiRoutes(apiDescription),
  ];
}

type SettingInput = RouteInput<{ key: string }, { reveal: boolean }, unknown>;

async function read(service: StandardSettingService, { params, query, principal }: SettingInput) {
  if (!query.reveal) return { setting: await service.getSetting(params.key), revealed: undefined };
  const { setting, value } = await service.reveal(params.key, principal);
  return { setting, revealed: value };
}
