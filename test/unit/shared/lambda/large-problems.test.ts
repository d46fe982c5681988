import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import { publicAccess, route } from '../../../../shared/http/route.ts';
import type { Module } from '../../../../shared/lambda/module-context.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const LAMBDA_LIMIT = 6 * 1_048_576;
const shared = {
  access: publicAccess,
  summary: 'Takes a list',
  method: 'POST',
  responses: { 200: { description: 'OK' } },
} as const;
const body = z.strictObject({ items: z.array(z.string()).optional(), name: z.string().optional() });

/** Routes whose problems can become large: by the body of a caller, and by what a service says. */
function aModule(): Module {
  return {
    routes: [
      route({
        ...shared,
        operationId: 'takeList',
        path: '/list',
        body,
        query: z.strictObject({ page: z.string().optional() }),
        handle: async () => ok({}),
      }),
      route({
        ...shared,
        operationId: 'takeOther',
        path: '/other',
        body,
        errorForm: {
          schema: z.object({ message: z.string(), all: z.array(z.unknown()) }),
          bodyOf: ({ detail, errors }) => ({ message: detail, all: errors }),
        },
        problems: [limitProblems.tooManyRequests],
        handle: async () => {
          const errors = Array.from({ length: 100_000 }, (_, at) => ({
            pointer: `/rows/${at}`,
            code: 'TAKEN',
            detail: 'is the number of another row that was sent before',
          }));
          throw limitProblems.tooManyRequests({ retryAfterSeconds: 7 }, { errors });
        },
      }),
    ],
  };
}

const call = async (path: string, sent: unknown) => {
  const context = aContext({ svc: { web: { 'max-body': 6_000_000 } } });
  return connect(aModule, context).call({ method: 'POST', path, body: sent });
};

describe('a request with very many violations', () => {
  it('is answered with the first hundred and their number', async () => {
    const items = Array.from({ length: 200_000 }, () => 1);

    const answer = await call('/list', { items });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: expect.stringContaining('has 200000 errors'),
    });
    expect(answer.body.errors).toHaveLength(100);
  });

  it('is answered with the first hundred unknown fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1]));

    const answer = await call('/list', unknown);

    expect(answer.body).toMatchObject({ code: 'UNKNOWN_FIELD' });
    expect(answer.body.errors).toHaveLength(100);
  });

  it.each([
    ['field', '/list', { ['\u{1F600}'.repeat(500_000)]: 1 }],
    ['parameter', `/list?${'n'.repeat(100_000)}=1`, {}],
  ])('is answered with the beginning of a very long name of a %s', async (_what, path, sent) => {
    const answer = await call(path, sent);

    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(5_000);
    expect(answer.text.isWellFormed()).toBe(true);
  });
});

describe('a problem that is larger than a function can answer', () => {
  it('keeps its status, headers and form, and loses its list', async () => {
    const answer = await call('/other', {});

    expect(answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { message: 'Try again in 7 s.', all: [] },
    });
    expect(answer.text.length).toBeLessThan(LAMBDA_LIMIT);
  });
});
