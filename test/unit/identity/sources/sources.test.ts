import { describe, expect, it } from 'vitest';
import { FRESH_STATE } from '../../../../functions/identity/domain/sources/source-state.ts';
import { SourceRepository } from '../../../../functions/identity/store/source-repository.ts';
import {
  anIdentityApi,
  CONNECTION,
  ofTenant,
  SOURCES,
} from '../../../helpers/identity/identity-api.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';

const problem = ({ status, body }: ApiAnswer) => [status, body.code];

describe('POST /api/v1/identity_source/create', () => {
  it('makes a disabled source and shows the secret of its events once', async () => {
    const api = anIdentityApi();

    const made = await api.post(`${SOURCES}/create`, {
      ...{ name: 'Head office', provider: 'extsrc', code: 'head-office' },
    });

    expect(made).toMatchObject({ status: 201, body: { code: 'head-office' } });
    expect(made.headers.location).toBe(`${SOURCES}/get/${made.body.id}`);
    const shown = await api.get(`${SOURCES}/get/${made.body.id}`);
    expect(shown.body).toMatchObject({
      ...{ enabled: false, configured: false, state: 'DISABLED', provider: 'EXTSRC', version: 1 },
      callbackUrl: 'https://api.example.com/api/v1/synchronizer/event_receive/head-office',
      ...{ basicConfig: null, eventSecretSet: true },
    });
    expect(shown.text).not.toContain(String(made.body.eventSecret));
  });

  it('refuses a code of any tenant, a name of its tenant and another kind of provider', async () => {
    const api = anIdentityApi();
    await api.aSource({ name: 'One', code: 'one' });

    const create = (more: object, caller?: ReturnType<typeof ofTenant>) =>
      api.post(`${SOURCES}/create`, { provider: 'EXTSRC', ...more }, caller && { caller });

    expect(problem(await create({ name: 'Two', code: 'one' }, ofTenant('north')))).toEqual([
      409,
      'IDENTITY_CODE_EXISTS',
    ]);
    expect(problem(await create({ name: 'ONE' }))).toEqual([409, 'NAME_EXISTS']);
    expect((await create({ name: 'ONE' }, ofTenant('north'))).status).toBe(201);
    expect(problem(await create({ name: 'LDAP', provider: 'LDAP' }))).toEqual([
      400,
      'PROVIDER_NOT_SUPPORTED',
    ]);
    expect((await create({ name: 'x', more: 1 })).body).toMatchObject({
      ...{ code: 'UNKNOWN_FIELD', errors: [{ pointer: '/more' }] },
    });
  });
});

