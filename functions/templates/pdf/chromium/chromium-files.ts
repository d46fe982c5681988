import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { unpackFiles } from '../../../../shared/packed/unpack-files.ts';
import type { BrowserFiles } from './browser.ts';

const FLAGS = [
  ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-software-rasterizer'],
  ...['--font-render-hinting=none', '--no-pings', '--disable-domain-reliability'],
  '--disable-features=AudioServiceOutOfProcess,IsolateOrigins,site-per-process',
  // What a page asks for is denied; no name leads anywhere besides.
  '--host-resolver-rules=MAP * ~NOTFOUND',
];
/** Lambda does not let the browser start processes with rights of their own. */
const ONE_PROCESS = '--single-process';

/** A browser that is installed on the machine. */
export const installedBrowser = (executable: string): BrowserFiles => ({
  executable,
  flags: FLAGS,
  env: { PATH: process.env.PATH ?? '', HOME: tmpdir() },
});

interface ChromiumPlaces {
  /** The folder for temporary files. */
  readonly temporary: string;
  /** A folder with fonts besides those of the browser; it need not be there. */
  readonly fonts: string;
}

/**
 * Unpacks the browser of the archive, once for all environments that share the folder for temporary files.
 * @param packed folder with the packed files.
 */
export const unpackChromium = async (
  packed: string,
  places: ChromiumPlaces,
): Promise<BrowserFiles> => chromiumIn(await unpackFiles(packed, places.temporary), places);

/** The browser in a folder, whose fonts and, for Amazon Linux, libraries are unpacked beside it. */
export async function chromiumIn(
  folder: string,
  { temporary, fonts }: ChromiumPlaces,
): Promise<BrowserFiles> {
  const executable = join(folder, 'chromium');
  await chmod(executable, 0o755);
  const system = join(folder, 'system');
  if (!existsSync(system)) await unpackSystem(folder, system);
  const env = {
    ...{ HOME: temporary, FONTCONFIG_FILE: await writeFontList(system, fonts) },
    ...(isAmazonLinux() && { LD_LIBRARY_PATH: join(system, 'al2023', 'lib') }),
  };
  return { executable, flags: [...FLAGS, ONE_PROCESS], env };
}

/** Under a name of its own until it is complete. */
async function unpackSystem(folder: string, system: string): Promise<void> {
  const unfinished = `${system}.${randomUUID()}`;
  await mkdir(unfinished);
  try {
    await Promise.all(
      ['fonts.tar.br', 'al2023.tar.br'].map((file) => inflateInto(unfinished, join(folder, file))),
    );
    await rename(unfinished, system).catch((cause: unknown) => {
      if (!existsSync(system)) throw cause;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Names the folders with fonts. @returns the file that does, one for each list */
async function writeFontList(system: string, added: string): Promise<string> {
  const folders = [join(system, 'fonts'), added].map((folder) => `<dir>${asXml(folder)}</dir>`);
  const list = `<fontconfig>${folders.join('')}<cachedir>${join(system, 'cache')}</cachedir></fontconfig>`;
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12);
  const file = join(system, `fonts-${hash}.conf`);
  await writeFile(file, list);
  return file;
}

const asXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The package unpacks into the folder for temporary files, which it asks for at the call. */
function inflateInto(folder: string, archive: string): Promise<string> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    return inflate(archive);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

function isAmazonLinux(): boolean {
  try {
    return /^ID="?amzn/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}
