export { type AnyConfig, commonSections, type PlatformConfig } from './common-sections.ts';
export { ConfigError, checkConfig, loadConfig } from './load.ts';
export { describeProperties } from './names.ts';
export {
  type ConfigIssue,
  type ConfigOf,
  type ConfigSection,
  defineSection,
  error,
  type RuleFacts,
  warning,
} from './section.ts';