describe('PUT /api/v1/identity_source/save/config', () => {
  it('stores connection data encrypted and never shows a secret', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();

    const saved = await api.put(`${SOURCES}/save/config`, {
      ...{ id, basicConfig: { ...CONNECTION, clientSecret: 'canary-client-secret' } },
      strategyConfig: { user: { defaultPassword: 'canary-default-1' } },
      jobConfig: { mode: 'PERIOD', value: 6 },
    });

    expect(saved).toMatchObject({
      status: 200,
      body: {
        configured: true,
        basicConfig: { baseUrl: CONNECTION.baseUrl, adminPasswordSet: true, clientSecretSet: true },
        strategyConfig: { user: { defaultPasswordSet: true, onMissing: 'DISABLE' } },
        jobConfig: { mode: 'period', value: '6' },
        version: 2,
      },
    });
    const config = await api.get(`${SOURCES}/get/config/${id}`);
    const list = await api.get(`${SOURCES}/list`);
    const stored = JSON.stringify(api.context.db.items());
    for (const text of [saved.text, config.text, list.text, stored]) {
      expect(text).not.toMatch(/canary/);
    }
    expect(stored).toContain('drowssap-nimda-yranac');
  });

  it('keeps the blocks and secrets that are left out, unless the address leaves its origin', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ basicConfig: CONNECTION });
    const { adminPassword: _password, ...withoutPassword } = CONNECTION;
    const save = (basicConfig: object) => api.put(`${SOURCES}/save/config`, { id, basicConfig });

    const samePlace = await save({
      ...withoutPassword,
      baseUrl: 'https://idm.example.com/v2',
      adminPassword: null,
    });
    const elsewhere = await save({
      ...withoutPassword,
      baseUrl: 'https://evil.example.com/scim/v2',
    });
    const tokenElsewhere = await save({
      ...withoutPassword,
      tokenUrl: 'https://evil.example.com/token',
    });
    const sentAgain = await save({ ...CONNECTION, baseUrl: 'https://idm2.example.com/scim/v2' });

    expect(samePlace.status).toBe(200);
    expect(problem(elsewhere)).toEqual([400, 'PASSWORD_REQUIRED']);
    expect(elsewhere.body.errors).toMatchObject([{ pointer: '/basicConfig/adminPassword' }]);
    expect(problem(tokenElsewhere)).toEqual([400, 'PASSWORD_REQUIRED']);
    expect(sentAgain.status).toBe(200);
    expect(problem(await save({ ...withoutPassword, adminPassword: '' }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ]);
  });

  it('refuses addresses that are not called, by name', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();
    const basicConfig = {
      ...CONNECTION,
      baseUrl: 'http://idm.example.com/scim/v2',
      tokenUrl: 'http://idm.example.com/token',
    };

    const saved = await api.put(`${SOURCES}/save/config`, { id, basicConfig });

    expect(saved.body).toMatchObject({
      ...{ status: 400, code: 'ADDRESS_NOT_ALLOWED' },
      errors: [{ pointer: '/basicConfig/baseUrl' }, { pointer: '/basicConfig/tokenUrl' }],
    });
    const { body } = await api.get(`${SOURCES}/get/${id}`);
    expect(body).toMatchObject({ configured: false });
  });

  it('checks password, schedule, target and version', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();
    const save = (body: object) => api.put(`${SOURCES}/save/config`, { id, ...body });
    const target = { organization: { targetId: 'nowhere' } };

    expect(problem(await save({ strategyConfig: { user: { defaultPassword: 'short' } } }))).toEqual(
      [400, 'WEAK_PASSWORD'],
    );
    expect(await save({ jobConfig: { mode: 'timed', value: 'wrong' } })).toMatchObject({
      ...{
        status: 400,
        body: { code: 'SCHEDULE_INVALID', errors: [{ pointer: '/jobConfig/value' }] },
      },
    });
    expect(problem(await save({ strategyConfig: target }))).toEqual([400, 'TARGET_NOT_FOUND']);
    expect(problem(await save({ jobConfig: {}, version: 7 }))).toEqual([412, 'VERSION_CONFLICT']);
    expect(problem(await api.put(`${SOURCES}/save/config`, { id: crypto.randomUUID() }))).toEqual([
      404,
      'IDENTITY_SOURCE_NOT_FOUND',
    ]);
  });

  it('refuses a strategy that an item has no room for', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ basicConfig: CONNECTION });
    const named = (count: number) => Array.from({ length: count }, (_, at) => `name-${at}`);
    const strategies = [
      { mapping: Object.fromEntries(named(101).map((field) => [field, 'title'])) },
      {
        roles: Object.fromEntries(
          named(40).map((group) => [group, Array(50).fill(`${group}`.padEnd(99))]),
        ),
      },
    ];

    const answers = await Promise.all(
      strategies.map((strategyConfig) => api.put(`${SOURCES}/save/config`, { id, strategyConfig })),
    );

    expect(answers.map(({ status, body }) => [status, body.errors])).toMatchObject([
      [400, [{ pointer: '/strategyConfig/mapping', detail: 'must have at most 100 fields' }]],
      [400, [{ pointer: '/strategyConfig', detail: 'must have at most 100 KB as JSON' }]],
    ]);
  });

  it('registers an enabled source anew', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();
    await api.put(`${SOURCES}/save/config`, { id, jobConfig: {} });
    await api.put(`${SOURCES}/enable/${id}`);

    await api.put(`${SOURCES}/save/config`, { id, jobConfig: { mode: 'period', value: '2h' } });

    expect(api.sync.calls).toEqual([
      ['register', id],
      ['register', id],
    ]);
  });
});

