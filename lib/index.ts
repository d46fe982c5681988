export type { RawSvcConfig } from './configuration.ts';
export type { Grant } from './grants.ts';
export type { FunctionDefinition, JobDefinition, ModuleDefinition } from './module-definition.ts';
export { PlatformModules, type PlatformModulesProps } from './platform-modules.ts';
export { PlatformStack, type PlatformStackProps } from './platform-stack.ts';
