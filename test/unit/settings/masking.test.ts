import { describe, expect, it } from 'vitest';
import { isMasked } from '../../../functions/settings/domain/masking.ts';
import { createSettingsModule } from '../../../functions/settings/index.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { aContext } from '../../helpers/world/a-context.ts';
import { anAesKey, aSettingsApi, contentOf } from './settings-api.ts';

const SECRET = 'hunter2-is-no-secret';

describe('isMasked', () => {
  it.each([
    ['security.aes_secret', true],
    ['smtp.password', true],
    ['SMTP.PASSWORD', true],
    ['db.passwd', true],
    ['crm.token', true],
    ['crm.accessToken', true],
    ['aws.credential', true],
    ['aws.credentials', true],
    ['tls.private-key', true],
    ['tls.private_key', true],
    ['tls.privateKey', true],
    ['maps.api.key', true],
    ['maps.apikey', true],
    ['auth.token-ttl', false],
    ['password.min-length', false],
    ['mail.from', false],
    ['keyboard', false],
  ])('decides for the name %s: %s', (name, masked) => {
    expect(isMasked({ name })).toBe(masked);
  });

  it.each([
    ['mail.from', true, true],
    ['smtp.password', false, false],
    ['security.aes_secret', false, true],
  ])('lets the flag of %s decide: %s gives %s', (name, secret, masked) => {
    expect(isMasked({ name, secret })).toBe(masked);
  });

  it('masks every value that is ciphertext', () => {
    const value = `enc:v1:0123abcd:${'A'.repeat(40)}`;

    expect(isMasked({ name: 'mail.from', value, secret: false })).toBe(true);
  });
});

