import type * as z from 'zod';
import { lazy } from '../primitives/lazy.ts';
import type { CamelCaseKeys } from './key-case.ts';

/** One finding about the configuration. Errors stop the deployment and the start of a function. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning';
  /** Stable code, such as `MQ_APP_CODE_REQUIRED`. */
  readonly code: string;
  /** Full property name. */
  readonly property: string;
  readonly message: string;
}

/** Facts that rules may read besides their own section. */
export interface RuleFacts {
  readonly stage: string;
  /** Whether the first word of a key belongs to a module; checked at deployment, unknown inside a function. */
  readonly isKeyPrefixTaken: (prefix: string) => boolean;
}

/** A rule over the properties of a section: returns its finding, or a non-object when the rule holds. */
export type SectionRule<T> = (section: T, facts: RuleFacts) => ConfigIssue | false | undefined | '';

/** The part of the configuration below `svc.<name>`. */
export interface ConfigSection<
  N extends string = string,
  S extends z.ZodObject<z.ZodRawShape> = z.ZodObject<z.ZodRawShape>,
> {
  readonly name: N;
  /** Property names in the documented spelling, each with type, default, unit and meaning. */
  readonly schema: S;
  /** Applies the rules to the parsed section. */
  readonly check: (section: unknown, facts: RuleFacts) => readonly ConfigIssue[];
  /** Properties that are part of paths; the API description has placeholders for them until they are known. */
  readonly pathProperties: readonly string[];
  /** Properties that schemas of the API description name by `x-config`. */
  readonly describedProperties: readonly string[];
}

/** Declaration of a section. */
export interface ConfigSectionSpec<N extends string, S extends z.ZodObject<z.ZodRawShape>> {
  readonly name: N;
  /** The schema, or what makes it when it is first needed: a function that starts may not need it. */
  readonly schema: S | (() => S);
  readonly rules?: readonly SectionRule<CamelCaseKeys<z.output<S>>>[];
  readonly pathProperties?: readonly string[];
  readonly describedProperties?: readonly string[];
}

/** Declares a section; only its owner reads its properties. */
export function defineSection<const N extends string, S extends z.ZodObject<z.ZodRawShape>>({
  rules = [],
  pathProperties = [],
  describedProperties = [],
  name,
  schema: given,
}: ConfigSectionSpec<N, S>): ConfigSection<N, S> {
  const schema = typeof given === 'function' ? lazy(given) : () => given;
  return {
    name,
    get schema() {
      return schema();
    },
    pathProperties,
    describedProperties,
    check: (parsed, facts) =>
      rules
        .map((rule) => applyRule(name, () => rule(parsed as CamelCaseKeys<z.output<S>>, facts)))
        .filter((issue) => typeof issue === 'object'),
  };
}

/** A rule that throws is a finding: otherwise the error would not name its section. */
function applyRule(section: string, rule: () => ReturnType<SectionRule<never>>) {
  try {
    return rule();
  } catch (cause) {
    return error(
      'CONFIG_RULE_FAILED',
      `svc.${section}`,
      `has a rule that throws: ${String(cause)}`,
    );
  }
}

/** The parsed configuration of several sections: `config.mq.relay.batchSize`. */
export type ConfigOf<T extends ConfigSection> = {
  readonly [S in T as S['name']]: CamelCaseKeys<z.output<S['schema']>>;
};

/** A finding that stops the deployment. */
export function error(code: string, property: string, message: string): ConfigIssue {
  return { severity: 'error', code, property, message };
}

/** A finding that is shown at synth and logged at the start of a function. */
export function warning(code: string, property: string, message: string): ConfigIssue {
  return { severity: 'warning', code, property, message };
}
