import { describe, expect, it } from 'vitest';
import { aUser } from '../../../../functions/identity/contract/contract-case.ts';
import {
  aLoginApi,
  aProvider,
  browserOf,
  CHALLENGE,
  codeOf,
  PROVIDERS,
  providerOfTests,
  RETURN_TO,
  VERIFIER,
} from '../../../helpers/identity/openid/login-world.ts';

const LAN = { sub: 'lan-1', preferred_username: 'lan.nguyen', email: 'lan@example.com' };
const BY_MAIL = { matching: 'email_link', allowedDomains: ['example.com'], autoCreate: false };

const world = providerOfTests(LAN);

async function aPlatform(more: object = {}, options: Parameters<typeof aLoginApi>[1] = {}) {
  const api = aLoginApi(world.openid, options);
  const id = await aProvider(api, world.openid, { ...more });
  const users = async () =>
    (await api.get('/api/v1/users')).body.content as readonly Record<string, unknown>[];
  return { api, id, users, ...browserOf(api, world.openid) };
}

describe('an account that a login makes', () => {
  it.each([
    ['is not verified', { email_verified: false }],
    ['nobody has verified', {}],
    ['is verified by a text', { email_verified: 'true' }],
    ['is not verified by a text', { email_verified: 'false' }],
  ])('has no mail address that %s', async (_name, more) => {
    const { users, enter } = await aPlatform();
    world.person = { ...LAN, ...more };

    await enter();
    await enter();

    expect((await users()).map(({ userName, email }) => [userName, email ?? null])).toEqual([
      ['lan.nguyen', null],
    ]);
  });

  it('is not named by an address that is not verified', async () => {
    const { users, enter } = await aPlatform();
    world.person = { sub: 'mallory-1', email: 'boss@example.com' };

    await enter();

    expect((await users()).map(({ userName }) => userName)).toEqual(['mallory-1']);
  });

  it('does not become the account of the person who owns the address', async () => {
    const { api, enter, logIn } = await aPlatform();
    await aProvider(api, world.openid, { ...BY_MAIL, name: 'Verifying', code: 'verifying' });
    world.person = { ...LAN, sub: 'mallory-1', preferred_username: 'mallory' };
    const mallory = (await enter()).body.user;
    world.person = { ...LAN, email_verified: true };

    const { body } = await logIn(undefined, 'verifying');

    expect(mallory).toBeDefined();
    expect(body.code).toBe('ACCOUNT_NOT_LINKED');
  });

  it('has verified addresses and numbers, and what the mapping names', async () => {
    const mapping = { phone: 'mobile', nickName: 'names.short' };
    const { users, enter } = await aPlatform({ config: { mapping } });
    world.person = {
      ...{ ...LAN, email_verified: true, mobile: '+84 90 1', names: { short: 'Lan' } },
    };

    await enter();

    expect(await users()).toMatchObject([
      { email: 'lan@example.com', phone: '+84 90 1', nickName: 'Lan' },
    ]);
  });

  it('takes neither a number that is not verified nor texts with control characters', async () => {
    const { users, enter } = await aPlatform();
    world.person = { ...LAN, phone_number: '+84 90 1', name: 'Lan\u0000Nguyen', nickname: 'a\nb' };

    await enter();

    const [user] = await users();
    expect(user).toMatchObject({ phone: null, fullName: null, nickName: null });
  });

  it('is refused where the address belongs to somebody, if the provider denies that', async () => {
    const { api, logIn } = await aPlatform({ matching: 'email_deny' });
    await api.services.users.createMany([aUser('1', { email: 'lan@example.com' })]);

    expect((await logIn()).body.code).toBe('ACCOUNT_NOT_LINKED');
    expect((await api.get('/api/v1/users')).body.content).toHaveLength(1);
  });
});

