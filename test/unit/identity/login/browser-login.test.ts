import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { openChromium } from '../../../helpers/browser/open-chromium.ts';
import { anIdentityApi, type IdentityApi } from '../../../helpers/identity/identity-api.ts';
import { spawnOpenId } from '../../../helpers/identity/openid/spawn-openid.ts';
import { demoPeople } from '../../../tools/identity-peers/demo-people.ts';

const PROVIDERS = '/api/v1/identity_provider';
const CALLBACK = `${PROVIDERS}/staff/callback`;
const [{ userName }] = demoPeople().users as unknown as readonly [{ readonly userName: string }];

interface Fetched {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

// Without any Chromium one line says so, and nothing of this is run.
const browser: Browser | undefined = await openChromium();
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  await browser?.close();
});

/** The API and an application at one address, over plain http as `npm start` has them. */
async function served() {
  let api: IdentityApi | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/', headers } = request;
    if (!api || !path.startsWith('/api/')) {
      response.setHeader('content-type', 'text/html').end('<title>An application</title>');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(chunks).toString();
    const {
      status,
      headers: own,
      cookies,
      text,
    } = await api.call({
      ...{ method, path, caller: null, headers: Object.fromEntries(sent) },
      ...(body !== '' && { body }),
    });
    for (const [name, value] of Object.entries(own)) response.setHeader(name, value);
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    response.writeHead(status).end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const openid = await spawnOpenId(`${origin}${CALLBACK}`);
  closing.push(() => openid.close());
  const idp = {
    ...{ enabled: true, 'session-secret': 'svc-cloud/logins' },
    ...{ 'allow-insecure-hosts': [openid.host], 'return-origins': [origin] },
  };
  const readSecret = async () => 'a secret of these tests that is long enough';
  api = anIdentityApi({ readSecret, baseUrl: origin, svc: { idp } });
  api.context.machineClock.advance(Date.now() - api.context.machineClock.now());
  const client = { clientId: 'svc-cloud', clientSecret: 'svc-cloud-secret' };
  const config = { issuer: openid.url, ...client };
  const made = { name: 'Staff', code: 'staff', config, autoCreate: true };
  const { id } = (await api.post(`${PROVIDERS}/create`, made)).body;
  await api.put(`${PROVIDERS}/enable/${id}`);
  return { origin, openid };
}

describe.runIf(browser)('a login in a browser', () => {
  it('goes by the form of the provider, and comes back with a code for a token', async () => {
    const { origin, openid } = await served();
    const page = await (browser as Browser).newPage();
    closing.push(() => page.close());
    const returnTo = encodeURIComponent(`${origin}/done?state=kept`);

    await page.goto(`${origin}${PROVIDERS}/staff/login?returnTo=${returnTo}`);
    const form = new URL(page.url()).origin;
    await page.type('input[name=login]', userName);
    await page.type('input[name=password]', 'any');
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    const end = new URL(page.url());
    const fetched = (path: string, init: object) =>
      page.evaluate(
        async (target, options) => {
          const answer = await fetch(target, options);
          return { status: answer.status, body: await answer.json() } as Fetched;
        },
        ...([path, init] as const),
      );
    const exchanged = {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ code: end.searchParams.get('code') }),
    };
    const token = await fetched(`${PROVIDERS}/token`, exchanged);
    const again = await fetched(`${PROVIDERS}/token`, exchanged);
    const headers = { authorization: `Bearer ${token.body.accessToken}` };
    const users = await fetched('/api/v1/users', { headers });

    expect([form, end.origin, end.pathname]).toEqual([openid.url, origin, '/done']);
    expect(end.searchParams.get('state')).toBe('kept');
    expect(token).toMatchObject({ status: 200, body: { tokenType: 'Bearer', user: { userName } } });
    expect(again.status).toBe(400);
    // The account exists and may see nothing yet.
    expect([users.status, users.body.code]).toEqual([403, 'FORBIDDEN']);
    const own = (await page.cookies()).filter(({ name }) => !name.startsWith('_'));
    expect(own).toMatchObject([{ name: 'svc-login', httpOnly: true, sameSite: 'Lax' }]);
  });
});
