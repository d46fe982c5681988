export type { RawSvcConfig } from './configuration/configuration.ts';
export type { Grant } from './functions/grants.ts';
export type {
  FunctionDefinition,
  JobDefinition,
  ModuleDefinition,
} from './functions/module-definition.ts';
export { PlatformModules, type PlatformModulesProps } from './platform-modules.ts';
export { PlatformStack, type PlatformStackProps } from './platform-stack.ts';