describe('an account that a login finds', () => {
  it('is not found by a mapped address that email_verified does not speak of', async () => {
    const { api, logIn } = await aPlatform({ ...BY_MAIL, config: { mapping: { email: 'mail' } } });
    await api.services.users.createMany([aUser('1', { email: 'boss@example.com' })]);
    world.person = { ...LAN, mail: 'boss@example.com', email_verified: true };

    expect((await logIn()).body.code).toBe('ACCOUNT_NOT_LINKED');
    world.person = {
      ...LAN,
      mail: 'boss@example.com',
      email: 'Boss@example.com',
      email_verified: true,
    };
    expect((await logIn()).status).toBe(302);
  });

  it('is not found at the source by an address that is not verified', async () => {
    const { api } = await aPlatform();
    const source = await api.aSource();
    await aProvider(api, world.openid, {
      ...{ name: 'Synced', code: 'synced', identitySourceId: source, autoCreate: false },
      config: { externalIdClaim: 'email' },
    });
    const links = [{ sourceId: source, externalId: 'x', hash: 'h', active: true }];
    await api.services.users.createMany([aUser('1', { userName: 'lan@example.com', links })]);
    const { logIn } = browserOf(api, world.openid);

    const unverified = await logIn(undefined, 'synced');
    world.person = { ...LAN, email_verified: true };
    const verified = await logIn(undefined, 'synced');

    expect(unverified.body.code).toBe('ACCOUNT_NOT_LINKED');
    expect(verified.status).toBe(302);
  });

  it.each([
    ['address', BY_MAIL],
    ['name', { matching: 'username_link', autoCreate: false }],
  ])('is not given to a second person of the provider with the same %s', async (_name, more) => {
    const { api, logIn } = await aPlatform(more);
    await api.services.users.createMany([
      aUser('1', { userName: 'lan.nguyen', email: 'lan@example.com' }),
    ]);
    world.person = { ...LAN, email_verified: true };
    const first = await logIn();
    world.person = { ...world.person, sub: 'another-lan' };

    expect(first.status).toBe(302);
    expect((await logIn()).body.code).toBe('ACCOUNT_NOT_LINKED');
  });

  it('is not a protected one, which its owner links', async () => {
    const protectedAccounts = { isProtected: ({ id }: { readonly id: string }) => id === 'root' };
    const { api, logIn } = await aPlatform(
      { matching: 'username_link', autoCreate: false },
      { host: { protectedAccounts } },
    );
    await api.services.users.createMany([aUser('root', { userName: 'lan.nguyen' })]);

    expect((await logIn()).body.code).toBe('ACCOUNT_NOT_LINKED');
  });

  it('has the same name in another normal form of Unicode', async () => {
    const { api, enter } = await aPlatform({ matching: 'username_link', autoCreate: false });
    await api.services.users.createMany([aUser('1', { userName: 'Zo\u00eb' })]);
    world.person = { sub: 'zoe', preferred_username: 'zoe\u0308' };

    expect((await enter()).body.user).toMatchObject({ id: '1' });
  });

  it('is that of a person of one issuer only', async () => {
    const { api, id, enter } = await aPlatform();
    await enter();
    const config = {
      issuer: `${world.openid.issuer()}/other`,
      clientId: 'svc-cloud',
      clientSecret: 'x',
    };

    const changed = await api.put(`${PROVIDERS}/update`, { id, name: 'Staff', config });
    const renamed = await api.put(`${PROVIDERS}/update`, {
      ...{ id, name: 'All', config: { ...config, issuer: world.openid.issuer() } },
    });

    expect(changed.body).toMatchObject({ code: 'PROVIDER_LINKED', status: 409 });
    expect(renamed.status).toBe(200);
  });
});

describe('the code of a login', () => {
  it('gives no token once its provider is disabled or its link is gone', async () => {
    const { api, id, users, logIn, tokenFor, enter } = await aPlatform();
    const { body: lan } = await enter();
    const [first, second] = [await logIn(), await logIn()];
    await api.put(`${PROVIDERS}/disable/${id}`);
    const disabled = await tokenFor(codeOf(first.headers.location));
    await api.put(`${PROVIDERS}/enable/${id}`);
    const [user] = await users();
    await api.services.users.unlink(String(user?.id), { sourceId: id, externalId: 'lan-1' });

    const unlinked = await tokenFor(codeOf(second.headers.location));

    expect(lan.user).toBeDefined();
    expect([disabled, unlinked].map(({ body }) => body.code)).toEqual([
      ...['LOGIN_CODE_INVALID', 'LOGIN_CODE_INVALID'],
    ]);
  });

  it('gives no token when the account is disabled while the token is signed', async () => {
    const { api, users, logIn, tokenFor } = await aPlatform();
    const code = codeOf((await logIn()).headers.location);
    const [user] = await users();
    const { sessionIssuer } = api.services;
    const issue = sessionIssuer.issue.bind(sessionIssuer);
    sessionIssuer.issue = async (...session) => {
      await api.services.users.setStatus(String(user?.id), 'DISABLED', 'ADMIN');
      api.context.machineClock.advance(2_000);
      return issue(...session);
    };

    expect((await tokenFor(code)).body.code).toBe('ACCOUNT_DISABLED');
  });

  it('links nothing with an account that is disabled', async () => {
    const { api, users, enter, logIn } = await aPlatform();
    const { body: lan } = await enter();
    world.person = { sub: 'lan-2' };
    const query = `returnTo=${RETURN_TO}&codeChallenge=${CHALLENGE}&purpose=link`;
    const code = codeOf((await logIn(query)).headers.location);
    const token = { token: String(lan.accessToken) };
    await api.get('/api/v1/departments/tree', token);
    const [user] = await users();
    await api.services.users.setStatus(String(user?.id), 'DISABLED', 'ADMIN');

    const body = { code, codeVerifier: VERIFIER };
    const { status } = await api.post(`${PROVIDERS}/staff/link`, body, token);

    expect(status).toBe(403);
    expect((await users())[0]?.links).toHaveLength(1);
  });
});
