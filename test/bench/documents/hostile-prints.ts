import type { PrintingEngine } from '../../../functions/templates/pdf/engine-function.ts';
import { writeHtml } from '../../../shared/docx/html/write-html.ts';
import {
  type DocxPackage,
  DocxRefused,
  normaliseDocx,
  openDocx,
  writeDocx,
} from '../../../shared/docx/index.ts';
import { allHostileFiles } from '../../helpers/docx/hostile/all-files.ts';
import { documentWithOutside } from '../../helpers/docx/hostile/outside.ts';
import { installedChromium } from '../../helpers/templates/chromium.ts';
import { installedLibreOffice } from '../../helpers/templates/libreoffice.ts';
import type { Figure } from '../benchmark.ts';
import { aDocument, HTML, print, time } from './engine-work.ts';

/** Longest that a hostile file may take (ms). */
const GOAL_MS = 2_000;
const OUTSIDE = ['asks for what is elsewhere', documentWithOutside('http://127.0.0.1:1')] as const;

/** What engines that are warm make of the hostile files that reach them: those that an upload takes. */
export async function hostilePrints(): Promise<Figure[]> {
  const files: (readonly [string, DocxPackage])[] = [];
  for (const [what, bytes] of [...Object.values(allHostileFiles()).flat(), OUTSIDE]) {
    const pkg = await uploaded(bytes);
    if (pkg) files.push([what, pkg]);
  }
  const pageOf = (pkg: DocxPackage) => writeHtml(pkg, { title: 't', language: 'vi' }).html;
  return [
    await slowestPrint(
      'libreoffice',
      installedLibreOffice(),
      files.map(([what, pkg]) => [what, writeDocx(pkg)]),
    ),
    await slowestPrint(
      'chromium',
      installedChromium(),
      files.map(([what, pkg]) => [what, Buffer.from(pageOf(pkg))]),
    ),
  ];
}

/** A document as an upload leaves it; none when it is refused. */
async function uploaded(bytes: Uint8Array): Promise<DocxPackage | undefined> {
  try {
    return normaliseDocx(await openDocx(bytes)).pkg;
  } catch (thrown) {
    if (thrown instanceof DocxRefused) return undefined;
    throw thrown;
  }
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
