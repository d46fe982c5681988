import { accepted, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { encryptionProblems } from '../../../settings/port.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { SourceService } from '../../sources/source-service.ts';
import type { ProvisionedAccount, SourceSync } from '../../sync/source-sync.ts';
import * as schemas from './control-schemas.ts';

export interface ControlRouteServices {
  readonly sources: Pick<OnDemand<SourceService>, 'get'>;
  readonly sync: Pick<SourceSync, 'execute' | 'approve' | 'retry' | 'cancel' | 'provision'>;
}

const TAG = 'Synchronisation';
const TARGET = 'identity:sync';
const started = {
  description: 'The run that was started',
  schema: schemas.startedRun,
  example: schemas.startedExample,
};
const busy = [problems.syncInProgress, problems.runState, problems.runNotFound];

/** Routes that start, approve and cancel runs. */
export const controlRoutes = ({ sources, sync }: ControlRouteServices): Route[] => [
  route({
    operationId: 'executeIdentitySync',
    method: 'POST',
    path: `${SOURCES_PATH}/sync/execute/{id}`,
    summary: 'Starts a run of a source, or of some of its users, or a dry run that writes nothing',
    tag: TAG,
    access: permission(TARGET, 'add'),
    params: schemas.sourceParams,
    body: schemas.runRequest,
    bodyExample: {},
    idempotent: true,
    responses: { 202: started },
    problems: [problems.sourceNotFound, problems.sourceDisabled, problems.notConfigured, ...busy],
    handle: async ({ params, body, principal }) => {
      const source = await sources.get(params.id, principal);
      return accepted(await sync.execute(source, body, principal));
    },
  }),
  route({
    operationId: 'approveIdentitySync',
    method: 'POST',
    path: `${SOURCES_PATH}/sync/approve/{batch}`,
    summary: 'Applies exactly the plan of a run that was held back, or of a dry run',
    tag: TAG,
    access: permission(TARGET, 'edit'),
    params: schemas.batchParams,
    responses: { 202: started },
    problems: busy,
    handle: async ({ params, principal }) => accepted(await sync.approve(params.batch, principal)),
  }),
  route({
    operationId: 'retryIdentitySync',
    method: 'POST',
    path: `${SOURCES_PATH}/sync/retry/{batch}`,
    summary: 'Starts a run of what has failed in another one',
    tag: TAG,
    access: permission(TARGET, 'add'),
    params: schemas.batchParams,
    idempotent: true,
    responses: { 202: started },
    problems: [
      ...[problems.sourceNotFound, problems.sourceDisabled, problems.notConfigured],
      ...[...busy, problems.nothingFailed],
    ],
    handle: async ({ params, principal }) => accepted(await sync.retry(params.batch, principal)),
  }),
  route({
    operationId: 'provisionIdentityUsers',
    method: 'POST',
    path: `${SOURCES_PATH}/sync/provision/{id}`,
    summary: 'Makes users at the source of accounts that it does not know, and links them',
    description:
      'With domainOverride their names and addresses have its domain. A user of the same name at the source is linked.',
    tag: TAG,
    access: permission(TARGET, 'add'),
    params: schemas.sourceParams,
    body: schemas.provisionRequest,
    bodyExample: { userIds: ['019f5a3c-9999-7d9e-8a33-0c5f9a1b2c3d'] },
    responses: {
      200: {
        description: 'What became of each',
        schema: schemas.provisioned,
        example: schemas.provisionedExample,
      },
    },
    problems: [
      ...[problems.sourceNotFound, problems.sourceDisabled, problems.notConfigured],
      ...[problems.syncInProgress, ...Object.values(encryptionProblems)],
    ],
    handle: async ({ params, body, principal }) => {
      const source = await sources.get(params.id, principal);
      const told = await sync.provision(source, body.userIds);
      return ok({ content: told.map(toProvisioned) });
    },
  }),
  route({
    operationId: 'cancelIdentitySync',
    method: 'POST',
    path: `${SOURCES_PATH}/sync/cancel/{batch}`,
    summary: 'Ends a run at its next step, or drops a plan that waits for approval',
    tag: TAG,
    access: permission(TARGET, 'edit'),
    params: schemas.batchParams,
    responses: { 204: { description: 'The run ends' } },
    problems: [problems.runState, problems.runNotFound],
    handle: async ({ params, principal }) => {
      await sync.cancel(params.batch, principal);
      return noContent();
    },
  }),
];

const toProvisioned = ({
  userId,
  status,
  externalId,
  isNew,
  reasonCode,
  desc,
}: ProvisionedAccount) => ({
  ...{ userId, status, externalId: externalId ?? null, isNew: isNew ?? null },
  ...{ reasonCode: reasonCode ?? null, desc: desc ?? null },
});
