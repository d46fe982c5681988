import { readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Extension of the package's source files: `.ts` in the repository, `.js` in the published package. */
export const sourceExtension = extname(fileURLToPath(import.meta.url));

/** Folder of the package: holds `package.json`, `lib/`, `functions/` and `shared/`. */
export const packageRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A source file of the package by its path without extension. */
export function sourceFile(path: string): string {
  return join(packageRoot, `${path}${sourceExtension}`);
}

/** Version of the package. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version;
}
