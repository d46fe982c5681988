import { Annotations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { ConfigError } from '../../shared/config/index.ts';
import type { ModuleReservation } from '../../shared/module/declaration.ts';
import type { SvcConfig } from '../modules.ts';
import { checkSvcConfig, loadSvcConfig } from './svc-config.ts';

/** The one stage that runs on a local cloud. */
export const LOCAL_STAGE = 'local';

/** Properties that override the CDK context: nested or dotted, documented spelling. */
export type RawSvcConfig = Readonly<Record<string, unknown>>;

/**
 * Resolves the stage: the given one, else the context `stage`, else `local` when AWS_ENDPOINT_URL
 * points at a local cloud, else `dev`.
 * @throws ConfigError when the name has characters that resource names cannot carry.
 */
export function readStage(scope: IConstruct, given?: string): string {
  const fallback = process.env.AWS_ENDPOINT_URL ? LOCAL_STAGE : 'dev';
  const stage = String(given ?? scope.node.tryGetContext('stage') ?? fallback);
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage)) {
    throw problem(
      'STAGE_INVALID',
      'stage',
      `must be 1 to 20 lower-case letters, digits or hyphens and begin with a letter; it is "${stage}"`,
    );
  }
  return stage;
}

/**
 * Reads and checks the configuration: the context object `svc` (cdk.json), over it single properties
 * (`-c svc.mq.transport=spring`), over them the given ones. Warnings become annotations of the scope.
 * @param modules modules besides those of the platform, whose properties are known too.
 * @throws ConfigError listing every wrong property with its value and rule.
 */
export function readConfig(
  scope: IConstruct,
  stage: string,
  given: RawSvcConfig = {},
  modules: readonly ModuleReservation[] = [],
): SvcConfig {
  const raw = { ...contextProperties(scope), ...flatten(given) };
  const config = loadSvcConfig(raw, { stage, modules });
  for (const { severity, code, property, message } of checkSvcConfig(config, { stage, modules })) {
    if (severity === 'warning') {
      Annotations.of(scope).addWarningV2(`svc-cloud:${code}`, `${property}: ${message}`);
    }
  }
  return config;
}

/** The `svc.*` properties of the CDK context by name, single ones (`-c`) over those of the object `svc`. */
export function contextProperties(scope: IConstruct): RawSvcConfig {
  const context: Readonly<Record<string, unknown>> = scope.node.getAllContext();
  const single = Object.entries(context)
    .filter(([key]) => key.startsWith('svc.'))
    .map(([key, value]) => [key.slice('svc.'.length), value] as const);
  const whole = scope.node.tryGetContext('svc') ?? {};
  if (!isTree(whole)) {
    throw problem('CONFIG_INVALID', 'svc', 'must be an object of properties');
  }
  return { ...flatten(whole), ...Object.fromEntries(single) };
}

/** Creates a ConfigError with one finding. */
export function problem(code: string, property: string, message: string): ConfigError {
  return new ConfigError([{ severity: 'error', code, property, message }]);
}

function flatten(tree: RawSvcConfig, path = ''): RawSvcConfig {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) =>
      isTree(value) ? Object.entries(flatten(value, `${path}${key}.`)) : [[path + key, value]],
    ),
  );
}

function isTree(value: unknown): value is RawSvcConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
