import { Annotations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ModuleDeclaration } from '../shared/module/declaration.ts';
import { LOCAL_STAGE } from './configuration/configuration.ts';
import type { SvcConfig } from './modules.ts';

/** Path of the keys of the platform's own logins, when a module that is on has logins. */
export const sessionKeysPath = (modules: readonly ModuleDeclaration[]): string | undefined =>
  modules.find((module) => module.sessionKeysPath !== undefined)?.sessionKeysPath;

interface Warned {
  readonly config: SvcConfig;
  readonly stage: string;
  /** The modules that are on. */
  readonly modules: readonly ModuleDeclaration[];
}

/** Warns that the gateway refuses tokens of logins: it accepts one issuer with RSA keys. */
export function warnOfRefusedSessions(scope: Construct, { config, stage, modules }: Warned): void {
  const isRefused = config.security.gatewayAuthorizer && stage !== LOCAL_STAGE;
  if (!isRefused || sessionKeysPath(modules) === undefined) return;
  Annotations.of(scope).addWarningV2(
    'svc-cloud:GATEWAY_REFUSES_SESSIONS',
    'svc.security.gateway-authorizer=true: the gateway refuses the tokens of logins through identity providers, which have keys of their own; switch it off, unless the host has a sessionIssuer of its own',
  );
}
