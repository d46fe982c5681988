import { describe, expect, it } from 'vitest';
import { aUser } from '../../../../functions/identity/contract/contract-case.ts';
import type { IdentityApi } from '../../../helpers/identity/identity-api.ts';
import {
  aLoginApi,
  aProvider,
  browserOf,
  CHALLENGE,
  CLIENT_SECRET,
  codeOf,
  PROVIDERS,
  providerOfTests,
  RETURN_TO,
  VERIFIER,
} from '../../../helpers/identity/openid/login-world.ts';

const LAN = { sub: 'lan-1', preferred_username: 'lan.nguyen', email: 'lan@example.com' };

const world = providerOfTests(LAN);

/** A platform with the provider `staff`. */
async function aPlatform(more: object = {}) {
  const api = aLoginApi(world.openid);
  return { api, id: await aProvider(api, world.openid, { ...more }) };
}

const begin = (api: IdentityApi, ...more: Parameters<ReturnType<typeof browserOf>['begin']>) =>
  browserOf(api, world.openid).begin(...more);
const back = (api: IdentityApi, ...more: Parameters<ReturnType<typeof browserOf>['back']>) =>
  browserOf(api, world.openid).back(...more);
const logIn = (api: IdentityApi, query?: string) => browserOf(api, world.openid).logIn(query);
const tokenFor = (api: IdentityApi, code: string, more: object = {}) =>
  browserOf(api, world.openid).tokenFor(code, more);

describe('a login through an OpenID provider', () => {
  it('makes an account once and gives a token for it, without any secret in an answer', async () => {
    const { api } = await aPlatform();

    const first = await logIn(api);
    const { status, body } = await tokenFor(api, codeOf(first.headers.location));
    const again = await tokenFor(api, codeOf((await logIn(api)).headers.location));

    expect(first.status).toBe(302);
    expect(first.headers.location).toMatch(/^https:\/\/app\.example\.com\/done\?code=[\w-]{43}$/);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: 'Bearer', user: { userName: 'lan.nguyen' } });
    expect(again.body.user).toEqual(body.user);
    expect(world.openid.forms.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    const { text } = await api.get(`${PROVIDERS}/list`);
    expect(first.text + text).not.toContain(CLIENT_SECRET);
  });

  it('makes one account of two first logins at once', async () => {
    const { api } = await aPlatform();

    const answers = await Promise.all([logIn(api), logIn(api), logIn(api)]);
    const users = await Promise.all(
      answers.map(async ({ headers }) => (await tokenFor(api, codeOf(headers.location))).body.user),
    );

    expect(new Set(users.map((user) => JSON.stringify(user))).size).toBe(1);
    expect((await api.get('/api/v1/users')).body.content).toHaveLength(1);
  });

  it('finds the account that the source of the provider has made', async () => {
    const { api } = await aPlatform();
    const source = await api.aSource();
    const { id } = (
      await api.post(`${PROVIDERS}/create`, {
        ...{ name: 'Synced', code: 'synced', identitySourceId: source, autoCreate: true },
        config: { issuer: world.openid.issuer(), clientId: 'svc-cloud' },
      })
    ).body;
    await api.put(`${PROVIDERS}/enable/${id}`);
    await api.services.users.createMany([
      aUser('synced', {
        userName: 'other.name',
        links: [{ sourceId: source, externalId: 'lan-1', hash: 'h', active: true }],
      }),
    ]);
    const { cookie, address } = await begin(api, undefined, 'synced');
    const query = world.openid.authorise(address);
    const answer = await api.get(`${PROVIDERS}/synced/callback?${query}`, {
      ...{ caller: null, headers: { cookie } },
    });

    const { body } = await tokenFor(api, codeOf(answer.headers.location));

    expect(body.user).toEqual({ id: 'synced', userName: 'other.name' });
  });

  it('neither enables a disabled account nor lets it in, also between code and token', async () => {
    const { api } = await aPlatform();
    const code = codeOf((await logIn(api)).headers.location);
    const [user] = (await api.get('/api/v1/users')).body.content as { id: string }[];
    await api.put(`/api/v1/users/${user?.id}/disable`);

    expect((await tokenFor(api, code)).body.code).toBe('ACCOUNT_DISABLED');
    expect((await logIn(api)).body).toMatchObject({ code: 'ACCOUNT_DISABLED', status: 403 });
  });

  it('takes no account by a mail address that is not verified, or of another domain', async () => {
    const more = { autoCreate: false, matching: 'email_link', allowedDomains: ['example.com'] };
    const { api } = await aPlatform(more);
    await api.services.users.createMany([aUser('1', { email: 'lan@example.com' })]);

    const unverified = await logIn(api);
    world.person = { ...LAN, email: 'lan@elsewhere.example', email_verified: true };
    const elsewhere = await logIn(api);
    world.person = { ...LAN, email_verified: true };
    const verified = await logIn(api);

    expect([unverified, elsewhere].map(({ body }) => body.code)).toEqual([
      ...['ACCOUNT_NOT_LINKED', 'ACCOUNT_NOT_LINKED'],
    ]);
    expect((await tokenFor(api, codeOf(verified.headers.location))).body.user).toMatchObject({
      id: '1',
    });
  });

  it('tells a browser by its address what was refused, and others by a problem', async () => {
    const { api } = await aPlatform({ autoCreate: false });
    const { cookie, address } = await begin(api);
    const accept = 'text/html,application/xhtml+xml';

    const { status, headers } = await back(api, world.openid.authorise(address), cookie, {
      accept,
    });

    expect(status).toBe(302);
    expect(headers.location).toBe(`${RETURN_TO}?error=ACCOUNT_NOT_LINKED`);
    expect((await logIn(api)).status).toBe(403);
  });
});

