import { expect, it } from 'vitest';
import { ensureDemoProvider } from '../../../../bin/dev/seed/demo-provider.ts';
import { ensureDemoSource } from '../../../../bin/dev/seed/demo-source.ts';
import { type IdentityCall, RefusedCall } from '../../../../bin/dev/seed/identity-call.ts';
import { fakeProvider } from '../../../helpers/identity/openid/fake-provider.ts';
import {
  aLoginApi,
  browserOf,
  PROVIDERS,
  providerOfTests,
} from '../../../helpers/identity/openid/login-world.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';

const world = providerOfTests({ sub: 'person-02', preferred_username: 'person-02' });

/** A platform that a person starts again and again. */
function aPlatform() {
  const api = aLoginApi(world.openid);
  const calls: string[] = [];
  const call: IdentityCall = async <T>(method: string, path: string, body?: object) => {
    const answer: ApiAnswer = await api.call({ method, path, ...(body && { body }) });
    calls.push(`${method} ${path.replace(/[0-9a-f-]{36}/g, 'id')} ${answer.status}`);
    if (answer.status >= 400) throw new RefusedCall(answer.status, answer.text);
    return answer.body as T;
  };
  const start = async (issuer = world.openid.issuer()) => {
    const { id: sourceId, runPage } = await ensureDemoSource(
      call,
      new URL(world.openid.issuer()).origin,
    );
    const returnTo = 'https://app.example.com/done';
    const login = await ensureDemoProvider(call, { issuer, sourceId, returnTo });
    return { login, runPage };
  };
  const providers = async () => (await api.get(`${PROVIDERS}/list`)).body.content;
  return { api, calls, start, providers };
}

it('npm start makes a source and a provider once, and people log in without a set-up', async () => {
  const { api, start, providers, calls } = aPlatform();

  const { login, runPage } = await start();
  await start();
  const { body } = await browserOf(api, world.openid).enter('demo');

  expect(login).toBe(
    `${PROVIDERS}/demo/login?returnTo=${encodeURIComponent('https://app.example.com/done')}`,
  );
  expect(runPage).toMatch(/^\/api\/v1\/identity_source\/sync\/run\/.+\/view$/);
  expect(await providers()).toMatchObject([{ code: 'demo', enabled: true }]);
  expect(calls.filter((each) => each.startsWith('POST') && each.includes('/create'))).toHaveLength(
    2,
  );
  expect(body.user).toMatchObject({ userName: 'person-02' });
});

it('npm start makes another provider where the former one has linked people and another address', async () => {
  const { api, start, providers } = aPlatform();
  await start();
  await browserOf(api, world.openid).enter('demo');
  const other = await fakeProvider(() => ({}));

  await start(other.issuer());
  await other.close();

  const [row] = (await providers()) as { id: string; enabled: boolean }[];
  expect(row?.enabled).toBe(true);
  const { body } = await api.get(`${PROVIDERS}/get/${row?.id}`);
  expect(body.config).toMatchObject({ issuer: other.issuer() });
});
