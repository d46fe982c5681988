import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../bin/dev/paths.ts';

/** Vitest runs with local clouds, side by side; they wait for much of their time. */
const CLOUDS = { journeys: ['cloud', 'grants'], deployments: ['deployments', 'faults'] };
/** What only computes gets the processors when these runs leave them, so that no call to a cloud takes long. */
const COMPUTES = ['nice', '-n', '5'];

/** How a command ended. */
interface Outcome {
  readonly isRight: boolean;
  /** What it printed; empty when it was shown at once. */
  readonly output: string;
}

/** What the tests of one run share, such as the packed library. */
const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-run-'));
/** Garbage is collected less often in compilers: a third less of their CPU time for more memory. */
const environment = { GOGC: '400', ...process.env, SVC_RUN_FOLDER: folder };
/** Most processes load the same packages: compiled once in a run. Tests that count steps need code that is compiled anew. */
const compiledOnce = { NODE_COMPILE_CACHE: join(folder, 'compiled'), ...environment };
/** Unit tests make much garbage that is soon forgotten: collected less often, a tenth less of their CPU time. */
const collectedSeldom = { NODE_OPTIONS: '--max-semi-space-size=64', ...environment };
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());

const REPORTS = ['journeys', 'deployments', 'unit'];
const reportOf = (name: string) => join(folder, `${name}.json`);

const vitest = (projects: readonly string[], report = 'unit'): string[] => [
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportOf(report)}`,
  ...projects.flatMap((name) => ['--project', name]),
];

/** The part of vitest's report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** Why a file could not be run. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** How much of each reason is repeated at the end of a run (lines). */
const REASON_LINES = 20;

/** The tests that failed, or files that could not be run, each with the beginning of the reason. */
function failures(): string[] {
  const reports = REPORTS.map(reportOf).filter((path) => existsSync(path));
  return reports
    .flatMap((path) => (JSON.parse(readFileSync(path, 'utf8')) as Report).testResults)
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      const file = relative(projectRoot, name);
      if (failed.length === 0) return [file, ...beginning(message)];
      return failed.flatMap(({ fullName, failureMessages }) => [
        `${file}: ${fullName}`,
        ...beginning(failureMessages.join('\n')),
      ]);
    });
}

function beginning(reason: string): string[] {
  return reason
    .split('\n')
    .slice(0, REASON_LINES)
    .map((line) => `  ${line}`);
}

function start([name = '', ...args]: readonly string[], options: SpawnOptions) {
  const child = spawn(name, args, { cwd: projectRoot, ...options });
  stopped.signal.addEventListener('abort', () => child.kill());
  return child;
}

type Environment = NodeJS.ProcessEnv;

async function show(command: readonly string[], env: Environment = environment): Promise<Outcome> {
  const [code] = await once(start(command, { stdio: 'inherit', env }), 'close');
  return { isRight: code === 0, output: '' };
}

async function collect(
  command: readonly string[],
  env: Environment = environment,
): Promise<Outcome> {
  const child = start(command, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const read = (stream: Readable | null) => (stream ? text(stream) : '');
  const [[code], ...outputs] = await Promise.all([
    once(child, 'close'),
    read(child.stdout),
    read(child.stderr),
  ]);
  return { isRight: code === 0, output: outputs.join('') };
}

/** Everything side by side: what waits leaves the processors to what computes. */
async function runAll(): Promise<readonly Outcome[]> {
  const shown = show(vitest(CLOUDS.journeys, 'journeys'), compiledOnce);
  const collected = [
    collect(vitest(CLOUDS.deployments, 'deployments'), compiledOnce),
    collect([...COMPUTES, 'npm', 'run', 'check'], compiledOnce),
    collect([...COMPUTES, ...vitest(['unit', 'unit-steps'])], collectedSeldom),
  ];
  return [await shown, ...(await Promise.all(collected))];
}

const args = process.argv.slice(2);
const outcomes =
  args.length > 0
    ? [await show(['npm', 'run', 'check']), await show([...vitest([]), ...args])]
    : await runAll();
for (const { output } of outcomes) process.stdout.write(output);
const failed = failures();
rmSync(folder, { recursive: true, force: true });
process.exitCode = outcomes.every(({ isRight }) => isRight) ? 0 : 1;
console.log(
  process.exitCode === 0
    ? '\nAll checks and tests passed.'
    : ['\nSome failed: see above.', ...failed].join('\n  '),
);
