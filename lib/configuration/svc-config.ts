import {
  ConfigError,
  type ConfigIssue,
  type ConfigSection,
  checkConfig,
  commonSections,
  error,
  loadConfig,
  type RuleFacts,
} from '../../shared/config/index.ts';
import type { ModuleReservation } from '../../shared/module/declaration.ts';
import { declarations, type SvcConfig } from '../modules.ts';

/** First words of keys that code of several modules writes. */
const SHARED_KEY_PREFIXES = ['HOST', 'IDEM', 'LOCK'];

export interface SvcConfigOptions {
  readonly stage?: string;
  /** Modules besides those of the platform. */
  readonly modules?: readonly ModuleReservation[];
}

/**
 * The sections of the platform and of further modules, in the order of the documentation.
 * @throws ConfigError `CONFIG_SECTION_TWICE` when two modules declare a section of one name.
 */
export function svcSections(modules: readonly ModuleReservation[] = []): readonly ConfigSection[] {
  const declared = [...declarations, ...modules].flatMap(({ configuration }) =>
    configuration === undefined ? [] : [configuration as ConfigSection],
  );
  const sections = [...new Set<ConfigSection>([...declared, ...commonSections])];
  const twice = firstTwice(sections.map(({ name }) => name));
  if (twice !== undefined) {
    throw new ConfigError([
      error('CONFIG_SECTION_TWICE', `svc.${twice}`, 'is the section of two modules'),
    ]);
  }
  return sections;
}

/**
 * Reads the configuration of a platform with further modules.
 * @throws ConfigError listing every wrong property.
 */
export function loadSvcConfig(raw: unknown, options: SvcConfigOptions = {}): SvcConfig {
  // The platform's sections are always among them, so this type is safe.
  return loadConfig(raw, readWith(options)) as unknown as SvcConfig;
}

/** The findings of all rules about a configuration. */
export function checkSvcConfig(config: SvcConfig, options: SvcConfigOptions = {}): ConfigIssue[] {
  return checkConfig(config, readWith(options));
}

function readWith({ stage = 'dev', modules = [] }: SvcConfigOptions): RuleFacts & {
  readonly sections: readonly ConfigSection[];
} {
  return {
    stage,
    sections: svcSections(modules),
    isKeyPrefixTaken: keyPrefixes([...declarations, ...modules]),
  };
}

/**
 * The reserved first words of keys.
 * @throws ConfigError `KEY_PREFIX_TWICE` when two modules claim one.
 */
function keyPrefixes(modules: readonly ModuleReservation[]): (prefix: string) => boolean {
  const taken = [
    ...SHARED_KEY_PREFIXES,
    ...[...new Set(modules)].flatMap(({ keyPrefixes: claimed = [] }) => claimed),
  ];
  const twice = taken.find((claim, at) =>
    taken.some((other, i) => i < at && overlap(claim, other)),
  );
  if (twice !== undefined) {
    throw new ConfigError([
      error('KEY_PREFIX_TWICE', `key prefix ${twice}`, 'is claimed by two modules'),
    ]);
  }
  return (prefix) => taken.some((each) => overlap(each, prefix));
}

/** Whether two first words can be the same; `DYN_*` stands for all that begin with `DYN_`. */
function overlap(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  const stem = (word: string) => word.replace(/\*$/, '');
  return (
    stem(one) === stem(other) ||
    (shorter.endsWith('*') && stem(longer).startsWith(stem(shorter))) ||
    (longer.endsWith('*') && stem(shorter).startsWith(stem(longer)))
  );
}

const firstTwice = (names: readonly string[]): string | undefined =>
  names.find((name, at) => names.indexOf(name) < at);