describe('an attack on a login', () => {
  it.each([
    'https://evil.example',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://user@app.example.com/',
    '//evil.example',
    '/relative',
    'javascript:alert(1)',
    'http://app.example.com/',
  ])('does not return to %s', async (address) => {
    const { api } = await aPlatform();

    const { answer } = await begin(api, `returnTo=${encodeURIComponent(address)}`);

    expect(answer.body).toMatchObject({ code: 'RETURN_REFUSED', status: 400 });
  });

  it('does not end in another browser, and leaves the login to its own', async () => {
    const { api } = await aPlatform();
    const { cookie, address } = await begin(api);
    const query = world.openid.authorise(address);

    const without = await back(api, query, '');
    const other = await back(api, query, (await begin(api)).cookie);

    expect([without, other].map(({ body }) => body.code)).toEqual([
      ...['LOGIN_STATE_INVALID', 'LOGIN_STATE_INVALID'],
    ]);
    expect((await back(api, query, cookie)).status).toBe(302);
  });

  it('does not use a state twice, at once or later, nor after ten minutes', async () => {
    const { api } = await aPlatform();
    const { cookie, address } = await begin(api);
    const query = world.openid.authorise(address);

    const answers = await Promise.all([1, 2, 3].map(() => back(api, query, cookie)));
    const late = await begin(api);
    api.context.machineClock.advance(600_000);
    const expired = await back(api, world.openid.authorise(late.address), late.cookie);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([302, 400, 400]);
    expect(expired.body.code).toBe('LOGIN_STATE_INVALID');
  });

  it.each<[string, Parameters<typeof world.openid.forge>[0]]>([
    ['without a signature', { alg: 'none' }],
    ['signed by HMAC with the public key', { alg: 'HS256' }],
    ['signed by a key of somebody else', { foreignKey: true }],
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another client', { claims: { aud: 'other' } }],
    ['for several clients, made for another', { claims: { aud: ['svc-cloud', 'other'] } }],
    ['made for another client', { claims: { azp: 'other' } }],
    ['that has expired', { claims: { exp: 1_000_000 } }],
    ['of nobody', { claims: { sub: '' } }],
  ])('is refused with a token %s', async (_name, forgery) => {
    const { api } = await aPlatform();
    world.openid.forge(forgery);

    expect((await logIn(api)).body).toMatchObject({ code: 'LOGIN_REFUSED', status: 403 });
    expect((await api.get('/api/v1/users')).body.content).toHaveLength(0);
  });

  it('is refused with the answer or the code of another login or provider', async () => {
    const { api } = await aPlatform();
    const other = world.openid.authorise((await begin(api)).address);
    const results = [];
    for (const forged of [{ iss: 'https://evil.example' }, { code: other.get('code') ?? '' }]) {
      const { cookie, address } = await begin(api);
      const query = world.openid.authorise(address);
      for (const [name, value] of Object.entries(forged)) query.set(name, value);
      results.push((await back(api, query, cookie)).body.code);
    }
    const { cookie, address } = await begin(api);
    const unnamed = world.openid.authorise(address);
    unnamed.delete('iss');

    expect(results).toEqual(['LOGIN_REFUSED', 'LOGIN_REFUSED']);
    expect((await back(api, unnamed, cookie)).body.code).toBe('LOGIN_REFUSED');
  });

  it('gets one token for a code, within a minute, for the application that began', async () => {
    const { api } = await aPlatform();
    const query = `returnTo=${RETURN_TO}&codeChallenge=${CHALLENGE}`;
    const code = codeOf((await logIn(api, query)).headers.location);

    const injected = [
      (await tokenFor(api, code)).body.code,
      (await tokenFor(api, code, { codeVerifier: `${VERIFIER}x` })).body.code,
    ];
    const right = await Promise.all(
      [1, 2].map(() => tokenFor(api, code, { codeVerifier: VERIFIER })),
    );
    const late = codeOf((await logIn(api)).headers.location);
    api.context.machineClock.advance(60_000);

    expect(injected).toEqual(['LOGIN_CODE_INVALID', 'LOGIN_CODE_INVALID']);
    expect(right.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect((await tokenFor(api, late)).body.code).toBe('LOGIN_CODE_INVALID');
  });
});

describe('POST /api/v1/identity_provider/{code}/link', () => {
  it('links a person with the account of the caller, who alone has the verifier', async () => {
    const { api } = await aPlatform();
    const { body: lan } = await tokenFor(api, codeOf((await logIn(api)).headers.location));
    world.person = { sub: 'mai-1', preferred_username: 'mai' };
    const { body: mai } = await tokenFor(api, codeOf((await logIn(api)).headers.location));
    const query = `returnTo=${RETURN_TO}&codeChallenge=${CHALLENGE}&purpose=link`;
    const tokenOf = (body: typeof lan) => ({ token: String(body.accessToken) });
    const link = async (who: typeof lan, codeVerifier = VERIFIER) => {
      const code = codeOf((await logIn(api, query)).headers.location);
      return api.post(`${PROVIDERS}/staff/link`, { code, codeVerifier }, tokenOf(who));
    };
    world.person = { sub: 'lan-2' };

    const injected = await link(lan, `${VERIFIER}x`);
    const linked = await link(lan);
    const taken = await link(mai);
    const found = await tokenFor(api, codeOf((await logIn(api)).headers.location));
    const asToken = await tokenFor(api, codeOf((await logIn(api, query)).headers.location), {
      codeVerifier: VERIFIER,
    });
    const last = await api.remove(`${PROVIDERS}/staff/link`, tokenOf(lan));

    expect(injected.body.code).toBe('LOGIN_CODE_INVALID');
    expect([linked.status, last.status]).toEqual([204, 409]);
    expect(last.body.code).toBe('LAST_LOGIN');
    expect(taken.body.code).toBe('IDENTITY_LINKED');
    expect(found.body.user).toEqual(lan.user);
    expect(asToken.body.code).toBe('LOGIN_CODE_INVALID');
    const { links } = (await api.get(`/api/v1/users/${(lan.user as { id: string }).id}`)).body;
    expect(links).toHaveLength(2);
  });

  it('is for callers with an account, and needs a challenge', async () => {
    const { api } = await aPlatform();
    const body = { code: 'x'.repeat(43), codeVerifier: VERIFIER };

    expect((await api.post(`${PROVIDERS}/staff/link`, body)).body.code).toBe('USER_NOT_FOUND');
    const { answer } = await begin(api, `returnTo=${RETURN_TO}&purpose=link`);
    expect(answer.body.code).toBe('INVALID_PARAMETER');
  });
});

describe('identity providers', () => {
  it('keep their secret, which goes to no other origin, and are deleted when disabled', async () => {
    const { api, id } = await aPlatform();
    const { body, text } = await api.get(`${PROVIDERS}/get/${id}`);
    const config = { issuer: 'https://evil.example', clientId: 'svc-cloud' };

    const moved = await api.put(`${PROVIDERS}/update`, { id, name: 'Staff', config });
    const enabled = await api.remove(`${PROVIDERS}/delete/${id}`);
    await api.put(`${PROVIDERS}/disable/${id}`);

    expect(text).not.toContain(CLIENT_SECRET);
    expect(body.config).toMatchObject({ clientSecretSet: true });
    expect(moved.body.code).toBe('PASSWORD_REQUIRED');
    expect(enabled.body.code).toBe('PROVIDER_ENABLED');
    expect((await begin(api)).answer.body.code).toBe('IDENTITY_PROVIDER_NOT_FOUND');
    expect((await api.remove(`${PROVIDERS}/delete/${id}`)).status).toBe(204);
    expect((await api.get(`${PROVIDERS}/get/${id}`)).status).toBe(404);
  });

  it('are not called at addresses that the configuration does not name', async () => {
    const { api } = await aPlatform();
    const valid = async (issuer: string) => {
      const body = { config: { issuer, clientId: 'svc-cloud' } };
      return (await api.post(`${PROVIDERS}/config_validator`, body)).body.valid;
    };

    expect(await valid(world.openid.issuer())).toBe(true);
    expect(await valid('http://169.254.169.254')).toBe(false);
    expect(await valid('https://127.0.0.1:1')).toBe(false);
  });
});
