export type { RawSvcConfig } from './configuration.ts';
export { PlatformModules, type PlatformModulesProps } from './platform-modules.ts';
export { PlatformStack, type PlatformStackProps } from './platform-stack.ts';
