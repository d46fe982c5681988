import {
  type AnyConfig,
  ConfigError,
  type ConfigSection,
  commonSections,
  error,
  loadConfig,
} from '../../shared/config/index.ts';
import { isRecord, renameKeys, toCamelCase, toKebabCase } from '../../shared/config/key-case.ts';
import type { ModuleDeclaration } from '../../shared/module/declaration.ts';
import { sectionsOfPorts } from './ports.ts';

const MAX_ENVIRONMENT_BYTES = 3_072;

/**
 * The `SVC_CONFIG` of a module's functions.
 * @param modules the modules that are on; the one that answers unknown paths describes them all.
 * @throws ConfigError `CONFIG_TOO_LARGE`
 */
export function functionConfig(
  config: AnyConfig,
  module: ModuleDeclaration,
  modules: readonly ModuleDeclaration[],
): string {
  const { answersUnknownPaths = false, readsProperties = [] } = module;
  const described = answersUnknownPaths ? modules.flatMap(describedProperties) : [];
  const properties = [...described, ...readsProperties];
  return moduleConfigEnvironment(config, sectionsOf(module, modules), properties);
}

/** Sections that the functions of a module read besides the common ones: its own, and those of ports that they bind. */
export function sectionsOf(
  module: ModuleDeclaration,
  modules: readonly ModuleDeclaration[],
): readonly ConfigSection[] {
  const { configuration } = module;
  return [...(configuration ? [configuration] : []), ...sectionsOfPorts(module, modules)];
}

/**
 * The value of a function's `SVC_CONFIG`: the sections it reads, only what differs from the default.
 * @param sections further sections besides the common ones.
 * @param properties single properties of other sections that are always passed, such as
 *   `dynamic.api-prefix`; the function does not validate them again.
 * @throws ConfigError `CONFIG_TOO_LARGE` above 3 KB (a function's whole environment may hold 4 KB).
 */
export function moduleConfigEnvironment(
  config: AnyConfig,
  sections: readonly ConfigSection[] = [],
  properties: readonly string[] = [],
): string {
  const read = [...new Set([...commonSections, ...sections])];
  const names = new Set<string>(read.map(({ name }) => name));
  const slice = Object.fromEntries([...names].map((name) => [name, config[name]]));
  const differences = difference(slice, loadConfig({}, { sections: read })) ?? {};
  const others = properties
    .filter((property) => !names.has(property.split('.')[0] ?? ''))
    .map((property) => [property, propertyOf(config, property)] as const)
    .filter(([, value]) => value !== undefined);
  const text = JSON.stringify({
    ...(renameKeys(differences, toKebabCase) as Readonly<Record<string, unknown>>),
    ...Object.fromEntries(others),
  });
  if (Buffer.byteLength(text) > MAX_ENVIRONMENT_BYTES) {
    throw new ConfigError([
      error(
        'CONFIG_TOO_LARGE',
        'svc',
        `what differs from the defaults takes ${Buffer.byteLength(text)} bytes, at most ${MAX_ENVIRONMENT_BYTES} fit a function's environment`,
      ),
    ]);
  }
  return text;
}

function propertyOf(config: AnyConfig, property: string): unknown {
  return property
    .split('.')
    .map(toCamelCase)
    .reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), config);
}

function difference(value: unknown, fallback: unknown): unknown {
  if (!isRecord(value)) {
    return JSON.stringify(value) === JSON.stringify(fallback) ? undefined : value;
  }
  const entries = Object.entries(value)
    .map(
      ([key, child]) =>
        [key, difference(child, isRecord(fallback) ? fallback[key] : undefined)] as const,
    )
    .filter(([, child]) => child !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Properties of a module's section and of its headings that the API description depends on. */
function describedProperties({ configuration, tags = [] }: ModuleDeclaration): string[] {
  const { name, pathProperties = [], describedProperties: named = [] } = configuration ?? {};
  return [
    ...[...pathProperties, ...named].map((property) => `${name}.${property}`),
    ...tags.flatMap(({ when = [] }) => when),
  ];
}
