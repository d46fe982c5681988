import { afterAll, beforeAll, expect, it } from 'vitest';
import { anIdentityApi } from '../../../helpers/identity/identity-api.ts';
import { logInAtPages, spawnOpenId } from '../../../helpers/identity/openid/spawn-openid.ts';
import { demoPeople } from '../../../tools/identity-peers/demo-people.ts';

const PROVIDERS = '/api/v1/identity_provider';
const CALLBACK = `https://api.example.com${PROVIDERS}/staff/callback`;

let openid: Awaited<ReturnType<typeof spawnOpenId>>;
beforeAll(async () => {
  openid = await spawnOpenId(CALLBACK);
});
afterAll(() => openid.close());

it('logs in at the pages of oidc-provider, by PKCE and with a client secret', async () => {
  const idp = {
    ...{ enabled: true, 'session-secret': 'svc-cloud/logins' },
    ...{ 'allow-insecure-hosts': [openid.host], 'return-origins': ['https://app.example.com'] },
  };
  const readSecret = async () => 'a secret of these tests that is long enough';
  const api = anIdentityApi({ readSecret, svc: { idp } });
  api.context.machineClock.advance(Date.now() - api.context.machineClock.now());
  const client = { clientId: 'svc-cloud', clientSecret: 'svc-cloud-secret' };
  const config = { issuer: openid.url, ...client };
  const body = { name: 'Staff', code: 'staff', config, autoCreate: true };
  const { id } = (await api.post(`${PROVIDERS}/create`, body)).body;
  await api.put(`${PROVIDERS}/enable/${id}`);
  const { userName } = demoPeople().users[0] as unknown as { readonly userName: string };

  const query = 'returnTo=https://app.example.com/done';
  const begun = await api.get(`${PROVIDERS}/staff/login?${query}`, { caller: null });
  const { search } = new URL(await logInAtPages(begun.headers.location ?? '', userName));
  const headers = { cookie: begun.cookies[0]?.split(';')[0] ?? '' };
  const ended = await api.get(`${PROVIDERS}/staff/callback${search}`, { caller: null, headers });
  const code = new URL(ended.headers.location ?? '').searchParams.get('code');
  const token = await api.post(`${PROVIDERS}/token`, { code }, { caller: null });

  expect(token.body).toMatchObject({ tokenType: 'Bearer', user: { userName } });
});
