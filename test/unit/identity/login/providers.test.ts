import { describe, expect, it } from 'vitest';
import { aUser } from '../../../../functions/identity/contract/contract-case.ts';
import type { IdentityApi } from '../../../helpers/identity/identity-api.ts';
import { ofTenant } from '../../../helpers/identity/identity-api.ts';
import {
  aLoginApi,
  aProvider,
  browserOf,
  PROVIDERS,
  providerOfTests,
} from '../../../helpers/identity/openid/login-world.ts';

const STEPS = ['url', 'dns', 'connect', 'tls', 'discovery'];
const LATER = ['issuer', 'authorization', 'pkce', 'scopes', 'keys', 'client'];

const world = providerOfTests({ sub: 'nobody' });

const aPlatform = (): IdentityApi => aLoginApi(world.openid);

describe('GET /api/v1/identity_provider/displayed', () => {
  it('shows everybody where logins begin, and nothing else of a provider', async () => {
    const api = aPlatform();
    await aProvider(api, world.openid, { name: 'Staff first', code: 'first' });
    await aProvider(api, world.openid, { name: 'Hidden', code: 'hidden', displayed: false });
    const off = await aProvider(api, world.openid, { name: 'Off', code: 'off' });
    await api.put(`${PROVIDERS}/disable/${off}`);
    const caller = ofTenant('theirs');
    const config = { issuer: world.openid.issuer(), clientId: 'svc-cloud' };
    const made = { name: 'Theirs', code: 'theirs', config };
    const { id } = (await api.post(`${PROVIDERS}/create`, made, { caller })).body;
    await api.put(`${PROVIDERS}/enable/${id}`, undefined, { caller });

    const own = await api.get(`${PROVIDERS}/displayed`, { caller: null });
    const theirs = await api.get(`${PROVIDERS}/displayed?tenant=theirs`, { caller: null });

    const loginUrl = `https://api.example.com${PROVIDERS}/first/login`;
    expect(own).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=60' } });
    expect(own.body).toEqual({ content: [{ code: 'first', name: 'Staff first', loginUrl }] });
    expect(theirs.body.content).toMatchObject([{ code: 'theirs' }]);
  });
});

describe('POST /api/v1/identity_provider/config_validator', () => {
  const tried = async (api: IdentityApi, config: object, more: object = {}) => {
    const body = { config: { clientId: 'svc-cloud', ...config }, ...more };
    const answer = await api.post(`${PROVIDERS}/config_validator`, body);
    const checks = (answer.body.checks ?? []) as { name: string; status: string }[];
    return { answer, of: Object.fromEntries(checks.map(({ name, status }) => [name, status])) };
  };
  const all = (status: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, status]));

  it('tells of every check, up to the one that shows the client to be known', async () => {
    const { answer, of } = await tried(aPlatform(), { issuer: world.openid.issuer() });

    expect(answer.body.valid).toBe(true);
    const told = { ...all('PASS', [...STEPS, ...LATER]), pkce: 'SKIP', scopes: 'SKIP' };
    expect(of).toEqual(told);
    expect(world.openid.forms.at(-1)?.get('grant_type')).toBe('authorization_code');
  });

  it('tries nothing after a step that has failed', async () => {
    const { answer, of } = await tried(aPlatform(), { issuer: 'http://169.254.169.254' });

    expect(answer.body.valid).toBe(false);
    expect(of).toEqual({ ...all('SKIP', [...STEPS, ...LATER]), url: 'FAIL' });
  });

  it('sees that a provider calls itself by another name', async () => {
    const { answer, of } = await tried(aPlatform(), { issuer: `${world.openid.issuer()}/other` });

    expect(answer.body.valid).toBe(false);
    expect(of).toMatchObject({ discovery: 'PASS', issuer: 'FAIL', client: 'PASS' });
  });

  it('uses the stored secret of a provider, and sends it to no other origin', async () => {
    const api = aPlatform();
    const id = await aProvider(api, world.openid);
    world.openid.forms.length = 0;

    const { of } = await tried(api, { issuer: world.openid.issuer() }, { id });
    const moved = await tried(api, { issuer: 'https://evil.example' }, { id });

    expect(of.client).toBe('PASS');
    expect(world.openid.forms.map((form) => form.get('client_id'))).toEqual([null]);
    expect(moved.answer.body).toMatchObject({ status: 400, code: 'PASSWORD_REQUIRED' });
    expect(moved.answer.text).not.toContain('canary-client-secret');
  });

  it('is no scanner of ports', async () => {
    const api = aPlatform();
    for (let at = 0; at < 10; at += 1) await tried(api, { issuer: 'http://169.254.169.254' });

    const { answer } = await tried(api, { issuer: 'http://169.254.169.254' });

    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  });
});

