import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { loadBundled } from '../../../lib/bundling/load-bundled.ts';
import { sourceFile } from '../../../lib/bundling/package-files.ts';
import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';

/** The current module declarations, also when they changed since this process first read them. */
export async function readModules(
  modulesEntry: string | undefined,
): Promise<readonly ModuleDeclaration[]> {
  const list = sourceFile('lib/modules');
  const { platformModules } = loadBundled<{ platformModules: ModuleDeclaration[] }>(list);
  if (modulesEntry === undefined) return platformModules;
  // Node.js caches modules by URL: a new URL reloads a changed list.
  const address = `${pathToFileURL(modulesEntry).href}?at=${statSync(modulesEntry).mtimeMs}`;
  const { default: more } = (await import(address)) as { default: readonly ModuleDeclaration[] };
  return [...platformModules, ...more];
}
