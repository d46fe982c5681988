export { ConfigError, loadConfig, moduleConfigEnvironment } from './load.ts';
export { describeProperties } from './names.ts';
export { validateConfig } from './rules.ts';
export type { SvcConfig } from './schema.ts';
