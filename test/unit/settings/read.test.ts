import { describe, expect, it } from 'vitest';
import { aSettingsApi } from './settings-api.ts';

describe('GET /api/v1/setting/{key}', () => {
  it('answers the value with its version', async () => {
    const { save, get } = aSettingsApi();
    await save();

    const answer = await get('/mail.from');

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ etag: '"1"', 'content-type': 'application/json' });
    expect(answer.body).toEqual({
      name: 'mail.from',
      value: 'no-reply@example.com',
      masked: false,
      version: 1,
    });
  });

  it.each([
    ['text/plain', 'text/plain; charset=utf-8', 'no-reply@example.com'],
    ['text/html, text/plain;q=0.5', 'text/plain; charset=utf-8', 'no-reply@example.com'],
    ['*/*', 'application/json', undefined],
    ['text/*', 'application/json', undefined],
  ])('answers Accept: %s with %s', async (accept, contentType, text) => {
    const { save, get } = aSettingsApi();
    await save();

    const answer = await get('/mail.from', { headers: { accept } });

    expect(answer.headers).toMatchObject({ 'content-type': contentType, etag: '"1"' });
    if (text !== undefined) expect(answer.text).toBe(text);
  });

  it('answers a masked value as JSON whatever is asked for', async () => {
    const { save, get } = aSettingsApi();
    await save({ name: 'smtp.password', value: 'hunter2-long' });

    const answer = await get('/smtp.password', { headers: { accept: 'text/plain' } });

    expect(answer.body).toMatchObject({ value: '******', masked: true });
    expect(answer.text).not.toContain('hunter2');
  });

  it('answers HEAD without a body', async () => {
    const { save, call } = aSettingsApi();
    await save();

    const answer = await call({ method: 'HEAD', path: '/api/v1/setting/mail.from' });

    expect(answer).toMatchObject({ status: 200, text: '', headers: { etag: '"1"' } });
  });

  it.each(['', '/detail', '/history'])('answers 404 for a missing setting at %s', async (part) => {
    const { get } = aSettingsApi();

    const answer = await get(`/none.such${part}`);

    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      type: 'urn:svc-cloud:problem:SETTING_NOT_FOUND',
      code: 'SETTING_NOT_FOUND',
      instance: `/api/v1/setting/none.such${part}`,
      traceId: answer.headers['x-trace-id'],
    });
  });

  it.each(['/@refresh', '/%40refresh', '/a%20b', `/${'a'.repeat(256)}`, '/..%2Fx'])(
    'refuses the name in %s',
    async (path) => {
      const { get } = aSettingsApi();

      const answer = await get(path);

      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: 'INVALID_PARAMETER',
        errors: [{ parameter: 'key' }],
      });
    },
  );

  it('refuses unknown query parameters', async () => {
    const { get } = aSettingsApi();

    const answer = await get('/mail.from?verbose=true');

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: [{ parameter: 'verbose', code: 'UNKNOWN_PARAMETER' }],
    });
  });

  it('reads what was saved a moment ago, even when other reads lag behind', async () => {
    const { save, get, context } = aSettingsApi();
    await save();
    context.db.lag();
    await save({ value: 'new' });

    const answer = await get('/mail.from');

    expect(answer.body).toMatchObject({ value: 'new', version: 2 });
  });

  it.each([
    ['view', 200],
    ['edit', 403],
  ])('asks for setting:view, so setting:%s gives %i', async (action, status) => {
    const { save, get } = aSettingsApi();
    await save();

    const answer = await get('/mail.from', {
      caller: { sub: 'x', permissions: [`setting:${action}`] },
    });

    expect(answer.status).toBe(status);
  });
});

describe('GET /api/v1/setting/{key}/detail', () => {
  it('answers the setting with its entity', async () => {
    const { save, get } = aSettingsApi();
    const { body: saved } = await save();

    const answer = await get('/mail.from/detail');

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ etag: '"1"' });
    expect(answer.body).toEqual(saved);
  });
});

describe('GET /api/v1/health', () => {
  it('answers anybody', async () => {
    const { call } = aSettingsApi();

    const answer = await call({ method: 'GET', path: '/api/v1/health', caller: null });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'UP',
      modules: ['settings'],
      checks: { table: 'UP' },
    });
  });

  it('answers 503 when the table does not answer', async () => {
    const { call, context } = aSettingsApi();
    context.db.failNext('network', { times: Number.POSITIVE_INFINITY });

    const answer = await call({ method: 'GET', path: '/api/v1/health', caller: null });

    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ status: 'DOWN', checks: { table: 'DOWN' } });
  });
});
