import { describe, expect, it } from 'vitest';
import { aUser } from '../../../../functions/identity/contract/contract-case.ts';
import { sessionKeyOf } from '../../../../functions/identity/login/session-key.ts';
import type { SecretReader } from '../../../../shared/lambda/module-context.ts';
import { SESSION_AUDIENCE, SESSION_ISSUER } from '../../../../shared/sessions/session-issuer.ts';
import { testSecurity } from '../../../helpers/api/test-tokens.ts';
import { anIdentityApi } from '../../../helpers/identity/identity-api.ts';

const JWKS = '/api/v1/identity_provider/jwks';
const TREE = '/api/v1/departments/tree';
const OLD = 'the former secret of these tests, long enough';
const NEW = 'the newest secret of these tests, long enough';

/** A secret with a version before. */
const secretOf = (current: string, former?: string): SecretReader =>
  Object.assign(async (_: string, version?: string) => (version ? (former ?? '') : current), {
    versionOf: async () => (former === undefined ? undefined : 'v1'),
  });

/** A module that accepts its own tokens, as every module does. */
async function withSessions(readSecret: SecretReader, secrets: readonly string[]) {
  const keys = await Promise.all(
    secrets.map(async (text) => (await sessionKeyOf(text))?.publicKey),
  );
  const issuer = {
    ...{ issuer: SESSION_ISSUER, audience: SESSION_AUDIENCE, algorithms: ['ES256'] },
    jwks: { keys },
  };
  const api = anIdentityApi({
    readSecret,
    svc: {
      idp: { enabled: true, 'session-secret': 'svc-cloud/logins', 'token-expiration': '10m' },
      security: { ...testSecurity, issuers: [...testSecurity.issuers, issuer] },
    },
  });
  const login = async (id: string, groups: readonly string[] = []) => {
    const user = await api.services.users.findById(id);
    if (!user) throw new Error('There is no such user');
    return api.services.sessionIssuer.issue(user, groups);
  };
  const statusWith = async (token: string) => (await api.get(TREE, { token })).status;
  return { api, login, statusWith };
}

describe('the token of a login', () => {
  it('is accepted until it expires, with groups and roles', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW), [NEW]);
    await api.services.users.createMany([aUser('1', { roles: ['admin'] })]);

    const { accessToken, ...session } = await login('1', ['sales', 'head-office']);

    expect(session).toEqual({ tokenType: 'Bearer', expiresIn: 600 });
    expect(await statusWith(accessToken)).toBe(200);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: '1', groups: ['sales', 'head-office'], roles: ['admin'] });
    api.context.machineClock.advance(631_000);
    expect(await statusWith(accessToken)).toBe(401);
  });

  it('ends within 30 seconds when its account is disabled, and stays so', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW), [NEW]);
    await api.services.users.createMany([
      aUser('1', { roles: ['admin'] }),
      aUser('2', { roles: ['admin'] }),
    ]);
    const [first, second] = [await login('1'), await login('2')];
    expect(await statusWith(first.accessToken)).toBe(200);

    await api.put('/api/v1/users/1/disable');
    api.context.machineClock.advance(30_000);

    expect(await statusWith(first.accessToken)).toBe(401);
    expect(await statusWith(second.accessToken)).toBe(200);
    await api.put('/api/v1/users/1/enable');
    api.context.machineClock.advance(30_000);
    expect(await statusWith(first.accessToken)).toBe(401);
    expect(await statusWith((await login('1')).accessToken)).toBe(200);
  });

  it('has no more groups and roles than a gateway takes, those of the own departments first', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW), [NEW]);
    const roles = ['admin', ...Array.from({ length: 49 }, (_, at) => `${at}`.padEnd(255, 'r'))];
    await api.services.users.createMany([aUser('1', { roles, fullName: '\u6f22'.repeat(255) })]);
    const groups = ['own', ...Array.from({ length: 500 }, (_, at) => `department-${at}`)];

    const { accessToken } = await login('1', groups);

    expect(accessToken.length).toBeLessThan(9_000);
    expect(await statusWith(accessToken)).toBe(200);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.groups).toEqual(groups.slice(0, claims.groups.length));
    expect([claims.groups.length > 100, claims.roles[0]]).toEqual([true, 'admin']);
    expect(
      api.context.log.named('A token leaves out facts of its account: it would be too large'),
    ).toMatchObject([{ claim: 'groups' }, { claim: 'roles', user: '1' }]);
  });

  it('ends with its account', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW), [NEW]);
    await api.services.users.createMany([aUser('1', { roles: ['admin'] })]);
    const { accessToken } = await login('1');

    await api.services.users.remove('1');

    expect(await statusWith(accessToken)).toBe(401);
  });

  it('asks the table for revocations once in 30 seconds', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW), [NEW]);
    await api.services.users.createMany([aUser('1', { roles: ['admin'] })]);
    const { accessToken } = await login('1');
    await statusWith(accessToken);

    const call = async () => {
      const { requests } = await api.context.db.meter.costOf(() => statusWith(accessToken));
      return requests.filter((request) => request.startsWith('Query')).length;
    };
    const soon = await call();
    api.context.machineClock.advance(30_000);
    const later = await call();

    expect([soon, later]).toEqual([1, 2]);
  });
});

describe('GET /api/v1/identity_provider/jwks', () => {
  it('shows the newest key and the one before, without what signs', async () => {
    const { api, login, statusWith } = await withSessions(secretOf(NEW, OLD), [NEW, OLD]);
    const former = await sessionKeyOf(OLD);
    await api.services.users.createMany([aUser('1', { roles: ['admin'] })]);

    const { body, headers } = await api.get(JWKS, { caller: null });

    const keys = body.keys as readonly Readonly<Record<string, unknown>>[];
    expect(keys).toHaveLength(2);
    expect(keys.map(({ kid }) => kid)).toContain(former?.kid);
    expect(keys.every((key) => !('d' in key))).toBe(true);
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(await statusWith((await login('1')).accessToken)).toBe(200);
  });

  it('keeps the keys that are known while the secret cannot be read', async () => {
    let isDown = false;
    const readSecret: SecretReader = async () => {
      if (isDown) throw Object.assign(new Error('down'), { name: 'InternalServiceError' });
      return NEW;
    };
    const { api, login, statusWith } = await withSessions(readSecret, [NEW]);
    await api.services.users.createMany([aUser('1', { roles: ['admin'] })]);
    const { accessToken } = await login('1');
    isDown = true;
    api.context.machineClock.advance(300_000);

    expect((await api.get(JWKS, { caller: null })).status).toBe(200);
    expect(await statusWith(accessToken)).toBe(200);
    expect(await statusWith((await login('1')).accessToken)).toBe(200);
  });

  it('says that there is no secret of the name', async () => {
    const missing = await withSessions(() => Promise.reject(new Error('no such secret')), [NEW]);

    expect((await missing.api.get(JWKS, { caller: null })).body.code).toBe('SESSION_KEY_MISSING');
  });

  it('says that there is no key, or none that nobody guesses', async () => {
    const short = await withSessions(secretOf('too short'), [NEW]);

    expect((await short.api.get(JWKS, { caller: null })).body.code).toBe('SESSION_KEY_MISSING');
    expect((await anIdentityApi().get(JWKS, { caller: null })).status).toBe(503);
  });
});
