import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { SCRIPT_NAME } from '../../shared/pages/page-shell.ts';
import { packageRoot } from './package-files.ts';

/** A script of a page to bundle. */
export interface BundledPage {
  readonly name: string;
  /** The file that exports `show`. */
  readonly file: string;
}

/** A bundled script, and what it was made of. */
interface PageScript {
  readonly text: string;
  /** Absolute paths. */
  readonly inputs: readonly string[];
  readonly checksum: string;
}

/** Scripts of this process by file: bundling takes more than a second, and they seldom change. */
const bundled = new Map<string, PageScript>();

/**
 * Bundles the script of a page for browsers; pages take it into their own script.
 * @throws Error naming file and line of a compile error, or of what HTML would not take as a script
 */
export function bundlePage({ name, file }: BundledPage, folder: string): void {
  const known = bundled.get(file);
  const script = known?.checksum === checksumOf(known?.inputs ?? []) ? known : bundle(file);
  if (/<!--|<\/?script/i.test(script.text)) {
    throw new Error(`the page ${name} has HTML in its script`);
  }
  bundled.set(file, script);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.js`), script.text);
}

function bundle(file: string): PageScript {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'iife',
    globalName: SCRIPT_NAME,
    platform: 'browser',
    target: 'es2023',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    absWorkingDir: packageRoot,
  });
  const inputs = Object.keys(metafile.inputs).map((input) => resolve(packageRoot, input));
  return { text: outputFiles[0]?.text ?? '', inputs, checksum: checksumOf(inputs) };
}

function checksumOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(existsSync(file) ? readFileSync(file) : 'gone');
  return hash.digest('hex');
}
