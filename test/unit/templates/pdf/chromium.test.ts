import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PrintingBrowser } from '../../../../functions/templates/pdf/chromium/browser.ts';
import type { ChromiumEngine } from '../../../../functions/templates/pdf/chromium/chromium-engine.ts';
import {
  DocumentRefusedError,
  type PrintJob,
} from '../../../../functions/templates/pdf/engine-function.ts';
import { takePlaces } from '../../../../functions/templates/pdf/pdf-places.ts';
import { stampPdf } from '../../../../functions/templates/pdf/stamp-pdf.ts';
import { EngineBroken } from '../../../../functions/templates/pdf/watching/started-engine.ts';
import { writeHtml } from '../../../../shared/docx/html/write-html.ts';
import { openDocx } from '../../../../shared/docx/index.ts';
import { mapLimited } from '../../../../shared/primitives/map-limited.ts';
import { makeDocx, relationship } from '../../../helpers/docx/make-docx.ts';
import { aDyingBrowser, aWrapper, isRunning } from '../../../helpers/templates/browser-wrapper.ts';
import {
  chromiumFiles,
  hasChromium,
  installedChromium,
} from '../../../helpers/templates/chromium.ts';
import { HAN_FONTS } from '../../../helpers/templates/fonts.ts';
import { readPdf } from '../../../helpers/templates/read-pdf.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const LIMIT_MS = 120_000;
const at = '2026-01-02T03:04:05.000Z';
const vietnamese = 'Độc lập – Tự do – Hạnh phúc, ngày mồng chín';
const page = (body: string, head = '') =>
  `<!DOCTYPE html><html lang="vi"><head><meta charset="utf-8"><title>t</title>${head}</head><body>${body}</body></html>`;

const print = (engine: ChromiumEngine, html: string, more: Partial<PrintJob> = {}) =>
  engine.print(
    { bytes: Buffer.from(html), format: 'html', at, pdfA: false, tagged: false, ...more },
    Date.now() + LIMIT_MS,
  );

const textOf = async (pdf: Uint8Array) =>
  (await readPdf(pdf)).map(({ text }) => text.replace(/\s+/g, ' '));

