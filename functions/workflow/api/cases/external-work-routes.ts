import * as z from 'zod';
import { noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { CaseCalls } from '../../cases/services.ts';
import { problems } from '../../errors.ts';
import { CMMN_PATH } from '../../paths.ts';
import { keyText, someVariables, tenantCode } from '../schema-parts.ts';
import { COMMAND_PROBLEMS } from './case-command-routes.ts';
import { CASES_TAG } from './paths.ts';

const PATH = `${CMMN_PATH}/external-work`;
const DAY_MS = 86_400_000;

const params = lazy(() => z.strictObject({ workId: keyText('Id of the work.') }));
const workerId = lazy(() => keyText('Who works on it.'));
const fetchBody = lazy(() =>
  z.strictObject({
    topic: keyText('Topic of the work.'),
    workerId: workerId(),
    max: z.int().min(1).max(50).default(10).describe('Most pieces of work.'),
    leaseMs: z.int().min(1_000).max(DAY_MS).default(60_000).describe('Time for each (ms).'),
    tenantCode: tenantCode(),
  }),
);
const completeBody = lazy(() =>
  z.strictObject({ workerId: workerId(), variables: someVariables() }),
);
const failBody = lazy(() =>
  z.strictObject({
    workerId: workerId(),
    reason: z.string().min(1).max(4_000).optional(),
    retries: z.int().min(0).max(100).optional().describe('Tries left; by default one less.'),
    retryAfterMs: z.int().min(0).max(DAY_MS).optional().describe('Pause before the next (ms).'),
  }),
);
const works = lazy(() =>
  z
    .object({
      works: z.array(
        z.object({
          id: z.string(),
          topic: z.string(),
          tenantCode: z.string(),
          caseInstanceId: z.string(),
          planItemDefinitionKey: z.string(),
          name: z.string(),
          createdAt: z.iso.datetime(),
          leaseUntil: z.iso.datetime(),
          retriesLeft: z.int(),
          lastFailure: z.string().optional(),
          variables: z.record(z.string(), z.unknown()),
        }),
      ),
    })
    .meta({ id: 'ExternalWork' }),
);
const failed = lazy(() =>
  z
    .object({ retriesLeft: z.int().describe('0: the task has failed.') })
    .meta({ id: 'FailedExternalWork' }),
);

const example = {
  works: [
    {
      id: '01920000-0000-7000-8000-000000000004',
      topic: 'credit-check',
      tenantCode: '',
      caseInstanceId: '01920000-0000-7000-8000-000000000001',
      planItemDefinitionKey: 'checkCredit',
      name: 'Check the credit',
      createdAt: '2026-03-01T09:30:00.000Z',
      leaseUntil: '2026-03-01T09:31:00.000Z',
      retriesLeft: 3,
      variables: { amount: 25_000 },
    },
  ],
};

/** Routes of workers that do external work. */
export function externalWorkRoutes({ works: service }: CaseCalls): Route[] {
  const access = permission('workflow:case', 'edit');
  const lost = [...COMMAND_PROBLEMS, problems.externalWorkNotFound, problems.leaseLost];
  return [
    route({
      operationId: 'fetchExternalWork',
      method: 'POST',
      path: `${PATH}:fetch`,
      summary: 'Leases external work of a topic to a worker, oldest first',
      description: 'Work that is not completed before its lease ends is handed out again.',
      tag: CASES_TAG,
      access,
      body: fetchBody,
      bodyExample: { topic: 'credit-check', workerId: 'worker-1' },
      concerns: ({ body: { topic, workerId } }) => ({ topic, workerId }),
      responses: { 200: { description: 'Leased work; may be none', schema: works, example } },
      problems: [httpProblems.forbidden, httpProblems.concurrentUpdate],
      handle: async ({ body, principal }) => {
        const leased = await service.fetch(body, principal);
        return ok({
          works: leased.map(({ definitionKey, workerId: _, availableAt: _at, ...work }) => ({
            ...work,
            planItemDefinitionKey: definitionKey,
          })),
        });
      },
    }),
    route({
      operationId: 'completeExternalWork',
      method: 'POST',
      path: `${PATH}/{workId}:complete`,
      summary: 'Completes external work',
      tag: CASES_TAG,
      access,
      params,
      body: completeBody,
      bodyExample: { workerId: 'worker-1', variables: { creditworthy: true } },
      idempotent: true,
      responses: { 204: { description: 'Completed' } },
      problems: lost,
      handle: async ({ params: { workId }, body, principal }) => {
        await service.complete(workId, body, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'failExternalWork',
      method: 'POST',
      path: `${PATH}/{workId}:fail`,
      summary: 'Gives external work back, or fails it when no try is left',
      tag: CASES_TAG,
      access,
      params,
      body: failBody,
      bodyExample: { workerId: 'worker-1', reason: 'The partner does not answer.' },
      idempotent: true,
      responses: {
        200: { description: 'Tries that are left', schema: failed, example: { retriesLeft: 2 } },
      },
      problems: lost,
      handle: async ({ params: { workId }, body, principal }) =>
        ok(await service.fail(workId, body, principal)),
    }),
  ];
}
