import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PrintingEngine } from '../../../functions/templates/pdf/engine-function.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { aDyingBrowser, aWrapper, isRunning } from '../../helpers/templates/browser-wrapper.ts';
import { hasChromium, installedChromium } from '../../helpers/templates/chromium.ts';
import { readPdf } from '../../helpers/templates/read-pdf.ts';
import { slowness } from '../../helpers/templates/slowness.ts';

/** What a request has for printing; the limits of the engine are those of its function. */
const REQUEST_MS = 25_000;
/** Longest time until an engine of a function prints. */
const START_MS = 10_000;
const job = { at: '2026-01-02T03:04:05.000Z', pdfA: false, tagged: false, format: 'html' } as const;

/** What a start and the page take at the most where a machine has nothing else to do (ms). */
const USUAL_MS = 6_000;

/** The beginning of the first page. */
async function printed(engine: PrintingEngine, bytes: Uint8Array, requestMs: number) {
  const { pdf } = await engine.print({ ...job, bytes }, Date.now() + requestMs);
  const [page] = await readPdf(pdf);
  return page?.text.trim().slice(0, 8);
}

describe.runIf(hasChromium)('Chromium', () => {
  const rows = '<tr><td>row</td></tr>'.repeat(20_000);
  const page = Buffer.from(
    `<!DOCTYPE html><html lang="vi"><head><meta charset="utf-8"><title>t</title></head><body>Kính gửi<table>${rows}</table></body></html>`,
  );
  const startAndPrint = async () => {
    const engine = installedChromium();
    await printed(engine, page, 10 * REQUEST_MS);
    await engine.stop();
  };
  const cases = [0, 50, 200, 800].flatMap((ms) =>
    (['SIGKILL', 'SIGSTOP'] as const).flatMap((signal) => ({ ms, signal })),
  );

  it.each(cases)('that gets $signal $ms ms after its start or a page is replaced', async (each) => {
    const times = await slowness(startAndPrint, USUAL_MS);
    const requestMs = times * REQUEST_MS;
    for (const isWarm of [false, true]) {
      const { files, pids } = await aWrapper(() => '');
      const engine = installedChromium({ files, startMs: times * START_MS });
      if (isWarm) await printed(engine, page, requestMs);

      const text = printed(engine, page, requestMs);
      await pause(each.ms + (isWarm ? 0 : 50));
      const first = pids()[0];
      if (first !== undefined && isRunning(first)) process.kill(first, each.signal);

      expect(await text).toBe('Kính gửi');
      await engine.stop();
      await expect.poll(() => pids().filter(isRunning)).toEqual([]);
    }
  });

  // It says about fifteen things until it is there, and 70 more for each page.
  const everyWord = Array.from({ length: 160 }, (_, at) => ({
    words: at,
    signal: 'SIGKILL' as const,
  }));
  const someWords = everyWord.filter(({ words }) => words % 8 === 1);
  it('that ends after anything it says is replaced', { timeout: 1_800_000 }, async () => {
    const html = Buffer.from('<!DOCTYPE html><html lang="vi"><body>Kính gửi</body></html>');
    const times = await slowness(startAndPrint, USUAL_MS);
    const stops = someWords.map(({ words }) => ({ words, signal: 'SIGSTOP' as const }));
    await mapLimited([...everyWord, ...stops], 2, async ({ words, signal }) => {
      const { files, pids } = await aDyingBrowser(words, signal);
      const limits = { startMs: 2_000 * times, stallMs: 2_000 * times };
      const engine = installedChromium({ files, ...(signal === 'SIGSTOP' && limits) });

      const text = await printed(engine, html, times * REQUEST_MS);
      expect([words, signal, text]).toEqual([words, signal, 'Kính gửi']);
      await engine.stop();
      await expect.poll(() => pids().filter(isRunning)).toEqual([]);
    });
  });
});
