import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFunctions, functionEntries, packageRoot } from '../../lib/bundling/bundle.ts';
import { loadSvcConfig } from '../../lib/configuration/svc-config.ts';
import { platformModules } from '../../lib/modules.ts';
import { type Benchmark, benchFolder, type Figure, median } from './benchmark.ts';

const STARTS = 15;
const MEGABYTE = 1_048_576;

const STAGE = 'bench';

/** What an application usually sets. */
const CONFIG = {
  'mq.app-code': 'shop',
  'mq.transport': 'broker',
  'mq.relay.enabled': true,
  'security.issuers': [{ issuer: 'https://id.example.com', audience: 'shop' }],
};

const STATISTICS = [
  { named: 'minimum', of: (values: readonly number[]) => Math.min(...values) },
  { named: 'median', of: median },
];

/** The least a function with the same AWS clients can be. */
const HELLO = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const bus = new EventBridgeClient({});
export const handler = async () => ({ statusCode: 200, body: String(Boolean(table && bus)) });
`;

/** Size of every function and processor time of its import, against a hello-world with the same AWS clients. */
export default {
  name: 'Bundles',
  async run(say) {
    const folder = benchFolder();
    try {
      say('bundling');
      const hello = buildHello(folder);
      const entries = functionEntries(platformModules, {
        stage: STAGE,
        config: loadSvcConfig(CONFIG, { stage: STAGE }),
      });
      bundleFunctions(entries, {
        outdir: join(folder, 'functions'),
        hostEntry: join(packageRoot, 'bin/host.ts'),
      });
      const bundles = entries.map(({ name, checkedConfig }) => ({
        name,
        file: join(folder, 'functions', name, 'index.mjs'),
        config: checkedConfig?.text,
      }));
      say(`importing each ${STARTS} times in a process of its own`);
      const plain = buildPlainHello(folder);
      const floors = [
        { what: 'hello-world with the same AWS clients, bundled alike', file: hello },
        { what: 'the same hello-world as esbuild bundles it by itself', file: plain },
      ];
      const times = measureImports([...floors, ...bundles]);
      const timesOf = (bundle: string): readonly number[] => times.get(bundle) ?? [];
      return bundles.flatMap(({ name, file }): Figure[] => [
        { what: `${name}: bundle`, value: sizeOf(dirname(file)) / MEGABYTE, unit: 'MB', goal: 1.5 },
        ...STATISTICS.flatMap(({ named, of }) =>
          floors.map((floor) => ({
            what: `${name}: import, ${named}`,
            value: of(timesOf(file)),
            unit: 'ms',
            floor: { what: floor.what, value: of(timesOf(floor.file)) },
            goal: name === 'entities' ? 1.8 : 1.5,
          })),
        ),
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
} satisfies Benchmark;

/** Bytes of code in the folder of a function, what is imported later included. */
const sizeOf = (folder: string): number =>
  globSync(join(folder, '*.mjs')).reduce((sum, file) => sum + statSync(file).size, 0);

/** What a function has without the bundler of the platform: one minified file. */
function buildPlainHello(folder: string): string {
  const outfile = join(folder, 'plain-bundle', 'index.mjs');
  buildSync({
    stdin: { contents: HELLO, resolveDir: packageRoot },
    outfile,
    ...{ bundle: true, minify: true, platform: 'node', target: 'node24', format: 'esm' },
    mainFields: ['module', 'main'],
    // CommonJS packages ask for the modules of Node.
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  return outfile;
}

function buildHello(folder: string): string {
  const entry = join(folder, 'hello', 'handler.ts');
  mkdirSync(join(folder, 'hello'));
  writeFileSync(entry, HELLO);
  const outdir = join(folder, 'hello-bundle');
  bundleFunctions([{ name: 'hello', entry }], { outdir });
  return join(outdir, 'hello', 'index.mjs');
}

interface Bundle {
  readonly file: string;
  readonly config?: string | undefined;
}

/** Processor times in turn, so that a busy moment hits all alike. */
function measureImports(bundles: readonly Bundle[]): Map<string, number[]> {
  const times = new Map<string, number[]>(bundles.map(({ file }) => [file, []]));
  for (let start = 0; start < STARTS; start += 1) {
    for (const bundle of bundles) times.get(bundle.file)?.push(importOnce(bundle));
  }
  return times;
}

function importOnce({ file, config = '{}' }: Bundle): number {
  const script = `const t = process.cpuUsage(); await import(${JSON.stringify(file)}); const { user, system } = process.cpuUsage(t); console.log((user + system) / 1000);`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', env: { ...process.env, ...FUNCTION_ENVIRONMENT, SVC_CONFIG: config } },
  );
  const ms = Number(stdout.trim().split('\n').at(-1));
  if (status !== 0 || Number.isNaN(ms))
    throw new Error(`The bundle ${file} does not start: ${stderr}`);
  return ms;
}

const FUNCTION_ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  SVC_MODULE: 'bench',
  SVC_STAGE: STAGE,
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  EVENT_BUS_NAME: 'bus',
};
