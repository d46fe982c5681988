import { type AnyConfig, type ConfigSection, loadConfig } from '../config/index.ts';
import { isRecord, toCamelCase } from '../config/key-case.ts';
import { pathPlaceholder } from './placeholders.ts';

/**
 * The configuration that the API is described with: defaults, placeholders where a path depends on a property, and
 * every operation switched on.
 * @param switches properties that operations depend on, such as `mq.relay.enabled`.
 */
export function describedConfig(
  sections: readonly ConfigSection[],
  switches: readonly string[],
): AnyConfig {
  const config = loadConfig({}, { sections });
  const inPaths = sections.flatMap(({ name, pathProperties }) =>
    pathProperties.map((property) => `${name}.${property}`),
  );
  return [
    ...inPaths.map((property) => [property, pathPlaceholder(property)] as const),
    ...switches.map((property) => [property, true] as const),
  ].reduce<unknown>(
    (tree, [property, value]) => withValue(tree, property.split('.').map(toCamelCase), value),
    config,
  ) as AnyConfig;
}

function withValue(tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const node = isRecord(tree) ? tree : {};
  return { ...node, [key]: withValue(node[key], rest, value) };
}
