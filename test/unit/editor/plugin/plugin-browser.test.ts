import type { Browser, Frame, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PLUGIN_PATH, pluginSection } from '../../../../functions/editor/plugin/plugin-facts.ts';
import { openChromium } from '../../../helpers/browser/open-chromium.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { sign } from '../../../tools/document-server/jwt.ts';
import { startDocumentServer } from '../../../tools/document-server/server.ts';
import { type Answers, type Served, serve, startPluginServer } from './plugin-server.ts';

const TEMPLATE_ID = '0197b4c0-0000-7000-8000-000000000001';
const HOSTILE = '<img src=x onerror="window.hacked=1">';
const FIELDS = `/api/v1/templates/${TEMPLATE_ID}/merge-fields`;
const BUILTINS = '/api/v1/builtin-merge-fields';
const field = (name: string, label: string | null, sourceType: string | null) => ({
  ...{ name, label, sourceType },
});
const someAnswers = (): Answers => ({
  [FIELDS]: [
    200,
    {
      fields: [
        field('ho_ten', 'Họ tên khách hàng', 'ENTITY'),
        field('so_tien', 'Số tiền vay', 'ENTITY'),
        field('hostile', HOSTILE, 'COMPUTED'),
        field('chua_khai_bao', null, null),
      ],
    },
  ],
  [BUILTINS]: [200, { content: [{ code: 'today', label: 'Ngày hiện tại' }], last: true }],
});

/** What the editor offers to plugins, without an editor: it keeps what is called. */
const stubOfEditor = (options: object): string => `
  window.calls = [];
  window.Asc = { plugin: {
    info: { options: ${JSON.stringify(options)} },
    executeMethod(name, parameters, done) { window.calls.push([name, parameters]); done?.(); },
    executeCommand() {},
    tr: (text) => text,
  } };
  window.addEventListener('DOMContentLoaded', () => window.Asc.plugin.init());
`;

// Without any Chromium one line says so, and nothing of this is run.
const browser: Browser | undefined = await openChromium();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => browser?.close());

const kept = <T extends Served>(served: T): T => {
  closing.push(() => served.close());
  return served;
};

async function newPage(): Promise<Page> {
  if (!browser) throw new Error('There is no browser');
  const page = await browser.newPage();
  closing.push(() => page.close());
  return page;
}

interface PanelOptions {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly answers?: Answers;
  readonly isConfigured?: boolean;
}

/** The panel by itself, over a stub of the editor's script. */
async function openPanel({ options = {}, answers = someAnswers(), isConfigured }: PanelOptions) {
  let script = '';
  const editor = kept(
    await serve(async () => ({
      ...{ status: 200, headers: { 'content-type': 'text/javascript' }, body: script },
    })),
  );
  const api = kept(await startPluginServer(editor.url, answers));
  const other = kept(
    await startPluginServer(editor.url, answers, {
      docs: isConfigured ? { 'plugin-api-base-url': api.url } : {},
    }),
  );
  const own = isConfigured ? other : api;
  const base = isConfigured ? {} : { apiBaseUrl: api.url };
  const shared = { accessToken: 'the-token', templateId: TEMPLATE_ID, locale: 'vi-VN' };
  script = stubOfEditor({ ...base, ...shared, ...options });
  const page = await newPage();
  await page.setViewport({ width: 340, height: 560 });
  await page.goto(`${own.url}${PLUGIN_PATH}/index.html`);
  await page.waitForSelector('#fields:not([aria-busy])');
  return { page, api };
}

const textOf = (place: Page | Frame, selector: string) =>
  place.$eval(selector, (element) => element.textContent ?? '');
const codesOf = (page: Page) =>
  page.$$eval('[data-code]', (all) => all.map((each) => each.getAttribute('data-code')));
const callsOf = (page: Page) => page.evaluate('window.calls');

