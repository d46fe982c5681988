import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Host } from '../../../../shared/host/host.ts';
import type { SecretReader } from '../../../../shared/lambda/module-context.ts';
import { anIdentityApi, type IdentityApi } from '../identity-api.ts';
import { type FakeProvider, fakeProvider } from './fake-provider.ts';

export const PROVIDERS = '/api/v1/identity_provider';
export const CLIENT_SECRET = 'canary-client-secret';
export const RETURN_TO = 'https://app.example.com/done';
export const VERIFIER = 'a-verifier-of-an-application-that-is-long-enough';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const SECRET = 'a secret of these tests that is long enough';

/** A provider for the tests of a file. Each begins with the same person, who has nothing to hide. */
export function providerOfTests(first: JWTPayload) {
  let openid: FakeProvider | undefined;
  const world = {
    /** Who logs in next. */
    person: first,
    get openid(): FakeProvider {
      if (!openid) throw new Error('The provider has not begun');
      return openid;
    },
  };
  beforeAll(async () => {
    openid = await fakeProvider(() => world.person);
  });
  afterAll(() => openid?.close());
  beforeEach(() => {
    world.person = first;
    openid?.forge({});
  });
  return world;
}

interface LoginWorldOptions {
  readonly readSecret?: SecretReader;
  readonly host?: Partial<Host>;
}

/** A platform that people log in to through a provider. */
export function aLoginApi(
  openid: FakeProvider,
  { readSecret = async () => SECRET, host }: LoginWorldOptions = {},
): IdentityApi {
  const idp = {
    ...{ enabled: true, 'session-secret': 'svc-cloud/logins' },
    ...{ 'allow-insecure-hosts': [openid.host], 'return-origins': ['https://app.example.com'] },
  };
  const api = anIdentityApi({ readSecret, svc: { idp }, ...(host && { host }) });
  openid.at(api.context.machineClock.now);
  return api;
}

/** Makes a provider, by default `staff`, and enables it. @returns its id */
export async function aProvider(
  api: IdentityApi,
  openid: FakeProvider,
  { config = {}, ...more }: { readonly config?: object; readonly [name: string]: unknown } = {},
): Promise<string> {
  const client = { issuer: openid.issuer(), clientId: 'svc-cloud', clientSecret: CLIENT_SECRET };
  const body = { name: 'Staff', code: 'staff', autoCreate: true, ...more };
  const made = await api.post(`${PROVIDERS}/create`, { ...body, config: { ...client, ...config } });
  const id = String(made.body.id);
  await api.put(`${PROVIDERS}/enable/${id}`);
  return id;
}

/** What a browser and an application do of a login. */
export function browserOf(api: IdentityApi, openid: FakeProvider) {
  const begin = async (query = `returnTo=${RETURN_TO}`, code = 'staff') => {
    const answer = await api.get(`${PROVIDERS}/${code}/login?${query}`, { caller: null });
    const [cookie = ''] = (answer.cookies[0] ?? '').split(';');
    return { answer, cookie, address: answer.headers.location ?? '' };
  };
  const back = (query: URLSearchParams, cookie: string, more: object = {}, code = 'staff') => {
    const headers = { cookie, ...more };
    return api.get(`${PROVIDERS}/${code}/callback?${query}`, { caller: null, headers });
  };
  const logIn = async (query?: string, code?: string) => {
    const { cookie, address } = await begin(query, code);
    return back(openid.authorise(address), cookie, {}, code);
  };
  const tokenFor = (code: string, more: object = {}) =>
    api.post(`${PROVIDERS}/token`, { code, ...more }, { caller: null });
  /** The whole way to a token. */
  const enter = async (code?: string) =>
    tokenFor(codeOf((await logIn(undefined, code)).headers.location));
  return { begin, back, logIn, tokenFor, enter };
}

/** The one-time code in the address that a login ends at. */
export const codeOf = (location = ''): string =>
  new URL(location === '' ? RETURN_TO : location).searchParams.get('code') ?? '';
