import type * as z from 'zod';
import { isRecord, renameKeys, toCamelCase, toKebabCase } from './key-case.ts';
import { expandDottedKeys, nearestProperty } from './names.ts';
import { type ConfigIssue, validateConfig } from './rules.ts';
import { type SvcConfig, svcConfigSchema } from './schema.ts';

/** The configuration is wrong; the message lists every problem with property, value and rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map(
      ({ property, code, message }) => `  ${property}: ${message} (${code})`,
    );
    super(
      `The svc configuration has ${issues.length} problem(s):\n${lines.join('\n')}\n` +
        'Correct it in cdk.json under context.svc, or for one run with -c <property>=<value>.',
    );
    this.issues = issues;
  }
}

/**
 * Reads the `svc` object of the CDK context (nested or dotted keys, documented spelling) or the
 * environment of a function, fills in the defaults and applies every rule.
 * @param stage deployment stage; some values are allowed for `local` only.
 * @throws ConfigError naming every property that is unknown, of the wrong type or against a rule.
 */
export function loadConfig(
  raw: unknown = {},
  { stage = 'dev' }: { stage?: string } = {},
): SvcConfig {
  if (!isRecord(raw)) {
    throw new ConfigError([
      { severity: 'error', code: 'CONFIG_INVALID', property: 'svc', message: 'must be an object' },
    ]);
  }
  const tree = expandDottedKeys(raw);
  const parsed = svcConfigSchema.safeParse(tree);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.flatMap((issue) => explain(issue, tree)));

  const config = renameKeys(parsed.data, toCamelCase) as SvcConfig;
  const errors = validateConfig(config, { stage }).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** Sections that every function needs, whatever its module. */
const COMMON_SECTIONS = ['config', 'mq', 'security', 'web'] as const;
const MAX_ENVIRONMENT_BYTES = 3_072;

/**
 * The value of a function's `SVC_CONFIG`: the sections it reads, only what differs from the default.
 * @param sections further sections besides the common ones, such as `docs`.
 * @throws ConfigError `CONFIG_TOO_LARGE` above 3 KB (a function's whole environment may hold 4 KB).
 */
export function moduleConfigEnvironment(
  config: SvcConfig,
  sections: readonly (keyof SvcConfig)[] = [],
): string {
  const defaults = renameKeys(svcConfigSchema.parse({}), toCamelCase) as SvcConfig;
  const slice = Object.fromEntries(
    [...new Set([...COMMON_SECTIONS, ...sections])].map((section) => [section, config[section]]),
  );
  const text = JSON.stringify(renameKeys(difference(slice, defaults) ?? {}, toKebabCase));
  if (Buffer.byteLength(text) > MAX_ENVIRONMENT_BYTES) {
    throw new ConfigError([
      {
        severity: 'error',
        code: 'CONFIG_TOO_LARGE',
        property: 'svc',
        message: `what differs from the defaults takes ${Buffer.byteLength(text)} bytes, at most ${MAX_ENVIRONMENT_BYTES} fit a function's environment`,
      },
    ]);
  }
  return text;
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

function explain(issue: z.core.$ZodIssue, tree: unknown): ConfigIssue[] {
  const property = ['svc', ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys') {
    const parent = valueAt(tree, issue.path);
    return issue.keys
      .flatMap((key) => leafNames(`${property}.${key}`, valueAt(parent, [key])))
      .map((name) => ({
        severity: 'error',
        code: 'CONFIG_UNKNOWN_PROPERTY',
        property: name,
        message: `is not a property; the nearest is ${nearestProperty(name)}`,
      }));
  }
  const value = valueAt(tree, issue.path);
  const shown = property.endsWith('.secret') ? '(not shown)' : JSON.stringify(value);
  return [
    {
      severity: 'error',
      code: 'CONFIG_INVALID',
      property,
      message: `${issue.message}; it is ${shown}`,
    },
  ];
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, key) =>
      isRecord(node) || Array.isArray(node)
        ? (node as Record<PropertyKey, unknown>)[key]
        : undefined,
    tree,
  );
}

/** The properties below a name; a mistyped branch is best explained by what was set in it. */
function leafNames(name: string, value: unknown): string[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [name];
  return Object.entries(value).flatMap(([key, child]) => leafNames(`${name}.${key}`, child));
}
