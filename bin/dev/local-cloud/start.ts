import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CloudPaths, projectRoot } from '../paths.ts';
import { CommandError } from '../terminal/command-error.ts';
import { cloudHealth } from './health.ts';
import type { PythonCommand } from './install.ts';
import { moduleArguments } from './lives-with.ts';
import { isAlive } from './lock.ts';

const PROGRAM = join(import.meta.dirname, 'run_ministack.py');
/** Approximate memory of one execution environment. */
const ENVIRONMENT_BYTES = 80 * 1_024 * 1_024;

/** A local cloud that these commands started. */
export interface RunningCloud {
  readonly endpoint: string;
  readonly pid: number;
  readonly port: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface StartOptions {
  readonly python: PythonCommand;
  readonly paths: CloudPaths;
  readonly port: number;
  /** Refuse calls that a function's role does not allow. */
  readonly enforceIam?: boolean;
  /** Endpoint of the functions' AWS calls, when it is not the local cloud itself. */
  readonly endpointForFunctions?: string;
}

/** The first start after the installation compiles its packages, on a busy machine for more than half a minute. */
const MAX_START_MS = 120_000;

/** Starts a local cloud in the background and waits until it answers. */
export async function startLocalCloud(options: StartOptions): Promise<RunningCloud> {
  const { paths, port, python } = options;
  prepareFolders(paths);
  const log = openSync(paths.log, 'w');
  const child = spawn(python.command, moduleArguments(PROGRAM), {
    cwd: paths.folder,
    // A separate process group: Ctrl-C reaches only the command, which then stops the cloud gracefully.
    detached: true,
    env: cloudEnvironment(options),
    stdio: ['ignore', log, log],
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(startFailure(paths, port, `it ended with code ${code}`)));
  });
  const cloud = {
    endpoint: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    port,
    startedAt: new Date().toISOString(),
  };
  await Promise.race([waitUntilHealthy(cloud, paths), failed]);
  child.removeAllListeners();
  child.unref();
  writeFileSync(paths.processFile, `${JSON.stringify(cloud, undefined, 2)}\n`);
  return cloud;
}

/** The local cloud of these folders, when it runs. */
export async function findRunningCloud(paths: CloudPaths): Promise<RunningCloud | undefined> {
  const cloud = readProcessFile(paths);
  if (!cloud || !isAlive(cloud.pid)) return undefined;
  return (await cloudHealth(cloud.endpoint)) ? cloud : undefined;
}

/** Start time of a local cloud that ended without saving (killed, power cut); undefined after a clean stop. */
export function lostSince(paths: CloudPaths): string | undefined {
  return readProcessFile(paths)?.startedAt;
}

/** Stops a local cloud gracefully: it saves its state first. */
export async function stopLocalCloud(cloud: RunningCloud, paths: CloudPaths): Promise<void> {
  const deadline = Date.now() + 20_000;
  if (isAlive(cloud.pid)) process.kill(cloud.pid, 'SIGTERM');
  while (isAlive(cloud.pid) && Date.now() < deadline) await sleep(25);
  if (isAlive(cloud.pid)) {
    process.kill(cloud.pid, 'SIGKILL');
    throw new CommandError(
      'The local cloud did not stop within 20 s and was killed; what was written since its start is lost.',
      `Look into ${paths.log}. The next start continues with the previous state.`,
    );
  }
  rmSync(paths.processFile, { force: true });
  rmSync(paths.temporary, { recursive: true, force: true });
}

function prepareFolders(paths: CloudPaths): void {
  rmSync(paths.temporary, { recursive: true, force: true });
  for (const folder of [paths.state, paths.objects, paths.temporary]) {
    mkdirSync(folder, { recursive: true });
  }
  // Keeps the workers CommonJS even if the temporary folder is below a package of type "module".
  writeFileSync(join(paths.temporary, 'package.json'), '{"type":"commonjs"}\n');
}

function cloudEnvironment(options: StartOptions): NodeJS.ProcessEnv {
  const { paths, port } = options;
  // Do not inherit the caller's environment: it would leak into every function.
  return {
    // Prepend the folder, so that functions run on the project's Node.js.
    PATH: [join(projectRoot, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    HOME: process.env.HOME ?? paths.folder,
    LANG: 'C.UTF-8',
    TMPDIR: paths.temporary,
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    PERSIST_STATE: '1',
    S3_PERSIST: '1',
    STATE_DIR: paths.state,
    S3_DATA_DIR: paths.objects,
    IOT_MTLS_ENABLED: '0',
    LAMBDA_ACCOUNT_CONCURRENCY: String(maxEnvironments()),
    LOG_LEVEL: 'WARNING',
    // The worker around a function uses url.parse: its warning would appear in every function's log.
    NODE_OPTIONS: '--disable-warning=DEP0169',
    ...options.python.environment,
    ...(options.enforceIam && { AUTH: 'true' }),
    ...(options.endpointForFunctions && { AWS_ENDPOINT_URL: options.endpointForFunctions }),
  };
}

/** Concurrency limit (429 beyond it): as many as a quarter of the memory holds, instead of an account's 1000. */
const maxEnvironments = (): number => Math.max(40, Math.floor(totalmem() / 4 / ENVIRONMENT_BYTES));

async function waitUntilHealthy(cloud: RunningCloud, paths: CloudPaths): Promise<void> {
  const deadline = Date.now() + MAX_START_MS;
  while (Date.now() < deadline) {
    if (await cloudHealth(cloud.endpoint, 1000)) return;
    await sleep(30);
  }
  process.kill(cloud.pid, 'SIGKILL');
  throw startFailure(paths, cloud.port, `it did not answer within ${MAX_START_MS / 1_000} s`);
}

function startFailure(paths: CloudPaths, port: number, reason: string): CommandError {
  const log = readFileSync(paths.log, 'utf8').trim().split('\n').slice(-5).join('\n  ');
  return new CommandError(
    `The local cloud could not be started on port ${port}: ${reason}.${log ? `\n  ${log}` : ''}`,
    `Its whole log is ${paths.log}. A port in use: set LOCAL_CLOUD_PORT. A damaged installation: delete .local/venv. Damaged data: npm run reset.`,
  );
}

function readProcessFile(paths: CloudPaths): RunningCloud | undefined {
  try {
    return JSON.parse(readFileSync(paths.processFile, 'utf8')) as RunningCloud;
  } catch {
    return undefined;
  }
}
