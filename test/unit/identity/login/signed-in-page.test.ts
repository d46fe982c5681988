import { expect, it } from 'vitest';
import {
  aLoginApi,
  aProvider,
  browserOf,
  codeOf,
  PROVIDERS,
  providerOfTests,
} from '../../../helpers/identity/openid/login-world.ts';
import { openInBrowser, type PlatformAnswer } from '../../shared/pages/a-browser.ts';

const PAGE = `${PROVIDERS}/signed-in`;
const ORIGIN = 'https://app.example.com';
const world = providerOfTests({ sub: 'lan', preferred_username: 'lan.nguyen' });

/** Logs in at a provider, and opens the page that the login ends at. */
async function aLogin() {
  const api = aLoginApi(world.openid);
  await aProvider(api, world.openid);
  const { logIn, tokenFor } = browserOf(api, world.openid);
  const { headers } = await logIn(`returnTo=${encodeURIComponent(ORIGIN + PAGE)}`);
  const address = headers.location ?? '';
  const code = codeOf(address);
  const { text: html } = await api.get(PAGE, { caller: null });
  const open = async (to: string, ...answers: PlatformAnswer[]) => {
    const browser = openInBrowser(html, to, ...answers);
    await browser.settle();
    return browser;
  };
  return { address, code, open, exchange: () => tokenFor(code) };
}

it('a login ends at a page that says who is signed in, and what can be done next', async () => {
  const { address, code, open, exchange } = await aLogin();
  const { status, body } = await exchange();

  const { calls, text, window } = await open(address, { status, body });

  expect(calls).toEqual([
    {
      ...{ address: `${ORIGIN}${PROVIDERS}/token`, sent: { code }, authorization: undefined },
      pageAddress: ORIGIN + PAGE,
    },
  ]);
  expect(text()).toContain('Signed in as lan.nguyen');
  expect(text()).toContain(`Authorization: Bearer ${String(body.accessToken)}`);
  const links = [...window.document.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  expect(links).toContain('/api/v1/reference');
});

it('the page says so when the code was used before, or cannot be exchanged', async () => {
  const { address, open, exchange } = await aLogin();
  await exchange();
  const { status, body } = await exchange();

  const used = await open(address, { status, body });
  const apart = await open(address);

  expect(status).toBe(400);
  expect(used.text()).toContain(`Nobody is signed in: ${String(body.detail)}`);
  expect(apart.text()).toContain('could not be reached');
});

it('the page says so when a login has failed, or none has begun', async () => {
  const { open } = await aLogin();

  const failed = await open(`${ORIGIN}${PAGE}?error=LOGIN_REFUSED%3Cb%3E`);
  const bare = await open(ORIGIN + PAGE);

  expect(failed.text()).toContain('the login ended with LOGIN_REFUSED<b>');
  expect(failed.window.document.querySelector('main b')).toBeNull();
  expect(bare.text()).toContain('Nobody has logged in');
  expect([...failed.calls, ...bare.calls]).toEqual([]);
});
