import { describe, expect, it } from 'vitest';
import { tailorApi } from '../../../shared/openapi/tailor-api.ts';
import { type Answer, createAnswerCheck } from '../../helpers/api/check-answer.ts';
import { loadConfig } from '../../helpers/world/svc-config.ts';
import { whole } from './whole-document.ts';

const check = createAnswerCheck(
  tailorApi(whole, { modulesOn: ['settings'], config: loadConfig() }),
);

const anAnswer = (changes: Partial<Answer> = {}): Answer => ({
  method: 'GET',
  path: '/api/v1/setting/mail.from',
  status: 200,
  headers: { 'content-type': 'application/json', 'x-trace-id': 'abc', etag: '"3"' },
  body: { name: 'mail.from', value: 'x', masked: false, version: 3 },
  ...changes,
});
const aProblem = (code: string, status: number) => ({
  type: `urn:svc-cloud:problem:${code}`,
  title: 'It',
  status,
  detail: 'It',
  instance: '/api/v1/setting/x',
  code,
  traceId: 'abc',
});
const problemHeaders = { 'content-type': 'application/problem+json', 'x-trace-id': 'abc' };

describe('an answer', () => {
  it.each([
    ['of the operation', anAnswer()],
    ['to HEAD', anAnswer({ method: 'HEAD', body: undefined })],
    [
      'of another documented content type',
      anAnswer({
        headers: { ...anAnswer().headers, 'content-type': 'text/plain; charset=utf-8' },
        body: 'x',
      }),
    ],
    [
      'with a documented problem',
      anAnswer({ status: 404, headers: problemHeaders, body: aProblem('SETTING_NOT_FOUND', 404) }),
    ],
    [
      'of a path that is not there',
      anAnswer({
        path: '/nowhere',
        status: 404,
        headers: problemHeaders,
        body: aProblem('ROUTE_NOT_FOUND', 404),
      }),
    ],
    [
      'without a body',
      anAnswer({
        method: 'DELETE',
        status: 204,
        headers: { 'x-trace-id': 'abc' },
        body: undefined,
      }),
    ],
  ])('%s passes', (_, answer) => {
    expect(check(answer)).toEqual([]);
  });

  it.each([
    ['a status', anAnswer({ status: 418 }), /does not document the status 418/],
    [
      'a content type',
      anAnswer({ headers: { ...anAnswer().headers, 'content-type': 'text/csv' } }),
      /content type is text\/csv/,
    ],
    ['a body', anAnswer({ body: { name: 'mail.from' } }), /required property 'value'/],
    [
      'a member',
      anAnswer({ body: { ...(anAnswer().body as object), secretValue: 'x' } }),
      /secretValue/,
    ],
    [
      'a missing header',
      anAnswer({ headers: { 'content-type': 'application/json', 'x-trace-id': 'abc' } }),
      /ETag is missing/,
    ],
    [
      'a header',
      anAnswer({ headers: { ...anAnswer().headers, 'x-trace-id': 'a b' } }),
      /X-Trace-Id is a b/,
    ],
    [
      'a problem code',
      anAnswer({ status: 404, headers: problemHeaders, body: aProblem('TASK_NOT_FOUND', 404) }),
      /allowed values/,
    ],
    [
      'a body where there is none',
      anAnswer({ method: 'DELETE', status: 204, body: {} }),
      /has a body/,
    ],
    ['a path', anAnswer({ path: '/nowhere' }), /not documented, yet it answers 200/],
  ])('with %s that is not documented is found', (_, answer, finding) => {
    expect(check(answer).join('\n')).toMatch(finding);
  });

  it('belongs to the literal path before one with parameters', () => {
    const answer = anAnswer({ method: 'POST', path: '/api/v1/setting/refresh', status: 202 });

    expect(check(answer).join()).toContain('refreshSettings');
  });
});
