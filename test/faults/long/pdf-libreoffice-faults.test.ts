import { describe, expect, it } from 'vitest';
import type { PrintingEngine } from '../../../functions/templates/pdf/engine-function.ts';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';
import {
  ENGINE_FAULTS,
  ENGINE_STEPS,
  writeFaultyLoader,
} from '../../helpers/templates/faulty-libreoffice.ts';
import { installedLibreOffice } from '../../helpers/templates/libreoffice.ts';
import { readPdf } from '../../helpers/templates/read-pdf.ts';
import { slowness } from '../../helpers/templates/slowness.ts';
import { temporaryFolder } from '../../unit/lib/synthesise.ts';

/** What a request has for printing; the limits of the engines are those of their functions. */
const REQUEST_MS = 25_000;
/** Longest time until an engine of a function prints. */
const START_MS = 12_000;
/** What a start takes at the most where a machine has nothing else to do (ms). */
const USUAL_MS = 3_000;
const letter = makeDocx({ body: paragraph('Kính gửi') });
const job = { at: '2026-01-02T03:04:05.000Z', pdfA: false, tagged: false };

/** Starts an engine and prints with it. */
async function startAndPrint(): Promise<void> {
  const engine = installedLibreOffice();
  await textOf(engine, letter, 10 * REQUEST_MS);
  await engine.stop();
}

async function textOf(engine: PrintingEngine, bytes: Uint8Array, requestMs: number) {
  const { pdf } = await engine.print({ ...job, bytes, format: 'docx' }, Date.now() + requestMs);
  const [page] = await readPdf(pdf);
  return page?.text.trim().slice(0, 8);
}

describe('LibreOffice', () => {
  const faults = Object.keys(ENGINE_FAULTS) as (keyof typeof ENGINE_FAULTS)[];
  const started: readonly string[] = ENGINE_STEPS.slice(0, 2);
  const cases = ENGINE_STEPS.flatMap((step) =>
    faults.map((fault) => ({
      ...{ step, fault },
      when: started.includes(step) || fault === 'dies' ? 'while it is warmed' : 'over a document',
    })),
  );

  it.each(cases)('that $fault in $step $when is replaced within the request', async (each) => {
    const folder = temporaryFolder();
    const { step, fault, when } = each;
    const { hasFailed } = writeFaultyLoader(folder, step, fault, when === 'while it is warmed');
    const times = await slowness(startAndPrint, USUAL_MS);
    const engine = installedLibreOffice(undefined, {
      files: async () => folder,
      startMs: times * START_MS,
    });

    expect(await textOf(engine, letter, times * REQUEST_MS)).toBe('Kính gửi');
    expect(hasFailed()).toBe(true);
    expect(await textOf(engine, letter, times * REQUEST_MS)).toBe('Kính gửi');
    await engine.stop();
  });
});
