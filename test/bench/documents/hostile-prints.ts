import type { PrintingEngine } from '../../../functions/templates/pdf/engine-function.ts';
import { writeHtml } from '../../../shared/docx/html/write-html.ts';
import { normaliseDocx, openDocx } from '../../../shared/docx/index.ts';
import { allHostileFiles } from '../../helpers/docx/hostile/all-files.ts';
import { documentWithOutside } from '../../helpers/docx/hostile/outside.ts';
import { installedChromium } from '../../helpers/templates/chromium.ts';
import { installedLibreOffice } from '../../helpers/templates/libreoffice.ts';
import type { Figure } from '../benchmark.ts';
import { aDocument, HTML, print, time } from './engine-work.ts';

/** Longest that a hostile file may take (ms). */
const GOAL_MS = 2_000;

/** What an engine that is warm makes of hostile files, and of a document that takes in what lies elsewhere. */
export async function hostilePrints(): Promise<Figure[]> {
  const outside = documentWithOutside('http://127.0.0.1:1');
  const page = writeHtml(normaliseDocx(await openDocx(outside)).pkg, {
    title: 't',
    language: 'vi',
  });
  const files = Object.values(allHostileFiles()).flat();
  return [
    await slowestPrint('libreoffice', installedLibreOffice(), [
      ...files.map(([what, bytes]) => [what, bytes] as const),
      ['asks for what is elsewhere', outside],
    ]),
    await slowestPrint('chromium', installedChromium(), [
      ['asks for what is elsewhere', Buffer.from(page.html)],
    ]),
  ];
}

async function slowestPrint(
  name: 'libreoffice' | 'chromium',
  engine: PrintingEngine & { stop(): Promise<void> },
  files: readonly (readonly [what: string, bytes: Uint8Array])[],
): Promise<Figure> {
  const format = name === 'chromium' ? 'html' : 'docx';
  await print(engine, format, format === 'html' ? Buffer.from(HTML) : aDocument(1));
  let [slowest, value] = ['', 0];
  for (const [what, bytes] of files) {
    // Most are refused.
    const ms = await time(() => print(engine, format, bytes).catch(() => undefined));
    if (ms > value) [slowest, value] = [what, ms];
  }
  await engine.stop();
  const what = `${name}: hostile files (${files.length}), the slowest: ${slowest}`;
  return { what, value, unit: 'ms', goal: GOAL_MS };
}
