// Parts of a module's declaration; see docs/adding-a-module.md.
export {
  type ConfigOf,
  defineSection,
  error,
  type PlatformConfig,
  warning,
} from '../config/index.ts';
export {
  flag,
  httpUrl,
  milliseconds,
  path,
  seconds,
  textList,
  wholeNumber,
} from '../config/values.ts';
export type { ScheduleDeclaration } from '../lambda/schedule.ts';
export type { ListenerDeclaration } from '../messaging/consuming/listener.ts';
export { defineModule, type ModuleDeclaration } from './declaration.ts';
export type { FuzzHints } from './fuzz-hints.ts';
export {
  claimsMessages,
  events,
  executions,
  followsRefreshes,
  type Grant,
  indexQueries,
  items,
  keepsAnswers,
  objects,
  publishesMessages,
  schedules,
  secrets,
  sendsMail,
  type UntestedGrant,
} from './grants.ts';
export type { PortOffer, PortUse } from './ports.ts';
