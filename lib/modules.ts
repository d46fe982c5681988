import { editor } from '../functions/editor/declaration.ts';
import { entities } from '../functions/entities/declaration.ts';
import { identity } from '../functions/identity/declaration.ts';
import { messaging } from '../functions/messaging/declaration.ts';
import { settings } from '../functions/settings/declaration.ts';
import { templates } from '../functions/templates/declaration.ts';
import { workflow } from '../functions/workflow/declaration.ts';
import type { ConfigOf, PlatformConfig } from '../shared/config/index.ts';
import type { ModuleDeclaration } from '../shared/module/declaration.ts';

/** The modules in the order of the documentation, each with its type. */
export const declarations = [
  settings,
  entities,
  workflow,
  messaging,
  editor,
  templates,
  identity,
] as const;

/** The modules that have functions. */
export const platformModules: readonly ModuleDeclaration[] = [
  settings,
  entities,
  workflow,
  messaging,
  editor,
  templates,
  identity,
];

/** The configuration with the sections of all modules of the platform. */
export type SvcConfig = PlatformConfig &
  ConfigOf<NonNullable<(typeof declarations)[number]['configuration']>>;
