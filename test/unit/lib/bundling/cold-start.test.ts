import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type bundleFunctions,
  functionEntries,
  packageRoot,
} from '../../../../lib/bundling/bundle.ts';
import { filesAtStart } from '../../../../lib/bundling/merge-start.ts';
import { platformModules } from '../../../../lib/modules.ts';
import { platformBundles } from '../../../helpers/package/platform-bundles.ts';

/** What no function needs before somebody asks for it. */
const ON_DEMAND = [
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-s3',
  '@aws-sdk/client-secrets-manager',
  '@aws-sdk/client-sqs',
  '@aws-sdk/s3-request-presigner',
  '@fastify/busboy',
  'ajv',
  'ajv-formats',
  'croner',
  'csv-parse',
  'csv-stringify',
  're2js',
  'swagger-ui-dist',
  'undici',
];

/** What Node loads only when somebody looks: fetch, web streams, and what an import of `node:util` or `node:net` reads. */
const NODE_ON_DEMAND =
  /NativeModule (internal\/(deps\/undici|webstreams\/readablestream|util\/parse_args|blocklist)|worker_threads)/;

/** The modules of Node itself that are loaded when files have been imported. */
function nodeModulesAfter(...files: readonly string[]): string[] {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});`);
  const script = `${imports.join('')} console.log('\\n' + process.moduleLoadList.join());`;
  const env = {
    ...{ PATH: process.env.PATH, AWS_REGION: 'us-east-1', SVC_MODULE: 'test', SVC_STAGE: 'test' },
    ...{ TABLE_NAME: 'table', BUCKET_NAME: 'bucket', EVENT_BUS_NAME: 'bus' },
  };
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env,
  });
  return printed.trim().split('\n').at(-1)?.split(',') ?? [];
}

type Metafile = ReturnType<typeof bundleFunctions>;

/** Sources with code in some files. */
const inputsOf = (outputs: Metafile['outputs'], files: readonly string[]): string[] =>
  files.flatMap((file) =>
    Object.entries(outputs[file]?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([input]) => input),
  );

/** Packages with code in some files. */
function packagesIn(outputs: Metafile['outputs'], files: readonly string[]): Set<string> {
  const names = inputsOf(outputs, files).map(
    (input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1],
  );
  return new Set(names.filter((name) => name !== undefined));
}

const functions = functionEntries(platformModules).map(({ name }) => name);

describe('importing a function', () => {
  let outputs: Metafile['outputs'];
  const startOf = (name: string) => {
    const bundle = Object.keys(outputs).find((file) => file.endsWith(`/${name}/index.mjs`));
    return filesAtStart(outputs, bundle ?? name);
  };
  beforeAll(async () => {
    ({ outputs } = await platformBundles());
  });

  it.each(functions)('of %s reads no client or library that only some calls need', (name) => {
    const packages = packagesIn(outputs, startOf(name));

    expect(packages).toContain('zod');
    expect(ON_DEMAND.filter((library) => packages.has(library))).toEqual([]);
  });

  it.each([
    ['entities', /entities\/transfers\/|tree-service|maintenance|index-build|re-encryption-job/],
    [
      'entities',
      /entities\/(deletions\/(?!mark)|definitions\/definition-service|queries\/query-service)/,
    ],
    ['entities', /entities\/domain\/search\/(run|find|plan)/],
    ['entities', /functions\/settings\/(service|repository|encrypt-service)/],
    ['messaging', /functions\/settings\/(service|repository|encrypt-service)/],
    ['messaging', /lambda\/(http-pipeline|call-route)|token-verifier|node_modules\/jose/],
    ['messaging-relay', /lambda\/(http-pipeline|call-route)|token-verifier|node_modules\/jose/],
    [
      'identity-sync',
      /lambda\/(http-pipeline|call-route)|token-verifier|functions\/identity\/api\//,
    ],
    ['settings', /http-client\/(http-calls|send|body)/],
    [
      'workflow',
      /workflow\/(store\/families|cases\/case-(commands|reader)|definitions\/deployment-service)/,
    ],
    ['workflow', /functions\/entities\/(records|queries|store|domain)/],
  ])('of %s reads no source that only some calls need: %s', (name, seldom) => {
    expect(inputsOf(outputs, startOf(name)).filter((input) => seldom.test(input))).toEqual([]);
  });

  it.each(functions)('of %s opens one file', (name) => {
    expect(startOf(name)).toHaveLength(1);
  });

  it.each(functions)('of %s leaves files that find in it what they shared with it', (name) => {
    const [bundle = name] = startOf(name);
    const later = Object.keys(outputs).filter(
      (file) => dirname(file) === dirname(bundle) && file !== bundle,
    );

    const loaded = nodeModulesAfter(
      ...[bundle, ...later].map((file) => resolve(packageRoot, file)),
    );

    expect(later.length).toBeGreaterThan(10);
    expect(loaded).toContain('NativeModule https');
  });

  it.each(functions)('of %s reads ASCII, which V8 keeps and scans in half the space', (name) => {
    for (const file of startOf(name)) {
      expect(readFileSync(resolve(packageRoot, file), 'utf8'), file).toMatch(/^\p{ASCII}*$/u);
    }
  });

  it('leaves out of every bundle those parts of undici that nothing uses', () => {
    const parts = Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((input) => input.includes('/undici/')),
    );

    expect(parts).toContain('node_modules/undici/lib/dispatcher/agent.js');
    expect(parts.filter((part) => /web\/(fetch\/index|websocket)|mock|cache/.test(part))).toEqual(
      [],
    );
  });

  // The engine that prints works in a thread of its own.
  const threadless = functions.filter((name) => !name.includes('-pdf-'));
  it.each(threadless)('of %s does not make Node load what only some calls need', (name) => {
    const [bundle = name] = startOf(name);

    const loaded = nodeModulesAfter(resolve(packageRoot, bundle));

    expect(loaded).toContain('NativeModule https');
    expect(loaded.filter((module) => NODE_ON_DEMAND.test(module))).toEqual([]);
  });
});
