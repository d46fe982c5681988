import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../../shared/http/reply.ts';
import { problemReply, toResponse } from '../../../../shared/http/respond.ts';
import type { RouteSpec } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { catalogueOf, defineProblems, Problem } from '../../../../shared/problems/problem.ts';
import { toProblem } from '../../../../shared/problems/to-problem.ts';

const problems = defineProblems({
  orderShipped: {
    code: 'ORDER_SHIPPED',
    status: 409,
    title: 'The order is on its way',
    describe: ({ id }: { id: string }) => `Order ${id} has left.`,
  },
  orderBusy: {
    code: 'ORDER_BUSY',
    status: 503,
    title: 'Try again',
    describe: () => ({ headers: { 'retry-after': '2' }, extensions: { queue: 7 } }),
  },
  orderLost: { code: 'ORDER_LOST', status: 404, title: 'No such order' },
});

describe('defineProblems', () => {
  it('makes problems with code, status, title and what happened', () => {
    const problem = problems.orderShipped({ id: 'A1' });

    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({
      name: 'Problem',
      code: 'ORDER_SHIPPED',
      status: 409,
      title: 'The order is on its way',
      detail: 'Order A1 has left.',
      message: 'Order A1 has left.',
    });
  });

  it('says the title when there is nothing more to say', () => {
    expect(problems.orderLost().detail).toBe('No such order');
  });

  it('takes further facts of the thrower', () => {
    const cause = new Error('inner');

    const problem = problems.orderBusy({ detail: 'Now', cause });

    expect(problem).toMatchObject({ detail: 'Now', cause, headers: { 'retry-after': '2' } });
  });

  it('keeps the catalogue for the description of the API', () => {
    expect(catalogueOf(problems).map(({ code }) => code)).toEqual([
      'ORDER_SHIPPED',
      'ORDER_BUSY',
      'ORDER_LOST',
    ]);
  });
});

describe('the problems of a route', () => {
  const declare = (declared: RouteSpec['problems']) => declared?.map(({ type }) => type.code);

  it('are values of a catalogue', () => {
    expect(declare([problems.orderShipped, problems.orderLost])).toEqual([
      'ORDER_SHIPPED',
      'ORDER_LOST',
    ]);
  });

  it('do not compile when the catalogue lacks them, by code, or made already', () => {
    // @ts-expect-error: the catalogue has no such problem.
    const misspelt = () => declare([problems.orderShiped]);
    // @ts-expect-error: a code is no problem.
    const byCode = () => declare(['ORDER_SHIPPED']);
    // @ts-expect-error: a problem that was made belongs to one answer, not to a route.
    const made = () => declare([problems.orderLost()]);

    for (const wrong of [misspelt, byCode, made]) {
      expect(wrong).toThrow(TypeError);
    }
  });

  it('take the facts that their description asks for', () => {
    // @ts-expect-error: the id is missing.
    expect(problems.orderShipped({}).detail).toBe('Order undefined has left.');
  });
});

describe('the problems of the pipeline', () => {
  it('have stable codes in upper snake case, each once', () => {
    const codes = catalogueOf(httpProblems).map(({ code }) => code);

    expect(codes.filter((code) => !/^[A-Z]+(_[A-Z]+)*$/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

describe('problemReply', () => {
  it('is a problem document, with extensions beside its own members', () => {
    const reply = problemReply(problems.orderBusy(), { instance: '/orders/1', traceId: 't-1' });

    expect(reply).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '2' },
    });
    expect(JSON.parse(String(reply.body))).toEqual({
      type: 'urn:svc-cloud:problem:ORDER_BUSY',
      title: 'Try again',
      status: 503,
      detail: 'Try again',
      instance: '/orders/1',
      code: 'ORDER_BUSY',
      traceId: 't-1',
      queue: 7,
    });
  });

  it('lets no extension stand for a member of its own', () => {
    const problem = problems.orderLost({ extensions: { status: 200, code: 'OK' } });

    const { body } = problemReply(problem, { instance: '/', traceId: 't' });

    expect(JSON.parse(String(body))).toMatchObject({ status: 404, code: 'ORDER_LOST' });
  });
});

describe('toProblem', () => {
  const failure = (more: object) => Object.assign(new Error('inner detail'), more);

  it('gives back a problem', () => {
    const problem = problems.orderLost();

    expect(toProblem(problem)).toBe(problem);
  });

  it.each([
    { name: 'ThrottlingException' },
    { name: 'ProvisionedThroughputExceededException' },
    { name: 'TooManyRequestsException' },
    { name: 'TransactionInProgressException' },
    { name: 'TimeoutError' },
    { name: 'InternalServerError', $fault: 'server' },
    { code: 'ECONNREFUSED' },
    { code: 'ECONNRESET' },
    { code: 'ENOTFOUND' },
    { code: 'EAI_AGAIN' },
  ])('makes 503 of the outage %o', (more) => {
    const cause = failure(more);

    expect(toProblem(cause)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, cause });
  });

  it.each([
    failure({ name: 'ValidationException', $fault: 'client' }),
    failure({ name: 'AccessDeniedException', $fault: 'client' }),
    new TypeError('inner detail'),
    'inner detail',
    null,
    undefined,
    { status: 404 },
  ])('makes 500 of anything else: %s', (error) => {
    const problem = toProblem(error);

    expect(problem).toMatchObject({ code: 'INTERNAL_ERROR', status: 500 });
    expect(problem.detail).not.toContain('inner');
  });
});

describe('toResponse', () => {
  it.each([
    [{ status: 204 }, undefined, undefined],
    [{ status: 200, body: { a: 1 } }, '{"a":1}', 'application/json'],
    [{ status: 200, body: 'text' }, '"text"', 'application/json'],
    [
      { status: 200, body: 'text', headers: { 'content-type': 'text/plain' } },
      'text',
      'text/plain',
    ],
    [
      { status: 200, body: Buffer.from('hi'), headers: { 'content-type': 'image/png' } },
      'aGk=',
      'image/png',
    ],
    [{ status: 200, body: null }, 'null', 'application/json'],
  ] as [Reply, string?, string?][])('turns %o into a response', (reply, body, type) => {
    const response = toResponse(reply, { traceId: 't-1' });

    expect(response.body).toBe(body);
    expect(response.headers).toMatchObject({
      'x-trace-id': 't-1',
      ...(type && { 'content-type': type }),
    });
    expect(response.isBase64Encoded ?? false).toBe(Buffer.isBuffer(reply.body));
  });
});
