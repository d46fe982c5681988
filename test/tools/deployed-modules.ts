import { join } from 'node:path';
import { projectRoot } from '../../bin/dev/paths.ts';
import applicationModules from '../../examples/notes-module/modules.ts';
import { platformModules } from '../../lib/modules.ts';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';

/** File that lists the modules that an application adds to the platform under test. */
export const modulesEntry = join(projectRoot, 'examples/notes-module/modules.ts');

/** The modules of the platform under test: those of the platform and those of an application. */
export const deployedModules: readonly ModuleDeclaration[] = [
  ...platformModules,
  ...applicationModules,
];
