import { unzipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import {
  DocumentRefusedError,
  type PrintingEngine,
  type RawPdf,
} from '../../../functions/templates/pdf/engine-function.ts';
import { writeHtml } from '../../../shared/docx/html/write-html.ts';
import { DocxRefused, normaliseDocx, openDocx } from '../../../shared/docx/index.ts';
import { docxFixtures, readFixture } from '../../helpers/docx/fixture-folder.ts';
import { hostileArchives } from '../../helpers/docx/hostile/archives.ts';
import { hostileMacros } from '../../helpers/docx/hostile/macros.ts';
import { documentWithOutside } from '../../helpers/docx/hostile/outside.ts';
import { hostileParts } from '../../helpers/docx/hostile/parts.ts';
import { readParagraphs } from '../../helpers/docx/independent-reader.ts';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';
import { installedChromium } from '../../helpers/templates/chromium.ts';
import { installedLibreOffice } from '../../helpers/templates/libreoffice.ts';
import { aListener } from '../../helpers/templates/listener.ts';
import { readPdf } from '../../helpers/templates/read-pdf.ts';

const LIMIT_MS = 60_000;
const BODY = 'word/document.xml';
const sound = makeDocx({ body: paragraph('Kính gửi') });

const warnings: string[] = [];
const engines = {
  libreoffice: installedLibreOffice((message) => void warnings.push(message)),
  chromium: installedChromium({ log: { warn: (message) => void warnings.push(message) } }),
};
afterAll(() => Promise.all(Object.values(engines).map((engine) => engine.stop())));

const job = { at: '2026-01-02T03:04:05.000Z', pdfA: false, tagged: false };
const print = (engine: PrintingEngine, bytes: Uint8Array, format: 'docx' | 'html') =>
  engine.print({ ...job, bytes, format }, Date.now() + LIMIT_MS);
const printDocx = (bytes: Uint8Array) => print(engines.libreoffice, bytes, 'docx');

/** The page of a document as Chromium gets it. */
async function pageOf(bytes: Uint8Array): Promise<Buffer> {
  const { pkg } = normaliseDocx(await openDocx(bytes));
  return Buffer.from(writeHtml(pkg, { title: 't', language: 'vi' }).html);
}
const printPage = async (bytes: Uint8Array) => print(engines.chromium, await pageOf(bytes), 'html');

/** What both a printed page and a part of a document say: no white space, no case, no numbers of pages. */
const plain = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s\u00ad\u200b\ufeff]+/g, '');
const textOf = async ({ pdf }: RawPdf) =>
  plain((await readPdf(pdf)).map(({ text }) => text).join(''));

/** Texts of headers, footers, notes and boxes, but for those with markers or numbers of pages. */
function besideTheBody(file: Uint8Array): string[] {
  const stories = [...readParagraphs(file)].filter(([part]) => part !== BODY);
  const texts = stories.flatMap(([, paragraphs]) =>
    paragraphs.map((stretches) => stretches.map(({ text }) => text).join('')),
  );
  const body = new TextDecoder().decode(unzipSync(file)[BODY]);
  const boxes = body.match(/<w:txbxContent>.*?<\/w:txbxContent>/gs) ?? [];
  const inBoxes = boxes.flatMap((box) =>
    [...box.matchAll(/<w:p[ >].*?<\/w:p>/gs)].map(([one]) =>
      [...one.matchAll(/<w:t(?: [^>]*)?>([^<&]*)<\/w:t>/g)].map(([, text]) => text).join(''),
    ),
  );
  return (
    [...texts, ...inBoxes]
      .map(plain)
      .filter((text) => text.length > 3 && !/\{\{|\[\[|«|[~\d]/.test(text))
      // PDFium cuts as many characters off a page as it has symbols without a text.
      .map((text) => text.slice(0, 30))
  );
}

describe('documents of others', () => {
  const fixtures = (docxFixtures() ?? []).filter(({ libreofficePages }) => libreofficePages);

  it.each(fixtures)('are printed with all that is beside the body: $file', async (facts) => {
    const { file, libreofficePages = 0 } = facts;
    const bytes = readFixture(file);

    const printed = await printDocx(bytes);
    const ofPage = await textOf(printed);

    expect(Math.abs(printed.pages - libreofficePages)).toBeLessThanOrEqual(1);
    for (const text of besideTheBody(bytes)) expect(ofPage).toContain(text);
    if (file.endsWith('.docm')) return;
    const inChromium = await textOf(await printPage(bytes));
    // The fonts of this engine have no Chinese letters.
    const letters = besideTheBody(bytes).filter((text) => !/\p{Script=Han}/u.test(text));
    for (const text of letters) expect(inChromium).toContain(text);
  });
});

describe('hostile files', () => {
  const all = [...hostileArchives(), ...hostileParts(), ...hostileMacros()];

  it.each(all)('that %s are refused or printed, and the next one is printed', async (_, bytes) => {
    await outcomeOf(() => printDocx(bytes));
    await outcomeOf(() => printPage(bytes));

    expect([(await printDocx(sound)).pages, (await printPage(sound)).pages]).toEqual([1, 1]);
  });

  it('make no engine ask anybody', async () => {
    const listener = await aListener();
    const file = documentWithOutside(listener.url);

    expect((await printDocx(file)).pages).toBeGreaterThan(0);
    expect((await printPage(file)).pages).toBeGreaterThan(0);

    expect(await listener.end()).toEqual([]);
  });

  it('end no engine', () => {
    expect(warnings).toEqual([]);
  });
});

/** Anything but a refusal fails the test. */
async function outcomeOf(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isRefusal = error instanceof DocumentRefusedError || error instanceof DocxRefused;
    if (!isRefusal) throw error;
  }
}
