import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleFunctions, functionEntries, packageRoot } from '../../lib/bundling/bundle.ts';
import { platformModules } from '../../lib/modules.ts';
import { type Benchmark, benchFolder, type Figure, median } from './benchmark.ts';

const STARTS = 15;
const MEGABYTE = 1_048_576;

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
      const entries = functionEntries(platformModules);
      bundleFunctions(entries, {
        outdir: join(folder, 'functions'),
        hostEntry: join(packageRoot, 'bin/host.ts'),
      });
      const bundles = entries.map(({ name }) => ({
        name,
        file: join(folder, 'functions', name, 'index.mjs'),
      }));
      say(`importing each ${STARTS} times in a process of its own`);
      const times = measureImports([hello, ...bundles.map(({ file }) => file)]);
      return bundles.flatMap(({ name, file }): Figure[] => [
        { what: `${name}: bundle`, value: sizeOf(dirname(file)) / MEGABYTE, unit: 'MB', goal: 1.5 },
        {
          what: `${name}: import`,
          value: times.get(file) ?? Number.NaN,
          unit: 'ms',
          floor: {
            what: 'hello-world with the same AWS clients',
            value: times.get(hello) ?? Number.NaN,
          },
          goal: name === 'entities' ? 1.8 : 1.5,
        },
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
} satisfies Benchmark;

/** Bytes of code in the folder of a function, what is imported later included. */
const sizeOf = (folder: string): number =>
  globSync(join(folder, '*.mjs')).reduce((sum, file) => sum + statSync(file).size, 0);

function buildHello(folder: string): string {
  const entry = join(folder, 'hello', 'handler.ts');
  mkdirSync(join(folder, 'hello'));
  writeFileSync(entry, HELLO);
  const outdir = join(folder, 'hello-bundle');
  bundleFunctions([{ name: 'hello', entry }], { outdir });
  return join(outdir, 'hello', 'index.mjs');
}

/** Median processor times in turn, so that a busy moment hits all alike. */
function measureImports(files: readonly string[]): Map<string, number> {
  const times = new Map<string, number[]>(files.map((file) => [file, []]));
  for (let start = 0; start < STARTS; start += 1) {
    for (const file of files) times.get(file)?.push(importOnce(file));
  }
  return new Map([...times].map(([file, values]) => [file, median(values)]));
}

function importOnce(file: string): number {
  const script = `const t = process.cpuUsage(); await import(${JSON.stringify(file)}); const { user, system } = process.cpuUsage(t); console.log((user + system) / 1000);`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', env: { ...process.env, ...FUNCTION_ENVIRONMENT } },
  );
  const ms = Number(stdout.trim().split('\n').at(-1));
  if (status !== 0 || Number.isNaN(ms))
    throw new Error(`The bundle ${file} does not start: ${stderr}`);
  return ms;
}

const FUNCTION_ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  SVC_MODULE: 'bench',
  SVC_STAGE: 'bench',
  TABLE_NAME: 'table',
  BUCKET_NAME: 'bucket',
  EVENT_BUS_NAME: 'bus',
};
