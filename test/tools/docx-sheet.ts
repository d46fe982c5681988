import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PNG } from 'pngjs';
import { projectRoot } from '../../bin/dev/paths.ts';
import { CommandError } from '../../bin/dev/terminal/command-error.ts';
import { runCommand, say } from '../../bin/dev/terminal/output.ts';
import { installedLibreOffice } from '../helpers/templates/libreoffice.ts';
import { type DrawnPage, drawPdf } from '../helpers/templates/read-pdf.ts';

const usage =
  'npm run docx:sheet -- [--out <file.png>] [--scale <number>] [--pages <number>] <files...>';
/** Pages in a row, and the pixels between them. */
const COLUMNS = 5;
const GAP = 12;
const PRINT_MS = 60_000;

interface SheetOptions {
  readonly out: string;
  readonly scale: number;
  readonly pages: number;
  readonly files: readonly string[];
}

function parseOptions(args: readonly string[]): SheetOptions {
  const { values, positionals: files } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      out: { type: 'string', default: join(projectRoot, '.local', 'docx-sheet.png') },
      scale: { type: 'string', default: '0.6' },
      pages: { type: 'string', default: '5' },
    },
  });
  if (files.length === 0) throw new CommandError('No file is named', usage);
  return { out: values.out, scale: Number(values.scale), pages: Number(values.pages), files };
}

/** Prints DOCX files and draws their pages on one image, to be looked at. */
async function drawSheet({ out, scale, pages, files }: SheetOptions): Promise<void> {
  const engine = installedLibreOffice((message) => say(message));
  const drawn: DrawnPage[] = [];
  try {
    for (const file of files) {
      const job = {
        bytes: readFileSync(file),
        format: 'docx',
        at: new Date().toISOString(),
      } as const;
      const printed = await engine.print(
        { ...job, pdfA: false, tagged: false },
        Date.now() + PRINT_MS,
      );
      drawn.push(...(await drawPdf(printed.pdf, { scale, maxPages: pages })));
      say(`${basename(file)}: ${printed.pages} pages`);
    }
  } finally {
    await engine.stop();
  }
  mkdirSync(join(out, '..'), { recursive: true });
  writeFileSync(out, PNG.sync.write(sheetOf(drawn)));
  say(out);
}

function sheetOf(pages: readonly DrawnPage[]): PNG {
  const width = Math.max(...pages.map((page) => page.width));
  const height = Math.max(...pages.map((page) => page.height));
  const columns = Math.min(COLUMNS, pages.length);
  const rows = Math.ceil(pages.length / columns);
  const sheet = new PNG({ width: columns * (width + GAP), height: rows * (height + GAP) });
  sheet.data.fill(0x99);
  for (const [index, page] of pages.entries()) {
    const image = new PNG({ width: page.width, height: page.height });
    image.data.set(page.data);
    const left = (index % columns) * (width + GAP);
    const top = Math.floor(index / columns) * (height + GAP);
    image.bitblt(sheet, 0, 0, page.width, page.height, left, top);
  }
  return sheet;
}

await runCommand(() => drawSheet(parseOptions(process.argv.slice(2))));
