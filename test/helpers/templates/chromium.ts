import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { addedFonts } from '../../../functions/templates/pdf/added-fonts.ts';
import type { BrowserFiles } from '../../../functions/templates/pdf/chromium/browser.ts';
import {
  ChromiumEngine,
  type ChromiumOptions,
} from '../../../functions/templates/pdf/chromium/chromium-engine.ts';
import {
  chromiumIn,
  installedBrowser,
} from '../../../functions/templates/pdf/chromium/chromium-files.ts';
import { readFonts } from '../../../functions/templates/pdf/chromium/fonts.ts';

const { CHROMIUM_PATH } = process.env;

/** The binary of the package is for this system alone. */
export const hasChromium =
  Boolean(CHROMIUM_PATH) || (process.platform === 'linux' && process.arch === 'x64');
if (!hasChromium) {
  process.stdout.write('Tests of Chromium did not run: CHROMIUM_PATH names no browser.\n');
}

/** Folder of an installed package. */
const installed = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));

const installedFonts = () =>
  readFonts(async (font) => join(installed(`@fontsource/${font}`), 'files'));

/** The browser of the installed package, unpacked once for all runs of tests on the machine. */
export async function chromiumFiles(fonts = addedFonts({})): Promise<BrowserFiles> {
  if (CHROMIUM_PATH) return installedBrowser(CHROMIUM_PATH);
  const root = installed('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = join(installed('.cache'), `svc-cloud-chromium-${version}`);
  if (!existsSync(folder)) await unpack(join(root, 'bin'), folder);
  return chromiumIn(folder, { temporary: tmpdir(), fonts });
}

/** Under a name of its own until it is complete: several runs may do it at once. */
async function unpack(bin: string, folder: string): Promise<void> {
  const unfinished = `${folder}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  await Promise.all([
    copyFile(join(bin, 'fonts.tar.br'), join(unfinished, 'fonts.tar.br')),
    copyFile(join(bin, 'al2023.tar.br'), join(unfinished, 'al2023.tar.br')),
    pipeline(
      createReadStream(join(bin, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(unfinished, 'chromium')),
    ),
  ]);
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
}

/** Chromium from the installed package. */
export const installedChromium = (options: Partial<ChromiumOptions> = {}): ChromiumEngine =>
  new ChromiumEngine({
    ...{ files: () => chromiumFiles(), fonts: installedFonts, startMs: 60_000 },
    log: { warn: () => {} },
    ...options,
  });