describe('logins that nobody has a name for yet', () => {
  it('are limited by the address of the caller, each step by itself', async () => {
    const api = aPlatform();
    const begin = () => api.get(`${PROVIDERS}/none/login?returnTo=x`, { caller: null });
    const ask = async (count: number) => {
      const answers = Array.from({ length: count }, begin);
      return (await Promise.all(answers)).map(({ status }) => status);
    };

    const first = await ask(120);
    const [after] = await ask(1);
    const token = { code: 'x'.repeat(43) };
    const other = await api.post(`${PROVIDERS}/token`, token, { caller: null });
    api.context.clock.advance(60_000);
    const [later] = await ask(1);

    expect(new Set(first)).toEqual(new Set([400]));
    expect([after, later]).toEqual([429, 400]);
    expect(other.status).toBe(400);
  });
});

describe('a provider that denies', () => {
  it.each([
    ['email_deny', { email: 'TAKEN@example.com' }],
    ['username_deny', { preferred_username: 'Taken' }],
  ])('by %s makes no account of what somebody else has, verified or not', async (matching, has) => {
    const api = aLoginApi(world.openid);
    await aProvider(api, world.openid, { matching });
    await api.services.users.createMany([
      aUser('1', { userName: 'taken', email: 'taken@example.com' }),
    ]);
    const { logIn, enter } = browserOf(api, world.openid);
    world.person = { sub: 'p-1', preferred_username: 'new', email_verified: false, ...has };
    const denied = await logIn();
    world.person = { sub: 'p-2', preferred_username: 'other', email: 'other@example.com' };

    const made = await enter();

    expect(denied.body.code).toBe('ACCOUNT_NOT_LINKED');
    expect(made.body.user).toMatchObject({ userName: 'other' });
  });
});

describe('a check of a provider', () => {
  it.each([
    ['client', { answer: answerOf(401, { error: 'invalid_client' }) }, 'FAIL'],
    ['client', { answer: answerOf(400, { error: 'unauthorized_client' }) }, 'FAIL'],
    ['client', { answer: answerOf(400, { error: 'invalid_request' }) }, 'SKIP'],
    ['client', { answer: { status: 500, type: 'text/html', text: '<' } }, 'SKIP'],
    ['pkce', { metadata: { code_challenge_methods_supported: ['plain'] } }, 'FAIL'],
    ['pkce', { metadata: { code_challenge_methods_supported: ['plain', 'S256'] } }, 'PASS'],
    ['scopes', { metadata: { scopes_supported: ['openid'] } }, 'FAIL'],
    ['authorization', { metadata: { authorization_endpoint: 'http://evil.example/' } }, 'FAIL'],
    ['keys', { keys: [{ kty: 'oct' }] }, 'FAIL'],
    ['keys', { metadata: { jwks_uri: 'http://169.254.169.254/' } }, 'FAIL'],
    ['discovery', { metadata: { token_endpoint: 'nowhere' } }, 'FAIL'],
  ] as const)('of its %s with %j is %s', async (name, forgery, status) => {
    const api = aLoginApi(world.openid);
    world.openid.forge(forgery);

    const { body } = await api.post(`${PROVIDERS}/config_validator`, {
      config: { issuer: world.openid.issuer(), clientId: 'svc-cloud' },
    });

    const checks = body.checks as { name: string; status: string; message: string }[];
    expect(checks.find((check) => check.name === name)?.status).toBe(status);
    expect(body.valid).toBe(status !== 'FAIL');
    expect(JSON.stringify(checks)).not.toContain('169.254');
  });
});

function answerOf(status: number, body: object) {
  return { status, type: 'application/json', text: JSON.stringify(body) };
}
