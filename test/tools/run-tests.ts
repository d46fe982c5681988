import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../bin/dev/paths.ts';

/** Projects with local clouds; they wait for much of their time. */
const CLOUDS = ['deployments', 'faults', 'cloud', 'grants'];

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
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());

const vitest = (projects: readonly string[]): string[] => [
  'vitest',
  'run',
  ...projects.flatMap((name) => ['--project', name]),
];

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
  const shown = show(vitest(CLOUDS), compiledOnce);
  const collected = [
    collect(['npm', 'run', 'check'], compiledOnce),
    collect(vitest(['unit', 'unit-steps'])),
  ];
  return [await shown, ...(await Promise.all(collected))];
}

const args = process.argv.slice(2);
const outcomes =
  args.length > 0
    ? [await show(['npm', 'run', 'check']), await show([...vitest([]), ...args])]
    : await runAll();
for (const { output } of outcomes) process.stdout.write(output);
rmSync(folder, { recursive: true, force: true });
process.exitCode = outcomes.every(({ isRight }) => isRight) ? 0 : 1;
console.log(
  process.exitCode === 0 ? '\nAll checks and tests passed.' : '\nSome failed: see above.',
);