describe('a source', () => {
  it('shows how its schedule fares, and nothing of how that is known', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();
    const sources = new SourceRepository(api.context);
    const registration = { status: 'REGISTERED' as const, at: '2026-07-01T08:00:00.000Z' };
    await api.context.unitOfWork(async (unit) =>
      sources.stageState(unit, id, {
        ...{ ...FRESH_STATE, registration: { ...registration, key: 'fingerprint' } },
      }),
    );

    expect((await api.get(`${SOURCES}/get/${id}`)).body.registration).toEqual(registration);
  });

  it('is enabled and disabled, any number of times', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();

    const enabled = [
      await api.put(`${SOURCES}/enable/${id}`),
      await api.put(`${SOURCES}/enable/${id}`),
    ];
    const disabled = [
      await api.put(`${SOURCES}/disable/${id}`),
      await api.put(`${SOURCES}/disable/${id}`),
    ];

    expect(enabled.map(({ body }) => [body.state, body.version])).toEqual([
      ['ENABLED', 2],
      ['ENABLED', 2],
    ]);
    expect(disabled.map(({ body }) => [body.state, body.version])).toEqual([
      ['DISABLED', 3],
      ['DISABLED', 3],
    ]);
    expect(api.sync.calls.map(([name]) => name)).toEqual([
      'register',
      'register',
      'deregister',
      'deregister',
    ]);
  });

  it('is renamed, and its former name is free', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ name: 'Old' });
    await api.aSource({ name: 'Taken' });

    const renamed = await api.put(`${SOURCES}/update`, {
      id,
      name: 'New',
      remark: 'r',
      version: 1,
    });

    expect(renamed.body).toMatchObject({ name: 'New', remark: 'r', version: 2 });
    expect((await api.put(`${SOURCES}/update`, { id, name: 'NEW' })).body).toMatchObject({
      name: 'NEW',
      remark: null,
    });
    expect(problem(await api.put(`${SOURCES}/update`, { id, name: 'taken' }))).toEqual([
      409,
      'NAME_EXISTS',
    ]);
    expect(
      problem(
        await api.put(`${SOURCES}/update`, { id, name: 'x' }, { headers: { 'if-match': '"1"' } }),
      ),
    ).toEqual([412, 'VERSION_CONFLICT']);
    expect((await api.post(`${SOURCES}/create`, { name: 'old', provider: 'EXTSRC' })).status).toBe(
      201,
    );
  });

  it('of another tenant does not exist, and policies decide about the own', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();
    const viewer = { sub: 'viewer', permissions: ['identity:source:view'] };

    expect((await api.get(`${SOURCES}/get/${id}`, { caller: ofTenant('north') })).status).toBe(404);
    expect(
      (
        await api.get(`${SOURCES}/sync/history_list?identitySourceId=${id}`, {
          caller: ofTenant('north'),
        })
      ).status,
    ).toBe(404);
    expect((await api.get(`${SOURCES}/get/${id}`, { caller: viewer })).status).toBe(200);
    expect((await api.put(`${SOURCES}/enable/${id}`, undefined, { caller: viewer })).status).toBe(
      403,
    );
    expect((await api.get(`${SOURCES}/get/${id}`, { caller: null })).status).toBe(401);
  });

  it('is listed by name, kind and state', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ name: 'Beta' });
    await api.aSource({ name: 'alpha' });
    await api.put(`${SOURCES}/enable/${id}`);
    const names = async (query: string) =>
      ((await api.get(`${SOURCES}/list${query}`)).body.content as { name: string }[]).map(
        ({ name }) => name,
      );

    expect(await names('')).toEqual(['alpha', 'Beta']);
    expect(await names('?name=BET')).toEqual(['Beta']);
    expect(await names('?enabled=true')).toEqual(['Beta']);
    expect(await names('?size=1&page=1')).toEqual(['Beta']);
    expect((await api.get(`${SOURCES}/list?enabled=yes`)).status).toBe(400);
  });
});

describe('POST /api/v1/identity_source/config_validator', () => {
  it('tries connection data with the stored password, at most ten times a minute', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ basicConfig: CONNECTION });
    const { adminPassword, ...config } = CONNECTION;
    const validate = (more: object) =>
      api.post(`${SOURCES}/config_validator`, { provider: 'EXTSRC', config, ...more });

    expect((await validate({ id })).body).toEqual({ valid: true, checks: [], capabilities: {} });
    expect(api.sync.calls).toMatchObject([['validate', { basicConfig: { adminPassword } }]]);
    expect(problem(await validate({}))).toEqual([400, 'PASSWORD_REQUIRED']);
    const elsewhere = { basicConfig: { ...config, baseUrl: 'https://evil.example.com' } };
    expect(problem(await validate({ id, config: elsewhere }))).toEqual([400, 'PASSWORD_REQUIRED']);
    for (let call = 2; call <= 10; call += 1) await validate({ id });
    const refused = await validate({ id });
    expect(problem(refused)).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    api.context.clock.advance(60_000);
    expect((await validate({ id })).status).toBe(200);
  });
});

describe('POST /api/v1/identity_source/event/rotate_secret/{id}', () => {
  it('makes a new secret', async () => {
    const api = anIdentityApi();
    const id = await api.aSource();

    const [first, second] = [
      await api.post(`${SOURCES}/event/rotate_secret/${id}`),
      await api.post(`${SOURCES}/event/rotate_secret/${id}`),
    ];

    expect(first?.body.eventSecret).toMatch(/^whsec_/);
    expect(second?.body.eventSecret).not.toBe(first?.body.eventSecret);
  });
});