describe('a secret setting', () => {
  it.each([
    ['by its name', { name: 'smtp.password' }],
    ['by its flag', { name: 'mail.from', secret: true }],
    ['that is encrypted', { name: 'mail.from', encrypt: true }],
  ])('%s is shown nowhere', async (_how, setting) => {
    const { save, get, post, remove, context } = aSettingsApi();
    await save({ name: 'security.aes_secret', value: anAesKey() });
    const { name } = setting;

    const answers = [
      await save({ ...setting, value: SECRET }),
      await save({ ...setting, value: SECRET, desc: 'other' }),
      await save({ ...setting, value: `${SECRET}-2`, version: 1 }),
      await save({ ...setting, value: `${SECRET}-3` }),
      await get(`/${name}`),
      await get(`/${name}`, { headers: { accept: 'text/plain' } }),
      await get(`/${name}/detail`),
      await get(`/${name}/history`),
      await get(''),
      await get('?q=hunter2'),
      await post(`/${name}/rollback`, { version: 1 }),
      await remove(name),
      await get(`/${name}/history`),
    ];

    const everything = JSON.stringify([answers, context.bus.events]) + context.log.text();
    expect(everything).not.toContain('hunter2');
    expect(everything).not.toContain('enc:v1:');
    expect(answers[0]?.body).toMatchObject({ value: '******', masked: true });
  });

  it('keeps its value when the mask is saved', async () => {
    const { save, get } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });

    const answer = await save({ name: 'smtp.password', value: '******', desc: 'new text' });

    expect(answer.body).toMatchObject({ desc: 'new text', version: 2 });
    expect((await get('/smtp.password?reveal=true')).body).toMatchObject({ value: SECRET });
  });

  it('is unchanged when mask and text are saved as they are', async () => {
    const { save } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });

    const answer = await save({ name: 'smtp.password', value: '******' });

    expect(answer.body).toMatchObject({ version: 1 });
  });

  it('is not uncovered by lifting its flag with the mask as value', async () => {
    const { save, get } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });

    const answer = await save({ name: 'smtp.password', value: '******', secret: false });

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ errors: [{ pointer: '/value', code: 'VALUE_REQUIRED' }] });
    expect((await get('/smtp.password')).body).toMatchObject({ value: '******' });
  });

  it('stays hidden in the history after its flag was lifted with a new value', async () => {
    const { save, get } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });
    await save({ name: 'smtp.password', value: 'public', secret: false });

    const history = await get('/smtp.password/history');

    expect(contentOf(history)).toMatchObject([
      { version: 2, value: 'public', masked: false },
      { version: 1, value: '******', masked: true },
    ]);
  });

  it.each([
    ['by its flag', { secret: true }],
    ['by encryption', { encrypt: true }],
  ])('is hidden in versions that were readable before it became one %s', async (_how, flags) => {
    const { save, get } = aSettingsApi();
    await save({ name: 'security.aes_secret', value: anAesKey() });
    await save({ value: SECRET });
    await save({ value: SECRET, ...flags });

    const first = await get('/mail.from/history?size=1');
    const second = await get(`/mail.from/history?size=1&cursor=${String(first.body.nextCursor)}`);

    expect(contentOf(second)).toMatchObject([{ version: 1, value: '******', masked: true }]);
    expect(first.text + second.text).not.toContain('hunter2');
  });

  it('stays one when a version is rolled back that was readable', async () => {
    const { save, get, post } = aSettingsApi();
    await save({ value: SECRET });
    await save({ value: SECRET, secret: true });

    const answer = await post('/mail.from/rollback', { version: 1 });

    expect(answer.body).toMatchObject({ value: '******', masked: true, secret: true });
    expect((await get('/mail.from')).text).not.toContain('hunter2');
  });

  it('stays one when it is brought back after its deletion', async () => {
    const { save, post, remove } = aSettingsApi();
    await save({ value: SECRET });
    await save({ value: 'other', secret: true });
    await remove('mail.from');

    const answer = await post('/mail.from/rollback', { version: 1 });

    expect(answer.body).toMatchObject({ value: '******', masked: true });
  });

  it('does not come to light when a masked version is rolled back over a readable one', async () => {
    const { save, get, post } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });
    await save({ name: 'smtp.password', value: 'public', secret: false });

    const answer = await post('/smtp.password/rollback', { version: 1 });

    expect(answer.body).toMatchObject({ value: '******', masked: true });
    expect((await get('/smtp.password')).text).not.toContain('hunter2');
  });

  it('may be the mask itself when nothing is stored under a readable name', async () => {
    const { save, get } = aSettingsApi();
    await save({ value: '******' });

    expect((await get('/mail.from')).body).toMatchObject({ value: '******', masked: false });
  });
});

describe('GET /api/v1/setting/{key}?reveal=true', () => {
  const viewer = { sub: 'viewer', permissions: ['setting:view'] };
  const auditor = { sub: 'auditor', permissions: ['setting:view', 'setting:reveal'] };

  it.each(['', '/detail'])(
    'shows the value to a caller with setting:reveal at %s',
    async (part) => {
      const { save, get } = aSettingsApi();
      await save({ name: 'smtp.password', value: SECRET });

      const answer = await get(`/smtp.password${part}?reveal=true`, { caller: auditor });

      expect(answer.body).toMatchObject({ value: SECRET, masked: false });
    },
  );

  it('writes one line with caller, setting and call, and without the value', async () => {
    const { save, get, context } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });

    await get('/smtp.password?reveal=true', {
      caller: auditor,
      headers: { 'x-trace-id': 'audit-1' },
    });

    expect(context.log.named('A setting was revealed')).toEqual([
      {
        level: 'info',
        message: 'A setting was revealed',
        setting: 'smtp.password',
        by: 'auditor',
        issuer: 'http://127.0.0.1/dev-issuer',
        traceId: 'audit-1',
      },
    ]);
    expect(context.log.text()).not.toContain('hunter2');
  });

  it('refuses a caller without setting:reveal', async () => {
    const { save, get } = aSettingsApi();
    await save({ name: 'smtp.password', value: SECRET });

    const answer = await get('/smtp.password?reveal=true', { caller: viewer });

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ detail: 'The permission setting:reveal is required.' });
    expect(answer.text).not.toContain('hunter2');
  });

  it('refuses reveal=maybe', async () => {
    const { get } = aSettingsApi();

    const answer = await get('/smtp.password?reveal=maybe');

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: [{ parameter: 'reveal' }] });
  });
});

