import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';
import { packageRoot, sourceExtension } from './package-files.ts';

/** File extensions of a host's module, in order of lookup. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/** The folder with the files of a module. */
export function moduleFolder({ name, folder }: Pick<ModuleDeclaration, 'name' | 'folder'>): string {
  return folder ?? join(packageRoot, 'functions', name);
}

/** A source file of a module by its path without extension. */
export function moduleFile(
  module: Pick<ModuleDeclaration, 'name' | 'folder'>,
  path: string,
): string {
  const file = join(moduleFolder(module), path);
  const extension =
    module.folder === undefined
      ? sourceExtension
      : EXTENSIONS.find((each) => existsSync(file + each));
  return file + (extension ?? sourceExtension);
}
