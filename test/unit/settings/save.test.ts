import { describe, expect, it } from 'vitest';
import { aSetting, aSettingsApi, ifMatch } from './settings-api.ts';

describe('POST /api/v1/setting/save', () => {
  it('creates a setting', async () => {
    const { save } = aSettingsApi();

    const answer = await save();

    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ location: '/api/v1/setting/mail.from', etag: '"1"' });
    expect(answer.body).toEqual({
      name: 'mail.from',
      value: 'no-reply@example.com',
      desc: 'Sender of notices',
      secret: null,
      masked: false,
      encrypted: false,
      version: 1,
      entity: {
        id: 'mail.from',
        type: 'setting',
        version: 1,
        createdAt: '2026-03-01T09:30:00.000Z',
        createdBy: 'demo',
        updatedAt: '2026-03-01T09:30:00.000Z',
        updatedBy: 'demo',
      },
    });
  });

  it.each([42, true, null, ['x']])('says that values are texts: %j', async (value) => {
    const { save } = aSettingsApi();

    const answer = await save({ value });

    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      {
        pointer: '/value',
        code: 'INVALID_TYPE',
        detail: 'must be text: values of settings are texts, such as "42" or "true"',
      },
    ]);
  });

  it('updates a setting and keeps who created it', async () => {
    const { save, context } = aSettingsApi();
    await save();
    context.clock.advance(60_000);

    const answer = await save(
      { value: 'hello@example.com' },
      { caller: { sub: 'mai', roles: ['admin'] } },
    );

    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ etag: '"2"' });
    expect(answer.body).toMatchObject({
      value: 'hello@example.com',
      version: 2,
      entity: {
        createdAt: '2026-03-01T09:30:00.000Z',
        createdBy: 'demo',
        updatedAt: '2026-03-01T09:31:00.000Z',
        updatedBy: 'mai',
      },
    });
  });

  it('keeps the description when none is sent', async () => {
    const { save } = aSettingsApi();
    await save();

    const answer = await save({ value: 'x', desc: undefined });

    expect(answer.body).toMatchObject({ value: 'x', desc: 'Sender of notices' });
  });

  it('changes nothing when nothing differs', async () => {
    const { save, context } = aSettingsApi();
    await save();
    const before = context.db.items();
    context.clock.advance(60_000);

    const answer = await save();

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ version: 1 });
    expect(context.db.items()).toEqual(before);
    expect(context.bus.events).toHaveLength(1);
  });

  it('ignores the read-only members of a detail that is sent back', async () => {
    const { save, get, post } = aSettingsApi();
    await save();
    const { body: detail } = await get('/mail.from/detail');
    const { secret: _, ...form } = detail;

    const answer = await post('/save', { ...form, value: 'new' });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ value: 'new', version: 2 });
  });

  it.each([
    ['If-Match', { headers: { 'if-match': '"1"' } }, {}],
    ['If-Match without quotes', { headers: { 'if-match': '1' } }, {}],
    ['a weak If-Match', { headers: { 'if-match': 'W/"1"' } }, {}],
    ['If-Match: *', { headers: { 'if-match': '*' } }, {}],
    ['the version in the body', {}, { version: 1 }],
  ])('saves over the version that %s names', async (_how, more, body) => {
    const { save } = aSettingsApi();
    await save();

    const answer = await save({ value: 'new', ...body }, more);

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ version: 2 });
  });

  it.each([
    ['If-Match', ifMatch(1), {}],
    ['a later If-Match', ifMatch(9), {}],
    ['If-Match that is no version', { headers: { 'if-match': '"abc"' } }, {}],
    ['the version in the body', {}, { version: 1 }],
  ])('refuses a stale version in %s', async (_how, more, body) => {
    const { save, get } = aSettingsApi();
    await save();
    await save({ value: 'second' });

    const answer = await save({ value: 'third', ...body }, more);

    expect(answer.status).toBe(412);
    expect(answer.body).toMatchObject({ code: 'VERSION_CONFLICT', currentVersion: 2 });
    expect((await get('/mail.from')).body).toMatchObject({ value: 'second' });
  });

  it('refuses If-Match for a setting that does not exist', async () => {
    const { save } = aSettingsApi();

    const answer = await save({}, { headers: { 'if-match': '*' } });

    expect(answer.status).toBe(412);
    expect(answer.body).toMatchObject({ code: 'VERSION_CONFLICT' });
  });

  it('only creates with If-None-Match: *', async () => {
    const { save } = aSettingsApi();
    const onlyCreate = { headers: { 'if-none-match': '*' } };

    const [first, second] = [await save({}, onlyCreate), await save({ value: 'x' }, onlyCreate)];

    expect([first.status, second.status]).toEqual([201, 412]);
    expect(second.body).toMatchObject({ code: 'SETTING_EXISTS' });
  });

  it.each([
    ['an empty value', { value: '' }],
    ['64 KiB', { value: 'x'.repeat(65_536) }],
    ['64 KiB of wide characters', { value: '\u{1F600}'.repeat(16_384) }],
    ['control characters and quotes', { value: '\u0000\n"\\\u2028' }],
    ['a long description', { desc: 'd'.repeat(1_024) }],
    ['a name of 255 characters', { name: `a${'b'.repeat(254)}` }],
    ['a name with every character', { name: '0.a_B:c-D' }],
    ['a name like a member of every object', { name: 'constructor' }],
  ])('saves %s', async (_what, body) => {
    const { save, get } = aSettingsApi();

    const { status } = await save(body);

    const { name, value, desc } = aSetting(body);
    expect(status).toBe(201);
    expect((await get(`/${String(name)}/detail`)).body).toMatchObject({ name, value, desc });
  });

  it.each([
    ['no name', { name: undefined }, '/name', 'REQUIRED'],
    ['an empty name', { name: '' }, '/name', 'INVALID_FORMAT'],
    ['a name with a slash', { name: 'a/b' }, '/name', 'INVALID_FORMAT'],
    ['a name that begins with a dot', { name: '.a' }, '/name', 'INVALID_FORMAT'],
    ['the name of the refresh epoch', { name: '@refresh' }, '/name', 'INVALID_FORMAT'],
    ['a name of 256 characters', { name: 'a'.repeat(256) }, '/name', 'INVALID_FORMAT'],
    ['a name with a line break at its end', { name: 'a\n' }, '/name', 'INVALID_FORMAT'],
    ['a name with umlauts', { name: 'größe' }, '/name', 'INVALID_FORMAT'],
    ['no value', { value: undefined }, '/value', 'REQUIRED'],
    ['null as value', { value: null }, '/value', 'INVALID_TYPE'],
    ['a number as value', { value: 1 }, '/value', 'INVALID_TYPE'],
    ['a value over 64 KiB', { value: 'x'.repeat(65_537) }, '/value', 'TOO_BIG'],
    ['a value over 64 KiB in bytes', { value: 'é'.repeat(32_769) }, '/value', 'TOO_BIG'],
    ['a description over 1024', { desc: 'x'.repeat(1_025) }, '/desc', 'TOO_BIG'],
    ['null as description', { desc: null }, '/desc', 'INVALID_TYPE'],
    ['text as flag', { secret: 'yes' }, '/secret', 'INVALID_TYPE'],
    ['a version of 0', { version: 0 }, '/version', 'TOO_SMALL'],
    ['a broken version', { version: 1.5 }, '/version', 'INVALID_TYPE'],
  ])('refuses %s', async (_what, body, pointer, code) => {
    const { save, context } = aSettingsApi();

    const answer = await save(body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer, code }] });
    expect(context.db.meter.total().requests).not.toContain('TransactWriteItems 4');
  });

  it('names every unknown field', async () => {
    const { save } = aSettingsApi();

    const answer = await save({ vlaue: 'x', 'a/b': 1 });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'UNKNOWN_FIELD',
      errors: [
        { pointer: '/vlaue', code: 'UNKNOWN_FIELD' },
        { pointer: '/a~1b', code: 'UNKNOWN_FIELD' },
      ],
    });
  });

  it.each([
    ['nobody', null, 401, 'UNAUTHENTICATED'],
    ['a caller without permissions', { sub: 'x' }, 403, 'FORBIDDEN'],
    ['a reader', { sub: 'x', permissions: ['setting:view'] }, 403, 'FORBIDDEN'],
  ])('refuses %s', async (_who, caller, status, code) => {
    const { save, context } = aSettingsApi();

    const answer = await save({}, { caller });

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code });
    expect(context.db.items()).toEqual([]);
  });

  it('lets a caller save who may edit', async () => {
    const { save } = aSettingsApi();

    const answer = await save({}, { caller: { sub: 'x', permissions: ['setting:edit'] } });

    expect(answer.status).toBe(201);
  });
});
