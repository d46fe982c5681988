import * as z from 'zod';
import { isRecord, renameKeys, toCamelCase } from './key-case.ts';
import { expandDottedKeys, nearestName, propertyNames } from './names.ts';
import type { ConfigIssue, ConfigOf, ConfigSection, RuleFacts } from './section.ts';

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

export interface LoadOptions<T extends ConfigSection> extends Partial<RuleFacts> {
  /** The known sections; any other is an error. */
  readonly sections: readonly T[];
}

/**
 * Reads the `svc` object of the CDK context (nested or dotted keys, documented spelling) or the
 * environment of a function, fills in the defaults and applies every rule.
 * @param stage deployment stage; some values are allowed for `local` only.
 * @throws ConfigError naming every property that is unknown, of the wrong type or against a rule.
 */
export function loadConfig<T extends ConfigSection>(
  raw: unknown,
  { sections, ...facts }: LoadOptions<T>,
): ConfigOf<T> {
  if (!isRecord(raw)) {
    throw new ConfigError([
      { severity: 'error', code: 'CONFIG_INVALID', property: 'svc', message: 'must be an object' },
    ]);
  }
  const tree = expandDottedKeys(raw);
  const parsed = compose(sections).safeParse(tree);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.flatMap((issue) => explain(issue, tree, propertyNames(sections))),
    );
  }
  const config = renameKeys(parsed.data, toCamelCase) as ConfigOf<T>;
  const errors = checkConfig(config, { sections, ...facts }).filter(
    ({ severity }) => severity === 'error',
  );
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/**
 * Checks the rules of the sections. Called while the stack is synthesised and again when a function starts.
 * @returns errors and warnings; none when all is well.
 */
export function checkConfig(
  config: Readonly<Record<string, unknown>>,
  { sections, stage = 'dev', isKeyPrefixTaken = () => false }: LoadOptions<ConfigSection>,
): ConfigIssue[] {
  return sections.flatMap(({ name, check }) => check(config[name], { stage, isKeyPrefixTaken }));
}

/** One strict schema of all sections; a section that is not given has its defaults. */
function compose(sections: readonly ConfigSection[]): z.ZodType {
  return z.strictObject(
    Object.fromEntries(sections.map(({ name, schema }) => [name, schema.prefault({})])),
  );
}

function explain(issue: z.core.$ZodIssue, tree: unknown, known: readonly string[]): ConfigIssue[] {
  const property = ['svc', ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys') {
    const parent = valueAt(tree, issue.path);
    return issue.keys
      .flatMap((key) => leafNames(`${property}.${key}`, valueAt(parent, [key])))
      .map((name) => ({
        severity: 'error',
        code: 'CONFIG_UNKNOWN_PROPERTY',
        property: name,
        message: `is not a property; the nearest is ${nearestName(name, known)}`,
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

/** The properties below a name: an unknown branch is reported by the properties set in it. */
function leafNames(name: string, value: unknown): string[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [name];
  return Object.entries(value).flatMap(([key, child]) => leafNames(`${name}.${key}`, child));
}
