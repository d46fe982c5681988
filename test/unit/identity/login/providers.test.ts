import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anIdentityApi,
  type IdentityApi,
  ofTenant,
} from '../../../helpers/identity/identity-api.ts';
import { fakeProvider } from '../../../helpers/identity/openid/fake-provider.ts';

const PROVIDERS = '/api/v1/identity_provider';
const STEPS = ['url', 'dns', 'connect', 'tls', 'discovery'];
const LATER = ['issuer', 'authorization', 'pkce', 'scopes', 'keys', 'client'];

let openid: Awaited<ReturnType<typeof fakeProvider>>;
beforeAll(async () => {
  openid = await fakeProvider(() => ({}));
});
afterAll(() => openid.close());

const aPlatform = (): IdentityApi =>
  anIdentityApi({ svc: { idp: { enabled: true, 'allow-insecure-hosts': [openid.host] } } });

async function aProvider(api: IdentityApi, code: string, more: object = {}, tenant?: string) {
  const caller = tenant === undefined ? {} : { caller: ofTenant(tenant) };
  const config = { issuer: openid.issuer(), clientId: 'svc-cloud', clientSecret: 'canary-secret' };
  const body = { name: `Staff ${code}`, code, config, ...more };
  const { id } = (await api.post(`${PROVIDERS}/create`, body, caller)).body;
  await api.put(`${PROVIDERS}/enable/${id}`, undefined, caller);
  return String(id);
}

describe('GET /api/v1/identity_provider/displayed', () => {
  it('shows everybody where logins begin, and nothing else of a provider', async () => {
    const api = aPlatform();
    await aProvider(api, 'first');
    await aProvider(api, 'hidden', { displayed: false });
    await api.put(`${PROVIDERS}/disable/${await aProvider(api, 'off')}`);
    await aProvider(api, 'theirs', {}, 'theirs');

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
    const { answer, of } = await tried(aPlatform(), { issuer: openid.issuer() });

    expect(answer.body.valid).toBe(true);
    const told = { ...all('PASS', [...STEPS, ...LATER]), pkce: 'SKIP', scopes: 'SKIP' };
    expect(of).toEqual(told);
    expect(openid.forms.at(-1)?.get('grant_type')).toBe('authorization_code');
  });

  it('tries nothing after a step that has failed', async () => {
    const { answer, of } = await tried(aPlatform(), { issuer: 'http://169.254.169.254' });

    expect(answer.body.valid).toBe(false);
    expect(of).toEqual({ ...all('SKIP', [...STEPS, ...LATER]), url: 'FAIL' });
  });

  it('sees that a provider calls itself by another name', async () => {
    const { answer, of } = await tried(aPlatform(), { issuer: `${openid.issuer()}/other` });

    expect(answer.body.valid).toBe(false);
    expect(of).toMatchObject({ discovery: 'PASS', issuer: 'FAIL', client: 'PASS' });
  });

  it('uses the stored secret of a provider, and sends it to no other origin', async () => {
    const api = aPlatform();
    const id = await aProvider(api, 'stored');
    openid.forms.length = 0;

    const { of } = await tried(api, { issuer: openid.issuer() }, { id });
    const moved = await tried(api, { issuer: 'https://evil.example' }, { id });

    expect(of.client).toBe('PASS');
    expect(openid.forms.map((form) => form.get('client_id'))).toEqual([null]);
    expect(moved.answer.body).toMatchObject({ status: 400, code: 'PASSWORD_REQUIRED' });
    expect(moved.answer.text).not.toContain('canary-secret');
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
