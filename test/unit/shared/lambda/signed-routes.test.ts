import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseWith } from '../../../../shared/http/parse.ts';
import { accepted, ok } from '../../../../shared/http/reply.ts';
import { parseJson } from '../../../../shared/http/request.ts';
import { capability, rawRoute, route } from '../../../../shared/http/route.ts';
import type { Module } from '../../../../shared/lambda/module-context.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { limitProblems } from '../../../../shared/problems/limit-problems.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const KEY = 'key of the test';
const sign = (body: string | Buffer): string =>
  createHmac('sha256', KEY).update(body).digest('hex');

const event = z.object({ type: z.string(), at: z.number() });
const responses = { 202: { description: 'Taken' } };
const summary = 'Takes an event';

/** A receiver of signed events, and one that answers in the manner of RFC 8935. */
function receivers(): Module {
  return {
    routes: [
      rawRoute({
        operationId: 'receive',
        method: 'POST',
        path: '/events/{code}',
        ...{ summary, responses, access: capability },
        params: z.strictObject({ code: z.string() }),
        consumes: ['application/json', 'application/secevent+jwt'],
        maxBodyBytes: 2_000,
        body: event,
        problems: [httpProblems.unauthenticated],
        handle: async ({ body, headers, params }) => {
          if (headers['x-signature'] !== sign(body)) {
            throw httpProblems.unauthenticated({ detail: 'The signature does not match.' });
          }
          const { type } = parseWith(event, parseJson(body), 'body');
          return accepted({ type, ...params });
        },
      }),
      route({
        operationId: 'receiveSet',
        method: 'POST',
        path: '/sets',
        ...{ summary, responses, access: capability },
        maxBodyBytes: 2_000,
        body: z.strictObject({ crash: z.boolean().optional(), wait: z.int().optional() }),
        problems: [limitProblems.tooManyRequests],
        errorForm: {
          schema: z.object({ err: z.string(), description: z.string() }),
          statusOf: ({ status }) => (status >= 500 || status === 429 ? status : 400),
          bodyOf: ({ code, detail }) => ({ err: code.toLowerCase(), description: detail }),
        },
        handle: async ({ body: { crash, wait } }) => {
          if (crash) throw new Error('password=hunter2');
          if (wait) throw limitProblems.tooManyRequests({ retryAfterSeconds: wait });
          return ok({});
        },
      }),
    ],
  };
}

function aReceiver() {
  const context = aContext();
  const { call } = connect(receivers, context);
  const post = (path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
    call({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { context, post };
}

describe('a route whose body is signed', () => {
  it.each([
    ['as text', '{"type" : "a",\r\n "at":1.0e0}\n'],
    ['as base64', Buffer.from('{"at":1,"type":"ä"}  ')],
  ])('is given exactly the bytes that were sent (%s)', async (_how, body) => {
    const { post } = aReceiver();

    const answer = await post('/events/7', body, { 'x-signature': sign(body) });

    expect(answer).toMatchObject({ status: 202, body: { code: '7' } });
  });

  it.each(['{"type":"b","at":1}', '{', '', '\u0000'])(
    'checks the signature before it reads %j',
    async (body) => {
      const { post } = aReceiver();

      const answer = await post('/events/7', body, { 'x-signature': sign('other') });

      expect(answer).toMatchObject({ status: 401 });
    },
  );

  it.each([
    ['no JSON', '{', 'INVALID_JSON'],
    ['another form', '{"type":7,"at":1}', 'VALIDATION_FAILED'],
    ['nothing', '', 'VALIDATION_FAILED'],
  ])('refuses a signed body that is %s', async (_what, body, code) => {
    const { post } = aReceiver();

    const answer = await post('/events/7', body, { 'x-signature': sign(body) });

    expect(answer).toMatchObject({ status: 400, body: { code } });
  });

  it('keeps the limits of size and content type', async () => {
    const { post } = aReceiver();

    const tooLarge = await post('/events/7', 'x'.repeat(2_001));
    const html = await post('/events/7', '{}', { 'content-type': 'text/html' });

    expect([tooLarge.status, html.status]).toEqual([413, 415]);
  });
});

describe('a route with an error form of its own', () => {
  it.each([
    ['no JSON', '{', {}, 400, 'invalid_json'],
    ['too large a body', `"${'x'.repeat(2_000)}"`, {}, 400, 'payload_too_large'],
    ['another content type', '{}', { 'content-type': 'text/html' }, 400, 'unsupported_media_type'],
    ['an unknown field', '{"x":1}', {}, 400, 'unknown_field'],
    ['an error inside', '{"crash":true}', {}, 500, 'internal_error'],
  ])('reports %s in it', async (_what, body, headers, status, err) => {
    const { post, context } = aReceiver();

    const answer = await post('/sets', body, headers);

    expect(answer).toMatchObject({
      status,
      body: { err, description: expect.any(String) },
      headers: { 'content-type': 'application/json', 'x-trace-id': expect.any(String) },
    });
    expect(Object.keys(answer.body as object)).toEqual(['err', 'description']);
    expect(answer.text).not.toContain('hunter2');
    expect(context.log.named('request')).toMatchObject([{ status, code: err.toUpperCase() }]);
  });

  it('says when to come back', async () => {
    const { post } = aReceiver();

    const answer = await post('/sets', '{"wait":30}');

    expect(answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { err: 'too_many_requests' },
    });
  });

  it('leaves other routes and unknown methods as they are', async () => {
    const { post, context } = aReceiver();

    const other = await post('/events/7', 'x');
    const unknown = await connect(receivers, context).call({ method: 'GET', path: '/sets' });

    expect(other.headers['content-type']).toBe('application/problem+json');
    expect(unknown).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  });
});
