import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OpenIdClient } from '../../../../functions/identity/openid/openid-client.ts';
import type { HttpClient } from '../../../../shared/http-client/contract.ts';
import { KEY_SERVER_TIMEOUT_MS } from '../../../../shared/security/remote-keys.ts';
import type { FakeProvider } from '../../../helpers/identity/openid/fake-provider.ts';
import {
  aLoginApi,
  aProvider,
  browserOf,
  CLIENT_SECRET,
  providerOfTests,
  RETURN_TO,
} from '../../../helpers/identity/openid/login-world.ts';

const LAN = { sub: 'lan-1', preferred_username: 'lan.nguyen' };
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({
  format: 'jwk',
});

const world = providerOfTests(LAN);

async function aPlatform() {
  const api = aLoginApi(world.openid);
  await aProvider(api, world.openid);
  return { api, ...browserOf(api, world.openid) };
}

describe('a provider that is hostile or broken', () => {
  it.each<[string, Parameters<FakeProvider['forge']>[0], string]>([
    ['a key that is too short', { keys: [{ ...weak, kid: 'one' }] }, 'PROVIDER_UNAVAILABLE'],
    ['a key that is none', { keys: [{ kty: 'RSA', kid: 'one', n: 5 }] }, 'PROVIDER_UNAVAILABLE'],
    [
      'a key of zeros',
      { keys: [{ kty: 'RSA', kid: 'one', n: 'AA', e: 'AA' }] },
      'PROVIDER_UNAVAILABLE',
    ],
    ['no keys', { keys: [] }, 'LOGIN_REFUSED'],
    ['a subject that is no text', { claims: { sub: 5 as never } }, 'LOGIN_REFUSED'],
    ['half a character as subject', { claims: { sub: '\ud800' } }, 'LOGIN_REFUSED'],
    ['a long subject', { claims: { sub: 'x'.repeat(256) } }, 'LOGIN_REFUSED'],
    ['times that are none', { claims: { exp: 'soon' as never } }, 'LOGIN_REFUSED'],
    ['somebody else', { person: { sub: 'other' } }, 'LOGIN_REFUSED'],
    ['nobody', { person: {} }, 'PROVIDER_UNAVAILABLE'],
    ['a page', { answer: { status: 400, type: 'text/html', text: '<b>x' } }, 'LOGIN_REFUSED'],
    [
      'a page with 200',
      { answer: { status: 200, type: 'text/html', text: '<b>x' } },
      'PROVIDER_UNAVAILABLE',
    ],
    [
      'a megabyte',
      { answer: { status: 200, type: 'application/json', text: `"${'x'.repeat(1_048_576)}"` } },
      'PROVIDER_UNAVAILABLE',
    ],
    [
      'no token',
      { answer: { status: 200, type: 'application/json', text: '{"id_token":5}' } },
      'PROVIDER_UNAVAILABLE',
    ],
    [
      'a token that is none',
      { answer: { status: 200, type: 'application/json', text: '{"id_token":"a.b.c"}' } },
      'LOGIN_REFUSED',
    ],
  ])('that answers with %s refuses the login', async (_name, forgery, code) => {
    const { api, logIn } = await aPlatform();
    world.openid.forge(forgery);

    const { status, body, text } = await logIn();

    expect([status, body.code]).toEqual([code === 'LOGIN_REFUSED' ? 403 : 502, code]);
    const told = text + api.context.log.text();
    expect(told).not.toMatch(new RegExp(`<b>x|xxxx|${CLIENT_SECRET}|canary-access-token`));
    expect((await api.get('/api/v1/users')).body.content).toEqual([]);
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['a login page of another scheme', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a login page over plain http', { authorization_endpoint: 'http://evil.example/auth' }],
    ['a login page with a password', { authorization_endpoint: 'https://a:b@evil.example/auth' }],
    ['a login page that is too long', { authorization_endpoint: `https://a/${'x'.repeat(9_000)}` }],
  ])('that names %s begins no login', async (_name, metadata) => {
    const { begin } = await aPlatform();
    world.openid.forge({ metadata });

    expect((await begin()).answer.body).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });

  it.each([
    ['tokens', { token_endpoint: 'http://169.254.169.254/latest' }],
    ['keys', { jwks_uri: 'http://127.0.0.1:1/keys' }],
    ['people', { userinfo_endpoint: 'http://localhost:1/person' }],
  ])('that has its %s at a private address is not asked there', async (_name, metadata) => {
    const { logIn } = await aPlatform();
    world.openid.forge({ metadata });

    expect((await logIn()).body.code).toBe('PROVIDER_UNAVAILABLE');
  });

  it('keeps a login from an answer for 25 seconds at most', async () => {
    const spent: number[] = [];
    const issuer = 'https://login.example.com';
    const answers: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': {
        ...{ issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/keys`, userinfo_endpoint: `${issuer}/person` },
      },
      '/token': { id_token: 'a.b.c', access_token: 'a' },
    };
    const http = {
      json: async (address: string, _schema: unknown, { totalTimeoutMs = Number.NaN } = {}) => {
        spent.push(totalTimeoutMs);
        return answers[new URL(address).pathname];
      },
    } as unknown as HttpClient;
    const client = new OpenIdClient({
      ...{ http, clock: { now: Date.now }, mayOpen: () => true },
      keysOf: () => async () => Promise.reject(new Error('not asked')),
    });
    const config = { issuer, clientId: 'c', scopes: [], mapping: {}, externalIdClaim: 'sub' };
    const exchange = { code: 'c', verifier: 'v', nonce: 'n', redirectUri: 'https://a.example' };

    await client.claims(config, exchange).catch(() => undefined);

    const [discovery = 0, token = 0] = spent;
    const info = discovery;
    expect(discovery + token + KEY_SERVER_TIMEOUT_MS + info).toBeLessThanOrEqual(25_000);
  });
});

describe('a return address', () => {
  it.each([
    'blob:https://app.example.com/3f1c',
    'https:\\\\evil.example\\@app.example.com',
    'https://app.example.com:8443/',
    'https://app.example.com./',
    'https://app.example.com%2eevil.example/',
    'https://аpp.example.com/',
    'https://app。example.com.evil.example/',
    'https://evil.example#@app.example.com/',
    'https://evil.example?@app.example.com/',
    'data:text/html,x',
    'about:blank',
  ])('%s is refused', async (address) => {
    const { begin } = await aPlatform();

    const { answer } = await begin(`returnTo=${encodeURIComponent(address)}`);

    expect(answer.body).toMatchObject({ code: 'RETURN_REFUSED', status: 400 });
  });

  it('is read once: what follows the host is a path to browsers too', async () => {
    const { logIn } = await aPlatform();

    const { headers } = await logIn(
      `returnTo=${encodeURIComponent('https:app.example.com\\\\@evil.example')}`,
    );

    expect(headers.location).toMatch(/^https:\/\/app\.example\.com\/\/@evil\.example\?code=/);
  });

  it('is told one outcome, whatever it says of others itself', async () => {
    const { begin, back, logIn } = await aPlatform();
    const query = `returnTo=${encodeURIComponent(`${RETURN_TO}?code=x&error=y&z=1#f`)}`;

    const right = new URL((await logIn(query)).headers.location ?? '');
    world.openid.forge({ claims: { nonce: 'other' } });
    const { cookie, address } = await begin(query);
    const wrong = await back(world.openid.authorise(address), cookie, { accept: 'text/html' });

    expect([...right.searchParams.keys()]).toEqual(['z', 'code']);
    expect(wrong.headers.location).toBe(`${RETURN_TO}?z=1&error=LOGIN_REFUSED#f`);
  });
});
