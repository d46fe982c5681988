import {
  checkSvcConfig,
  loadSvcConfig,
  type SvcConfigOptions,
  svcSections,
} from '../../../lib/configuration/svc-config.ts';
import { platformModules, type SvcConfig } from '../../../lib/modules.ts';
import { type ConfigSection, describeProperties } from '../../../shared/config/index.ts';
import type { MessagingTopology } from '../../../shared/messaging/wire/topology.ts';
import { describedConfig } from '../../../shared/openapi/described-config.ts';

/** Reads a configuration with the sections of all modules. */
export const loadConfig = (raw: unknown = {}, options: SvcConfigOptions = {}): SvcConfig =>
  loadSvcConfig(raw, options);

/** The findings of the rules of all modules. */
export const validateConfig = checkSvcConfig;

/** Every property of all modules. */
export const describeSvcProperties = () => describeProperties(svcSections());

/** Sections of modules by name. */
export const sectionsNamed = (...names: readonly string[]): ConfigSection[] =>
  svcSections().filter(({ name }) => names.includes(name));

/** A topology without ordered topics and listeners, and with the ways of topics as the modules declare them. */
export const plainTopology: MessagingTopology = {
  orderedTopics: {},
  listeners: {},
  distributedTopics: platformModules.flatMap(({ distributedTopics = [] }) => distributedTopics),
  inProcessTopics: platformModules.flatMap(({ inProcessTopics = [] }) => inProcessTopics),
};

/** The configuration that the API of all modules is described with. */
export const describedSvcConfig = (): SvcConfig => describedConfig(svcSections(), []) as SvcConfig;
