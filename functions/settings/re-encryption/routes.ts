import { accepted, ok } from '../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../shared/http/route.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { encryptionProblems, problems } from '../errors.ts';
import type { ReEncryptionService } from './re-encryption-service.ts';
import * as schemas from './schemas.ts';
import { toReEncryption } from './views.ts';

const PATH = '/api/v1/setting/re-encrypt';
const JOB_PATH = `${PATH}/jobs/{jobId}`;

const example = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  state: 'RUNNING',
  phase: 'settings',
  round: 1,
  processed: 120,
  moved: 80,
  unreadable: 0,
  keysRemoved: null,
  keysKept: null,
  detail: null,
  createdAt: '2026-03-01T09:30:00.000Z',
  createdBy: 'demo',
  updatedAt: '2026-03-01T09:30:02.000Z',
};
const jobId = { jobId: '$response.body#/id' };

/** Routes of the re-encryption. */
export function reEncryptionRoutes(service: OnDemand<ReEncryptionService>): Route[] {
  return [
    route({
      operationId: 'reEncryptSettings',
      tag: 'Settings',
      method: 'POST',
      path: PATH,
      summary: 'Starts the job that moves all cipher texts to the newest key',
      description:
        'Settings with their history and the encrypted values of all modules are moved; then keys that no text uses are removed. While a job runs, it is the answer. It waits until no running function writes with a former key: about 20 minutes after the key was replaced.',
      access: permission('setting', 'edit'),
      body: schemas.reEncryptBody,
      bodyExample: { keepKeys: false },
      idempotent: true,
      responses: {
        202: {
          description: 'The job',
          schema: schemas.reEncryptionJob,
          headers: { location: 'The job.' },
          example,
          links: { getReEncryption: jobId, cancelReEncryption: jobId },
        },
      },
      problems: [...encryptionProblems],
      concerns: ({ body: { keepKeys } }) => ({ keepKeys }),
      handle: async ({ body: { keepKeys }, principal }) => {
        const job = await service.start(keepKeys, principal);
        return accepted(toReEncryption(job), { location: `${PATH}/jobs/${job.id}` });
      },
    }),
    route({
      operationId: 'getReEncryption',
      tag: 'Settings',
      method: 'GET',
      path: JOB_PATH,
      summary: 'Returns the progress of a re-encryption',
      access: permission('setting'),
      params: schemas.jobParams,
      responses: { 200: { description: 'The job', schema: schemas.reEncryptionJob, example } },
      problems: [problems.jobNotFound],
      handle: async ({ params }) => ok(toReEncryption(await service.get(params.jobId))),
    }),
    route({
      operationId: 'cancelReEncryption',
      tag: 'Settings',
      method: 'DELETE',
      path: JOB_PATH,
      summary: 'Stops a re-encryption after its current step; texts that were moved stay so',
      access: permission('setting', 'edit'),
      params: schemas.jobParams,
      responses: {
        202: {
          description: 'The job, which is being stopped',
          schema: schemas.reEncryptionJob,
          example: { ...example, state: 'CANCELLING' },
        },
      },
      problems: [problems.jobNotFound, problems.jobEnded],
      handle: async ({ params, principal }) =>
        accepted(toReEncryption(await service.cancel(params.jobId, principal))),
    }),
  ];
}