describe.runIf(browser)('the panel of merge fields in a browser', () => {
  it('lists fields by their source, with labels as texts', async () => {
    const { page, api } = await openPanel({});

    expect(await page.$$eval('h2', (all) => all.map((each) => each.textContent))).toEqual([
      ...['Bản ghi nghiệp vụ', 'Tính toán', 'Có sẵn', 'Chỉ có trong tệp'],
    ]);
    expect(await textOf(page, '[data-code="hostile"] span')).toBe(HOSTILE);
    expect(await page.$('#fields img')).toBeNull();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(api.seen).toEqual([
      { url: FIELDS, authorization: 'Bearer the-token' },
      { url: `${BUILTINS}?page=0&size=200`, authorization: 'Bearer the-token' },
    ]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/panel.png` });
  });

  it('inserts a marker, or a content control with the marker in it', async () => {
    const { page } = await openPanel({});

    await page.click('[data-code="ho_ten"]');
    await page.waitForFunction(
      "document.getElementById('status').textContent.startsWith('Đã chèn')",
    );
    await page.click('input[value="control"]');
    await page.click('[data-code="so_tien"]');

    await vi.waitFor(async () =>
      expect(await callsOf(page)).toEqual([
        ['PasteText', ['{{ho_ten}}']],
        [
          'AddContentControl',
          [
            2,
            {
              ...{ Tag: 'merge:so_tien', Alias: 'Số tiền vay', Lock: 3 },
              PlaceHolderText: '{{so_tien}}',
            },
          ],
        ],
        ['PasteText', ['{{so_tien}}']],
      ]),
    );
  });

  it('finds fields without accents and case', async () => {
    const { page } = await openPanel({});

    await page.type('#search', 'HO TEN');
    expect(await codesOf(page)).toEqual(['ho_ten']);
    await page.type('#search', 'zzz');
    expect(await codesOf(page)).toEqual([]);
    expect(await textOf(page, '#status')).toBe('Không tìm thấy trường phù hợp');
  });

  it('asks the configured API where its options name none', async () => {
    const { page, api } = await openPanel({ isConfigured: true });

    expect(api.seen.map(({ url }) => url)).toContain(FIELDS);
    expect(await codesOf(page)).toContain('ho_ten');
  });

  it('says what is wrong beside what it has, and tries again', async () => {
    const answers = someAnswers();
    const fields = answers[FIELDS] ?? [0, {}];
    answers[FIELDS] = [401, { title: HOSTILE }];
    const { page } = await openPanel({ answers });

    expect(await textOf(page, '[role="alert"] p')).toContain('quyền truy cập đã hết hạn');
    expect(await codesOf(page)).toEqual(['today']);
    answers[FIELDS] = fields;
    await page.click('[role="alert"] button');
    await page.waitForSelector('[data-code="ho_ten"]');
    expect(await page.$('[role="alert"]')).toBeNull();
  });

  it('speaks English where the editor does', async () => {
    const { page } = await openPanel({ options: { locale: 'en-US' } });

    expect(await textOf(page, 'h2')).toBe('Business record');
    expect(await textOf(page, 'label[for="search"]')).toBe('Search fields');
  });
});

describe.runIf(browser)('the plugin in an editor, in an application of another origin', () => {
  let application: Served;
  let html = '';
  beforeAll(async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    application = await serve(async () => ({ status: 200, headers, body: html }));
  });
  afterAll(() => application?.close());

  async function openEditor(corsOrigins: readonly string[]) {
    const secret = 's'.repeat(32);
    const docx = makeDocx({ body: '<w:p><w:r><w:t>Kính gửi: </w:t></w:r></w:p>' });
    const editor = kept(await startDocumentServer({ secret, saveDelayMs: 0 }));
    const file = kept(await serve(async () => ({ status: 200, body: docx })));
    const api = kept(
      await startPluginServer(editor.url, someAnswers(), { web: { 'cors-origins': corsOrigins } }),
    );
    const facts = { token: 'the-token', templateType: 'TYPE_1', documentId: 'd', locale: 'vi-VN' };
    const config = {
      document: {
        key: 'k',
        url: file.url,
        fileType: 'docx',
        title: 'Thư',
        permissions: { edit: true },
      },
      editorConfig: {
        ...{ mode: 'edit', user: { id: 'an', name: 'An' } },
        plugins: pluginSection({ publicBase: api.url, templateId: TEMPLATE_ID, ...facts }),
      },
    };
    const signed = JSON.stringify({ ...config, token: sign(config, secret) });
    html = `<!doctype html><style>html,body{height:100%;margin:0}</style><div id="e"></div>
      <script src="${editor.url}/web-apps/apps/api/documents/api.js"></script>
      <script>new DocsAPI.DocEditor('e', ${signed})</script>`;
    const page = await newPage();
    await page.setViewport({ width: 1200, height: 700 });
    await page.goto(application.url);
    return { page, editor, api };
  }

  const frameOf = (page: Page, part: string) =>
    vi.waitFor(() => {
      const found = page.frames().find((frame) => frame.url().includes(part));
      if (!found) throw new Error(`There is no frame ${part}`);
      return found;
    });

  it('takes its options from the editor, and puts a field into the text', async () => {
    const { page, editor } = await openEditor([application.url]);
    const panel = await frameOf(page, PLUGIN_PATH);
    await panel.waitForSelector('[data-code="ho_ten"]');

    await panel.click('[data-code="ho_ten"]');

    await vi.waitFor(() =>
      expect(editor.documents.find('k')?.texts).toEqual(['Kính gửi: {{ho_ten}}']),
    );
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/editor.png` });
  });

  it('opens in no application that is not configured', async () => {
    const { page, api } = await openEditor([]);
    const text = await frameOf(page, 'editor.html');
    await text.waitForSelector('aside iframe');

    await vi.waitFor(() =>
      expect(page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/'),
    );
    expect(api.seen).toEqual([]);
  });
});
