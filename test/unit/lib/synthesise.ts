import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { afterAll } from 'vitest';
import type { dynamicSection } from '../../../functions/entities/configuration.ts';
import { functionEntries } from '../../../lib/bundling/bundle.ts';
import { platformModules } from '../../../lib/modules.ts';
import { createPlatformApp, type PlatformAppOptions } from '../../../lib/platform-app.ts';
import { PlatformStack, type PlatformStackProps } from '../../../lib/platform-stack.ts';
import type { ConfigOf, PlatformConfig } from '../../../shared/config/index.ts';
import type { ModuleDeclaration } from '../../../shared/module/declaration.ts';
import type { Template as PlainTemplate } from '../../helpers/grants/policy-grants.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own below the system's temporary folder, removed when the tests of the file are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-lib-'));
  folders.push(folder);
  return folder;
}

/** Empty bundles: what a template says does not depend on what the functions contain. */
function emptyBundles(modules: readonly ModuleDeclaration[] = platformModules): string {
  const folder = temporaryFolder();
  for (const { name } of functionEntries(modules)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'index.mjs'), 'export const handler = async () => ({});\n');
  }
  return folder;
}

/** The standalone app with empty bundles and the context of cdk.json, not synthesised yet. */
export function standaloneApp(options: PlatformAppOptions = {}): App {
  return createPlatformApp({
    outdir: temporaryFolder(),
    bundleDirectory: emptyBundles(),
    localIssuerFile: 'no-such-file.json',
    validateTemplates: false,
    ...options,
  });
}

/** The stack of the standalone app. */
export function platformStack(app: App): PlatformStack {
  return app.node.findChild('Platform') as PlatformStack;
}

/** Templates of a stage and a configuration: many tests look at the same one. */
const templates = new Map<string, Template>();

/** The template of the standalone app. */
export function standaloneTemplate({ stage, config, ...more }: PlatformAppOptions = {}): Template {
  const make = () => Template.fromStack(platformStack(standaloneApp({ stage, config, ...more })));
  if (Object.keys(more).length > 0) return make();
  const key = JSON.stringify([stage, config]);
  const template = templates.get(key) ?? make();
  templates.set(key, template);
  return template;
}

/** A template as plain data, which may be changed. */
export function plain(template: Template): PlainTemplate {
  return structuredClone(template.toJSON()) as PlainTemplate;
}

/** A stack with other modules than the platform's. */
export function stackOf(
  modules: readonly ModuleDeclaration[],
  props: Partial<PlatformStackProps> = {},
): PlatformStack {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    outdir: temporaryFolder(),
    context: { ...recommendedFlags, ...context },
    builtinCloudFormationValidation: false,
  });
  return new PlatformStack(app, 'Platform', {
    stage: 'dev',
    platformModules: modules,
    bundleDirectory: emptyBundles(modules),
    ...props,
  });
}

type DynamicConfig = PlatformConfig & ConfigOf<typeof dynamicSection>;

/** The declaration of a module that does not exist. */
export function aModule(
  overrides: Partial<ModuleDeclaration<DynamicConfig>> = {},
): ModuleDeclaration<DynamicConfig> {
  return {
    name: 'orders',
    deliveredAs: 'svc-cloud-orders',
    paths: () => ['/api/v1/orders'],
    grants: () => [],
    ...overrides,
  };
}