describe('security.aes_secret', () => {
  const name = 'security.aes_secret';
  const key = anAesKey(7);

  it('is shown nowhere, to nobody, not even encrypted or in part', async () => {
    const { save, get, post, remove, context } = aSettingsApi();

    const answers = [
      await save({ name, value: key, secret: false }),
      await save({ name, value: key, desc: 'text' }),
      await save({ name, value: anAesKey(8), encrypt: true }),
      await get(`/${name}`),
      await get(`/${name}`, { headers: { accept: 'text/plain' } }),
      await get(`/${name}/detail`),
      await get(`/${name}?reveal=true`),
      await get(`/${name}/detail?reveal=true`),
      await get(`/${name}/history`),
      await get('?prefix=security'),
      await post(`/${name}/rollback`, { version: 1 }),
      await remove(name),
      await get(`/${name}/history`),
    ];

    const everything = JSON.stringify([answers, context.bus.events]) + context.log.text();
    expect(everything).not.toMatch(/7{8}|8{8}/);
    expect(everything).not.toContain('enc:v1:');
    expect(answers.map(({ status }) => status)).toEqual([
      201, 200, 200, 200, 200, 200, 409, 409, 200, 200, 409, 204, 200,
    ]);
  });

  it('is stored in its current item and the ring only', async () => {
    const { save, context } = aSettingsApi();
    await save({ name, value: key });
    await save({ name, value: anAesKey(8) });

    const holders = context.db.items().filter((item) => /7{8}|8{8}/.test(JSON.stringify(item)));

    expect(holders.map(({ sk }) => sk).sort()).toEqual(['current', 'keyring']);
  });

  it('keeps its value when the mask is saved', async () => {
    const { save, context } = aSettingsApi();
    await save({ name, value: key });

    const answer = await save({ name, value: '******', desc: 'The key' });

    expect(answer.body).toMatchObject({ version: 2, value: '******' });
    expect(context.db.items()).toContainEqual(
      expect.objectContaining({ sk: 'current', value: key }),
    );
  });

  it.each([
    ['blank', '  '],
    ['empty', ''],
    ['base64 of 16 bytes', `base64:${Buffer.alloc(16).toString('base64')}`],
    ['hex of 31 bytes', `hex:${'a'.repeat(62)}`],
    ['hex with other letters', `hex:${'zz'.repeat(32)}`],
    ['hex with a letter too many', `hex:${'a'.repeat(65)}`],
    [
      'base64 with other characters',
      `base64:${'*'.repeat(3)}${Buffer.alloc(32).toString('base64')}`,
    ],
    ['a reference to nothing', 'secretsmanager:'],
    ['the mask, when there is no key yet', '******'],
  ])('refuses %s', async (_what, value) => {
    const { save, context } = aSettingsApi();

    const answer = await save({ name, value });

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      code: 'SETTING_INVALID',
      errors: [{ pointer: '/value', code: 'AES_SECRET_INVALID' }],
    });
    expect(context.db.items()).toEqual([]);
  });

  it.each([
    ['short-one', 1],
    ['sixteen letters.', 0],
  ])('warns about the passphrase %s: %i times', async (value, times) => {
    const { save, context } = aSettingsApi();

    const { status } = await save({ name, value });

    expect(status).toBe(201);
    expect(context.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(times);
    expect(context.log.text()).not.toContain(value);
  });
});

describe('the mask as the value of a setting that does not exist yet', () => {
  it('is refused: there is nothing it could stand for', async () => {
    const { settingService } = createSettingsModule(aContext()).services;

    const saving = settingService.save({ name: 'smtp.password', value: '******' }, systemPrincipal);

    await expect(saving).rejects.toMatchObject({ code: 'SETTING_INVALID', status: 422 });
  });
});
