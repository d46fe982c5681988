import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { SCRIPT_NAME } from '../../shared/pages/page-shell.ts';
import { packageRoot } from './package-files.ts';

/** A script of a page to bundle. */
export interface BundledPage {
  readonly name: string;
  /** The file that exports `show`. */
  readonly file: string;
}

/**
 * Bundles the script of a page for browsers; pages take it into their own script.
 * @throws Error naming file and line of a compile error, or of what HTML would not take as a script
 */
export function bundlePage({ name, file }: BundledPage, folder: string): void {
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    globalName: SCRIPT_NAME,
    platform: 'browser',
    target: 'es2023',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    absWorkingDir: packageRoot,
  });
  const text = outputFiles[0]?.text ?? '';
  if (/<!--|<\/?script/i.test(text)) throw new Error(`the page ${name} has HTML in its script`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.js`), text);
}
