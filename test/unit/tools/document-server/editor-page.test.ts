import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Frame } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { openChromium } from '../../../helpers/browser/open-chromium.ts';
import { makeDocx, paragraph } from '../../../helpers/docx/make-docx.ts';
import { sign } from '../../../tools/document-server/jwt.ts';
import { startDocumentServer } from '../../../tools/document-server/server.ts';

const SECRET = 'the secret that both know, 32 bytes';
/** A little more than the pause in which the page asks how its document is. */
const POLLED_MS = 1_300;
const PLUGIN_MS = 1_000;
const PLUGIN = { guid: 'g', name: 'Plugin', variations: [{ url: 'panel.html' }] };

const browser: Browser | undefined = await openChromium();
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await browser?.close();
});

/** A platform that gives out a configuration and accepts all saves. */
async function aPlatform() {
  const statuses: unknown[] = [];
  const bytes = makeDocx({ body: paragraph('Xin chào') });
  const server = createServer(async (request, response) => {
    let sent = '';
    for await (const part of request) sent += part;
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*, authorization');
    if (request.url === '/file') return response.end(bytes);
    // A function that starts takes its time.
    if (request.url === '/plugin.json') {
      return setTimeout(() => response.end(JSON.stringify(PLUGIN)), PLUGIN_MS);
    }
    if (request.url === '/config') return response.end(JSON.stringify(config()));
    if (sent !== '') statuses.push(JSON.parse(sent).status);
    return response.end('{"error":0}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = () => {
    const permissions = { edit: true };
    const plain = {
      document: { ...{ key: 'k', url: `${url}/file`, fileType: 'docx', permissions } },
      editorConfig: {
        ...{ mode: 'edit', callbackUrl: `${url}/callback`, user: { id: 'an', name: 'An' } },
        plugins: { pluginsData: [`${url}/plugin.json`] },
      },
    };
    return { ...plain, token: sign(plain, SECRET) };
  };
  return { url, statuses };
}

describe.runIf(browser)('the page of the stand-in in a browser', () => {
  it('changes a text, saves it, and is quiet once it is closed', async () => {
    const platform = await aPlatform();
    const server = await startDocumentServer({ secret: SECRET, saveDelayMs: 0 });
    closing.push(() => server.close());
    const page = await browser?.newPage();
    if (!page) throw new Error('There is no browser');
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('response', (answer) => {
      if (answer.status() >= 400) faults.push(`${answer.status()} ${answer.url()}`);
    });
    const given = new URLSearchParams({ config: `${platform.url}/config`, token: 't' });
    await page.goto(`${server.url}/demo#${given}`);
    const frame: Frame = await page.waitForFrame((one) => one.url().includes('editor.html'));
    await frame.waitForSelector('main p');

    await frame.click('main p');
    await page.keyboard.press('End');
    await page.keyboard.type(', đã sửa');
    await frame.click('#save');
    await frame.waitForFunction("document.getElementById('state').textContent === 'Saved'");
    await frame.click('#close');
    await frame.waitForSelector('#closed');
    await expect.poll(() => platform.statuses).toEqual([1, 6, 2]);
    await sleep(PLUGIN_MS + POLLED_MS);

    expect(faults.filter((fault) => !fault.includes('favicon'))).toEqual([]);
  });
});
