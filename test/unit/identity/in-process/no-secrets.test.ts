import { createHmac } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { secretBytes } from '../../../../functions/identity/sources/event-secret.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { anIdentityApi, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';
import { realSync } from '../../../helpers/identity/real-sync.ts';
import { scriptedSource, type Told } from '../../../helpers/scim/scripted-source.ts';

const PROVIDERS = '/api/v1/identity_provider';
const SECRETS = {
  admin: 'canary-admin-password-1',
  client: 'canary-client-secret-2',
  users: 'Canary-default-Password-3!',
  provider: 'canary-provider-secret-4',
};

let isEchoing = false;
/** A source that tells, in its errors, all that it was sent. */
const source = await scriptedSource(({ authorization = '', body }): Told | undefined => {
  const told = `${authorization} ${body} ${Object.values(SECRETS).join(' ')}`;
  return isEchoing
    ? { status: 500, headers: { 'x-echo': 'no' }, body: { detail: told } }
    : undefined;
});
afterAll(() => source.close());

/** A text as it is, in an address, in base64 (also behind a user name), or in JSON. */
const formsOf = (secret: string): readonly string[] => [
  ...[secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
  ...[secret, `sync:${secret}`, `:${secret}`].map((text) =>
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ),
];

it('no secret is in an answer, a log, a history, an event, a file or stored as it is', async () => {
  const host = new URL(source.origin).host;
  const sync = lazy(() => realSync(api));
  const api = anIdentityApi({
    svc: { idp: { enabled: true, 'allow-insecure-hosts': [host] } },
    sync: memorySync({
      execute: (...call) => sync().sync.execute(...call),
      validate: (...call) => sync().sync.validate(...call),
      applyOne: (...call) => sync().sync.applyOne(...call),
      planned: (...call) => sync().sync.planned(...call),
    }),
  });
  const seen: string[] = [];
  const call = async (method: string, path: string, body?: unknown, more: object = {}) => {
    const answer = await api.call({ method, path, body, ...more });
    seen.push(answer.text, JSON.stringify(answer.headers), ...answer.cookies);
    return answer;
  };
  const basicConfig = {
    ...{ baseUrl: `${source.origin}/scim/v2`, adminUsername: 'sync', authMode: 'basic' },
    ...{ adminPassword: SECRETS.admin, clientSecret: SECRETS.client, clientId: 'svc' },
  };
  const user = { enabled: true, defaultPassword: SECRETS.users };
  const facts = { name: 'Head office', code: 'head-office', provider: 'EXTSRC' };
  const made = await api.post(`${SOURCES}/create`, {
    ...{ ...facts, basicConfig, strategyConfig: { user } },
  });
  const { id, eventSecret } = made.body as { readonly id: string; readonly eventSecret: string };
  const config = { issuer: source.origin, clientId: 'c', clientSecret: SECRETS.provider };
  const provider = await call('POST', `${PROVIDERS}/create`, { name: 'Staff', config });
  await call('PUT', `${SOURCES}/enable/${id}`);

  const run = async (request: object) => {
    const { body } = await call('POST', `${SOURCES}/sync/execute/${id}`, request);
    await sync().machine.work();
    await call('GET', `${SOURCES}/sync/run/${body.batch}`);
    await call('GET', `${SOURCES}/sync/record_list?syncHistoryId=${body.userHistoryId}`);
    await call('GET', `${SOURCES}/sync/record_list?syncHistoryId=${body.organizationHistoryId}`);
  };
  const event = async (key: string) => {
    const text = JSON.stringify({ type: 'user.updated', objectId: 'id-1' });
    const at = Math.floor(api.context.clock.now() / 1_000);
    const mac = createHmac('sha256', secretBytes(eventSecret)).update(`${key}.${at}.${text}`);
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': key, 'webhook-timestamp': `${at}` },
      'webhook-signature': `v1,${mac.digest('base64')}`,
    };
    const path = '/api/v1/synchronizer/event_receive/head-office';
    expect((await call('POST', path, text, { headers, caller: null })).status).toBe(202);
    await api.services.eventWorker.apply(id, key);
  };
  for (const echoing of [false, true]) {
    isEchoing = echoing;
    await run({ mode: 'FULL' });
    await event(`event-${echoing}`);
    await call('POST', `${SOURCES}/config_validator`, {
      ...{ provider: 'EXTSRC', config: { basicConfig } },
    });
    await call('POST', `${PROVIDERS}/config_validator`, { config });
  }
  await call('PUT', `${SOURCES}/save/config`, { id, basicConfig: { ...basicConfig, wrong: 1 } });
  await call('PUT', `${SOURCES}/save/config`, {
    id,
    basicConfig: { ...basicConfig, baseUrl: 7, adminTokenTtlMinutes: SECRETS.admin },
  });
  for (const path of [`get/${id}`, `get/config/${id}`, 'list', `event/record_list?${q(id)}`]) {
    await call('GET', `${SOURCES}/${path}`);
  }
  await call('GET', `${SOURCES}/sync/history_list?${q(id)}`);
  await call('GET', '/api/v1/users');
  await call('GET', `${PROVIDERS}/get/${provider.body.id}`);
  await call('GET', `${PROVIDERS}/list`);

  const { context } = api;
  const places = {
    answers: seen.join('\n'),
    log: context.log.text(),
    table: JSON.stringify(context.db.items()),
    bus: JSON.stringify(context.bus.events),
    files: sync().written.join('\n'),
  };
  expect(places.answers).toContain('"status":"FAIL"');
  expect(places.files.length).toBeGreaterThan(0);
  for (const [place, text] of Object.entries(places)) {
    for (const secret of [...Object.values(SECRETS), eventSecret]) {
      for (const form of formsOf(secret))
        expect(text.includes(form), `${place}: ${form}`).toBe(false);
    }
  }
});

const q = (id: string): string => `identitySourceId=${id}`;
