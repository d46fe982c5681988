export { ConfigError, loadConfig, moduleConfigEnvironment, type SvcConfig } from './load.ts';
export { describeProperties } from './names.ts';
export { validateConfig } from './rules.ts';
