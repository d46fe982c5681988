import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { loadBundled } from '../../../lib/bundling/load-bundled.ts';
import { sourceFile } from '../../../lib/bundling/package-files.ts';
import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';

/** The modules as they are declared now, also when that has changed since this process first read them. */
export async function readModules(
  modulesEntry: string | undefined,
): Promise<readonly ModuleDeclaration[]> {
  const list = sourceFile('lib/modules');
  const { platformModules } = loadBundled<{ platformModules: ModuleDeclaration[] }>(list);
  if (modulesEntry === undefined) return platformModules;
  // Another address is another module to Node.js: a changed list is read again.
  const address = `${pathToFileURL(modulesEntry).href}?at=${statSync(modulesEntry).mtimeMs}`;
  const { default: more } = (await import(address)) as { default: readonly ModuleDeclaration[] };
  return [...platformModules, ...more];
}
