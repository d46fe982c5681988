export { ConfigError, loadConfig, moduleConfigEnvironment, type SvcConfig } from './load.ts';
export { describeProperties, type PropertyDescription } from './names.ts';
export { type ConfigIssue, validateConfig } from './rules.ts';
