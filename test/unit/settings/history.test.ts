import { describe, expect, it } from 'vitest';
import { admin, OTHER_ISSUER } from '../../helpers/api/test-tokens.ts';
import { aSettingsApi, contentOf, ifMatch } from './settings-api.ts';

describe('the audit of settings', () => {
  it('names setting, subject and issuer of each change', async () => {
    const { save, remove, post, context } = aSettingsApi();
    const caller = { caller: { ...admin, iss: OTHER_ISSUER } };
    await save({ value: 'secret-value' }, caller);
    await post('/refresh', { key: 'mail.from' }, caller);
    await remove('mail.from', caller);

    const who = { by: 'demo', issuer: OTHER_ISSUER };
    expect(context.log.named('audit')).toMatchObject([
      { operation: 'saveSetting', name: 'mail.from', created: expect.any(String), ...who },
      { operation: 'refreshSettings', key: 'mail.from', status: 202, ...who },
      { operation: 'deleteSetting', key: 'mail.from', status: 204, ...who },
    ]);
    expect(context.log.text()).not.toContain('secret-value');
  });
});

describe('GET /api/v1/setting/{key}/history', () => {
  it('lists versions, newest first, with who, when and in which call', async () => {
    const { save, get, context } = aSettingsApi();
    await save({ value: 'one' }, { headers: { 'x-trace-id': 'call-1' } });
    context.clock.advance(1_000);
    await save(
      { value: 'two' },
      { caller: { sub: 'mai', roles: ['admin'] }, headers: { 'x-trace-id': 'call-2' } },
    );

    const answer = await get('/mail.from/history');

    expect(answer.status).toBe(200);
    expect(contentOf(answer)).toEqual([
      {
        version: 2,
        change: 'UPDATED',
        value: 'two',
        masked: false,
        desc: 'Sender of notices',
        encrypted: false,
        at: '2026-03-01T09:30:01.000Z',
        by: 'mai',
        issuer: 'http://127.0.0.1/dev-issuer',
        traceId: 'call-2',
      },
      {
        version: 1,
        change: 'CREATED',
        value: 'one',
        masked: false,
        desc: 'Sender of notices',
        encrypted: false,
        at: '2026-03-01T09:30:00.000Z',
        by: 'demo',
        issuer: 'http://127.0.0.1/dev-issuer',
        traceId: 'call-1',
      },
    ]);
  });

  it('pages by cursor', async () => {
    const { save, get } = aSettingsApi();
    for (const value of ['1', '2', '3']) await save({ value });

    const first = await get('/mail.from/history?size=2');
    const second = await get(`/mail.from/history?size=2&cursor=${String(first.body.nextCursor)}`);

    expect([first, second].map((page) => contentOf(page).map(({ version }) => version))).toEqual([
      [3, 2],
      [1],
    ]);
    expect(second.body).toMatchObject({ number: 1, last: true });
  });

  it('is cut where the values are larger than an answer, and leads on to every version', async () => {
    const { save, get } = aSettingsApi();
    for (let version = 1; version <= 100; version += 1) {
      await save({ value: `${version} ${'"'.repeat(30_000)}` });
    }

    const versions: unknown[] = [];
    const sizes: number[] = [];
    for (let path = '/mail.from/history?size=100'; path !== ''; ) {
      const answer = await get(path);
      versions.push(...contentOf(answer).map(({ version }) => version));
      sizes.push(Buffer.byteLength(JSON.stringify(answer.text)));
      const { nextCursor } = answer.body;
      path = nextCursor === null ? '' : `/mail.from/history?size=100&cursor=${String(nextCursor)}`;
    }

    expect(versions).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(6 * 1_048_576);
  });

  it('refuses the cursor of another setting', async () => {
    const { save, get } = aSettingsApi();
    for (const value of ['1', '2']) {
      await save({ value });
      await save({ name: 'other', value });
    }
    const { body } = await get('/mail.from/history?size=1');

    const answer = await get(`/other/history?size=1&cursor=${String(body.nextCursor)}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: [{ parameter: 'cursor', code: 'INVALID_CURSOR' }],
    });
  });
});

describe('DELETE /api/v1/setting/{key}', () => {
  it('deletes the setting and keeps its history', async () => {
    const { save, get, remove } = aSettingsApi();
    await save();

    const answer = await remove('mail.from');

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await get('/mail.from')).status).toBe(404);
    expect(contentOf(await get('/mail.from/history'))).toMatchObject([
      { version: 2, change: 'DELETED', value: null },
      { version: 1, change: 'CREATED', value: 'no-reply@example.com' },
    ]);
  });

  it('continues the versions when the setting is created again', async () => {
    const { save, remove } = aSettingsApi();
    await save();
    await remove('mail.from');

    const answer = await save({ value: 'again' });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ version: 3 });
  });

  it('answers 404 for a missing setting', async () => {
    const { remove } = aSettingsApi();

    const answer = await remove('none');

    expect(answer.status).toBe(404);
  });

  it('refuses a stale version', async () => {
    const { save, get, remove } = aSettingsApi();
    await save();
    await save({ value: 'two' });

    const [stale, current] = [
      await remove('mail.from', ifMatch(1)),
      await remove('mail.from', ifMatch(2)),
    ];

    expect(stale.body).toMatchObject({ code: 'VERSION_CONFLICT', currentVersion: 2 });
    expect(current.status).toBe(204);
    expect((await get('/mail.from')).status).toBe(404);
  });

  it('asks for setting:delete', async () => {
    const { save, remove } = aSettingsApi();
    await save();

    const answer = await remove('mail.from', {
      caller: { sub: 'x', permissions: ['setting:edit'] },
    });

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ detail: 'The permission setting:delete is required.' });
  });
});

describe('POST /api/v1/setting/{key}/rollback', () => {
  it('makes an earlier version the newest', async () => {
    const { save, get, post } = aSettingsApi();
    await save({ value: 'one', desc: 'first' });
    await save({ value: 'two', desc: 'second' });

    const answer = await post('/mail.from/rollback', { version: 1 });

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ etag: '"3"' });
    expect(answer.body).toMatchObject({ value: 'one', desc: 'first', version: 3 });
    expect(contentOf(await get('/mail.from/history'))[0]).toMatchObject({
      change: 'ROLLED_BACK',
      version: 3,
    });
  });

  it('brings a deleted setting back', async () => {
    const { save, get, post, remove } = aSettingsApi();
    await save();
    await remove('mail.from');

    const answer = await post('/mail.from/rollback', { version: 1 });

    expect(answer.body).toMatchObject({ value: 'no-reply@example.com', version: 3 });
    expect((await get('/mail.from')).status).toBe(200);
  });

  it.each([
    ['a version that never was', 9],
    ['the version of the deletion', 2],
  ])('answers 404 for %s', async (_what, version) => {
    const { save, post, remove } = aSettingsApi();
    await save();
    await remove('mail.from');

    const answer = await post('/mail.from/rollback', { version });

    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'SETTING_VERSION_NOT_FOUND' });
  });

  it('refuses a stale If-Match', async () => {
    const { save, post } = aSettingsApi();
    await save();
    await save({ value: 'two' });

    const answer = await post('/mail.from/rollback', { version: 1 }, ifMatch(1));

    expect(answer.status).toBe(412);
  });

  it.each([
    ['no body', undefined, 'REQUIRED'],
    ['no version', {}, 'REQUIRED'],
    ['a text', { version: '1' }, 'INVALID_TYPE'],
    ['a negative version', { version: -1 }, 'TOO_SMALL'],
    ['a version beyond all numbers', { version: 1e21 }, undefined],
  ])('refuses %s', async (_what, body, code) => {
    const { save, post } = aSettingsApi();
    await save();

    const answer = await post('/mail.from/rollback', body);

    expect(answer.status).toBe(400);
    if (code) expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ code }] });
  });

  it('keeps an encrypted version encrypted', async () => {
    const { save, get, post } = aSettingsApi();
    await save({ name: 'security.aes_secret', value: 'a good long passphrase' });
    await save({ name: 'crm.code', value: 'one', encrypt: true });
    await save({ name: 'crm.code', value: 'two', encrypt: true });

    await post('/crm.code/rollback', { version: 1 });

    expect((await get('/crm.code')).body).toMatchObject({ value: '******', masked: true });
    expect((await get('/crm.code?reveal=true')).body).toMatchObject({
      value: 'one',
      masked: false,
    });
  });
});
