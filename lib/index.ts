export type { ModuleDeclaration } from '../shared/module/declaration.ts';
export type { Grant } from '../shared/module/grants.ts';
export type { RawSvcConfig } from './configuration/configuration.ts';
export { PlatformModules, type PlatformModulesProps } from './platform-modules.ts';
export { PlatformStack, type PlatformStackProps } from './platform-stack.ts';
