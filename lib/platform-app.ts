import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Environment } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import type { ModuleDeclaration } from '../shared/module/declaration.ts';
import { packageRoot, sourceFile } from './bundling/package-files.ts';
import { type RawSvcConfig, readStage } from './configuration/configuration.ts';
import { isProduction } from './configuration/stage.ts';
import { PlatformStack } from './platform-stack.ts';

/** Options that override the CDK context. */
export interface PlatformAppOptions {
  readonly stage?: string;
  /** `svc.*` properties over those of the context. */
  readonly config?: RawSvcConfig;
  /** Further CDK context, such as `{'svc.mq.transport': 'spring'}`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Folder of the cloud assembly. */
  readonly outdir?: string;
  /** Folder of existing bundles; by default they are built. */
  readonly bundleDirectory?: string;
  /** Whether the CDK checks the template against CloudFormation's rules, 1.5 s of a synthesis; true when left out. */
  readonly validateTemplates?: boolean;
  /** Modules of the application besides those of the platform. */
  readonly modules?: readonly ModuleDeclaration[];
  /** Host file instead of `bin/host.ts`. */
  readonly hostEntry?: string;
  /** File of the local token issuer, read on the stage `local` only; `.local/dev-issuer.json` when left out. */
  readonly localIssuerFile?: string;
  readonly env?: Environment;
}

/**
 * Builds the standalone app: one stack `svc-cloud-<stage>`. The CDK CLI hands over the context; without it that of
 * cdk.json is read, so that a program gets the same stack in its own process.
 * @throws ConfigError listing every wrong property.
 */
export function createPlatformApp(options: PlatformAppOptions = {}): App {
  const app = new App({
    context: { ...recommendedFlags, ...fileContext(), ...options.context },
    builtinCloudFormationValidation: options.validateTemplates ?? true,
    ...(options.outdir && { outdir: options.outdir }),
  });
  const stage = readStage(app, options.stage);
  const { bundleDirectory, config, hostEntry, env, modules } = options;
  new PlatformStack(app, 'Platform', {
    stackName: `svc-cloud-${stage}`,
    description: `svc-cloud platform modules, stage ${stage}`,
    stage,
    terminationProtection: isProduction(stage),
    ...(config && { config }),
    ...(modules && { modules }),
    hostEntry: hostEntry ?? sourceFile('bin/host'),
    localIssuerFile: options.localIssuerFile ?? join(packageRoot, '.local/dev-issuer.json'),
    ...(bundleDirectory && { bundleDirectory }),
    ...(env && { env }),
  });
  return app;
}

function fileContext(): Readonly<Record<string, unknown>> {
  if (process.env.CDK_CONTEXT_JSON) return {};
  return readJson(join(packageRoot, 'cdk.json'))?.context as Record<string, unknown>;
}

function readJson(file: string): Record<string, unknown> | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