const running: ChromiumEngine[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

async function aWatchedEngine(script: (starts: string) => string = () => '', startMs = 60_000) {
  const { files, pids } = await aWrapper(script);
  const warnings: string[] = [];
  const engine = installedChromium({
    ...{ files, startMs, stallMs: 2_000 },
    log: { warn: (message) => void warnings.push(message) },
  });
  running.push(engine);
  return { engine, pids, warnings };
}

describe.runIf(hasChromium)('Chromium', { timeout: LIMIT_MS }, () => {
  let engine: ChromiumEngine;
  beforeAll(() => {
    engine = installedChromium({ files: () => chromiumFiles(HAN_FONTS) });
  });
  afterAll(() => engine.stop());

  it('prints pages by their own breaks and sizes, in fonts with Vietnamese letters', async () => {
    const style = '<style>@page{size:200pt 400pt}.next{break-before:page}</style>';
    const text = `<p style="font-family:'Times New Roman',Tinos">${vietnamese}</p>`;

    const { pdf, pages } = await print(engine, page(`${text}<p class="next">Last</p>`, style));

    const read = await readPdf(pdf);
    expect(pages).toBe(2);
    expect(read.map(({ width, height }) => [width, height].map(Math.round))).toEqual([
      [200, 400],
      [200, 400],
    ]);
    expect(read[0]?.text.replace(/\s+/g, ' ')).toContain(vietnamese);
    const raw = Buffer.from(pdf).toString('latin1');
    const fonts = [...raw.matchAll(/\/FontName \/[A-Z]+\+(\w+)/g)].map(([, name]) => name);
    expect([...new Set(fonts)]).toEqual(['Tinos']);
    expect(raw).not.toContain('/Subtype /Type3');
  });

  it('prints the same file of the same page, with the structure of its text where that is asked for', async () => {
    for (const tagged of [false, true]) {
      const html = page(`<h1>Heading</h1><p>${vietnamese}</p>`);
      const [one, two] = [
        await print(engine, html, { tagged }),
        await print(engine, html, { tagged }),
      ].map(({ pdf }) => stampPdf(pdf, new Date(at)));

      expect(two?.equals(one ?? Buffer.alloc(0))).toBe(true);
      expect(one?.includes('/StructTreeRoot')).toBe(tagged);
      expect(one?.includes('D:20260102030405')).toBe(true);
    }
  });

  it('says where a page keeps a place free', async () => {
    const drawing = `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="762000" cy="317500"/><wp:docPr id="1" name="p"><a:hlinkClick r:id="place"/></wp:docPr><a:graphic><a:graphicData><a:blip r:embed="image"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
    const target = 'urn:svc-cloud:place:Ch%E1%BB%AF%20k%C3%BD';
    const file = makeDocx({
      body: `<w:p><w:r><w:t>a</w:t><w:br w:type="page"/></w:r>${drawing}</w:p>`,
      relationships:
        relationship('place', 'hyperlink', target, 'External') +
        relationship('image', 'image', 'media/a.png'),
      entries: { 'word/media/a.png': PIXEL },
      types: '<Default Extension="png" ContentType="image/png"/>',
    });
    const { html } = writeHtml(await openDocx(file), { title: 't', language: 'vi' });

    const { pdf } = await print(engine, html);

    const { places, pdf: without } = await takePlaces(pdf);

    expect(places).toEqual([expect.objectContaining({ name: 'Chữ ký', page: 2 })]);
    expect(places[0]?.width).toBeCloseTo(60, 0);
    expect(places[0]?.height).toBeCloseTo(25, 0);
    expect(Buffer.from(without).includes('urn:svc-cloud')).toBe(false);
  });

  it('prints letters of fonts that the application adds', async () => {
    const { pdf } = await print(engine, page('<p>Hợp đồng 中文合同</p>'));

    expect(await textOf(pdf)).toEqual([expect.stringContaining('中文合同')]);
    expect(Buffer.from(pdf).includes('NotoSansSC')).toBe(true);
  });

  it('runs no script and asks nobody for anything', async () => {
    const asked: string[] = [];
    const server = createServer((socket) => {
      socket.on('data', (bytes) => asked.push(bytes.toString('latin1').split('\r\n')[0] ?? ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const head = `<link rel="stylesheet" href="${url}/css"><link rel="preconnect" href="${url}"><link rel="prefetch" href="${url}/prefetch"><meta http-equiv="refresh" content="0;url=${url}/refresh"><style>@import "${url}/import";body{background:url(${url}/back)}</style>`;
    const body = `Text<script>document.body.append('script ran')</script><img src="${url}/image"><img src="file:///etc/hostname"><iframe src="${url}/frame"></iframe><iframe src="file:///etc/passwd"></iframe><object data="${url}/object"></object><embed src="${url}/embed"><video src="${url}/video" autoplay></video><a href="${url}/link" ping="${url}/ping">link</a><noscript>scripts are off</noscript>`;

    const { pdf } = await print(engine, page(body, head));

    server.close();
    const [text = ''] = await textOf(pdf);
    expect(text).toContain('Text');
    expect(text).toContain('scripts are off');
    expect(text).not.toMatch(/script ran|root:/);
    expect(asked).toEqual([]);
  });

  it('refuses what is no page, and prints the next one', async () => {
    await expect(print(engine, 'PK not a page')).rejects.toThrow(DocumentRefusedError);
    expect((await print(engine, page('a'))).pages).toBe(1);
  });
});

describe.runIf(hasChromium)('a browser that fails', { timeout: LIMIT_MS }, () => {
  it('is replaced when it stands still at its start', async () => {
    const isFirst = (starts: string) => `if [ $(wc -l < ${starts}) -eq 1 ]; then sleep 60; fi`;
    const { engine, pids, warnings } = await aWatchedEngine(isFirst, 10_000);

    expect((await print(engine, page('a'))).pages).toBe(1);
    expect(pids()).toHaveLength(2);
    expect(warnings).toEqual(['An engine did not start']);
  });

  it('tells at once that it has died, whatever it has said before, and is stopped', async () => {
    // It says about fifteen things until it is there, and as many until it has a page.
    const words = Array.from({ length: 30 }, (_, at) => at);
    const ends = await mapLimited(words, 4, async (said) => {
      const { files, pids } = await aDyingBrowser(said);
      const browser = new PrintingBrowser(await files(), LIMIT_MS);
      const print = async () => {
        await browser.ready();
        await browser.convert({ html: page('a'), tagged: false });
      };
      const end = await print().catch((cause: unknown) => cause);
      await browser.stop();
      await expect.poll(() => pids().filter(isRunning)).toEqual([]);
      return end;
    });

    expect(ends).toEqual(words.map(() => expect.any(EngineBroken)));
  });

  it('that dies while it is launched is replaced', async () => {
    // The tab is there, and its page is not: `launch` waits for it without a limit.
    const { files, pids } = await aDyingBrowser(9);
    const engine = installedChromium({ files, startMs: LIMIT_MS });
    running.push(engine);

    const job = { bytes: Buffer.from(page('a')), at, pdfA: false, tagged: false } as const;
    const { pages } = await engine.print({ ...job, format: 'html' }, Date.now() + LIMIT_MS / 2);

    expect([pages, pids().length]).toEqual([1, 2]);
  });

  it.each(['SIGSTOP', 'SIGKILL'] as const)('over a page is replaced: %s', async (signal) => {
    const { engine, pids, warnings } = await aWatchedEngine();
    await print(engine, page('a'));

    const rows = page(`<table>${'<tr><td>row</td></tr>'.repeat(8_000)}</table>`);
    const printed = print(engine, rows);
    await pause(20);
    process.kill(pids()[0] ?? 0, signal);

    expect((await printed).pages).toBeGreaterThan(50);
    expect(pids()).toHaveLength(2);
    expect(warnings).toEqual(['An engine is replaced']);
    await engine.stop();
    await expect.poll(() => pids().filter(isRunning)).toEqual([]);
  });
});
