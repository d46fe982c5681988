import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { SourceValidator } from '../../sources/source-validator.ts';
import * as previews from './preview-schemas.ts';
import { toPreview } from './preview-views.ts';
import { ofConfigs } from './sent-configs.ts';
import * as examples from './source-examples.ts';
import * as schemas from './source-schemas.ts';

export interface TrialRouteServices {
  readonly validator: OnDemand<SourceValidator>;
}

const TARGET = 'identity:source';
const tried = {
  ...{ baseUrl: 'https://idm.example.com/scim/v2', adminUsername: 'sync' },
  adminPassword: 'a secret of the source',
};

/** Routes that try configurations before they are saved. */
export const trialRoutes = ({ validator }: TrialRouteServices): Route[] => [
  route({
    operationId: 'validateIdentitySource',
    method: 'POST',
    path: `${SOURCES_PATH}/config_validator`,
    summary: 'Logs in at a source and reads from it; nothing is stored',
    access: permission(TARGET, 'view'),
    body: schemas.validateBody,
    bodyExample: {
      provider: 'EXTSRC',
      config: tried,
    },
    responses: {
      200: {
        description: 'What was found',
        schema: schemas.validationReport,
        example: examples.validation,
      },
    },
    problems: [
      ...[problems.providerNotSupported, problems.sourceNotFound, limitProblems.tooManyRequests],
      ...ofConfigs,
    ],
    handle: async ({ body: { id, provider, config }, principal }) => {
      const blocks = 'basicConfig' in config ? config : { basicConfig: config };
      return ok(await validator.validate({ id, provider, ...blocks }, principal));
    },
  }),
  route({
    operationId: 'previewIdentityMapping',
    method: 'POST',
    path: `${SOURCES_PATH}/mapping_preview`,
    summary: 'Returns one user of the source as a configuration maps it; nothing is stored',
    access: permission(TARGET, 'view'),
    body: previews.previewBody,
    bodyExample: {
      ...{ provider: 'EXTSRC', userName: 'lan.nguyen' },
      config: {
        basicConfig: tried,
        strategyConfig: { mapping: { badge: 'urn:example:User:badge' } },
      },
    },
    responses: {
      200: {
        description: 'The account that the user would be',
        schema: previews.preview,
        example: previews.previewExample,
      },
    },
    problems: [
      ...[problems.providerNotSupported, problems.sourceNotFound, limitProblems.tooManyRequests],
      ...[problems.sourceUserNotFound, problems.sourceUnreadable, ...ofConfigs],
    ],
    handle: async ({ body: { id, provider, config, externalId = '', userName }, principal }) => {
      const blocks = 'basicConfig' in config ? config : { basicConfig: config };
      const wanted = userName === undefined ? { externalId } : { userName };
      return ok(toPreview(await validator.preview({ id, provider, ...blocks, wanted }, principal)));
    },
  }),
];
