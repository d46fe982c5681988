import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from '../../../bin/dev/local-cloud/free-port.ts';
import type { PlatformOutputs } from '../../../bin/dev/outputs.ts';
import { localFolder, projectRoot } from '../../../bin/dev/paths.ts';

/** Tests need no copy: without them the types of the copy are checked in half the time. */
const notCopied = new Set([
  'node_modules',
  '.git',
  '.local',
  'dist',
  'cdk.out',
  'coverage',
  'test',
]);

/** The parts of them that `npm start` runs. */
const STAND_INS = ['test/tools/document-server', 'test/tools/identity-peers'];

/** A copy of the project in which a test may change files and run `npm start`. */
export class ProjectCopy {
  readonly folder: string;
  readonly #processes: StartProcess[] = [];

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'svc-cloud-copy-'));
    cpSync(projectRoot, this.folder, {
      recursive: true,
      filter: (source) => source === projectRoot || !notCopied.has(basename(source)),
    });
    for (const each of STAND_INS) {
      cpSync(join(projectRoot, each), join(this.folder, each), { recursive: true });
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(this.folder, 'node_modules'));
    mkdirSync(join(this.folder, '.local'));
    // What is installed is installed: the copy uses the same Python packages.
    cpSync(join(localFolder, 'python.json'), join(this.folder, '.local', 'python.json'));
    const packages = join(localFolder, 'python-packages');
    if (existsSync(packages)) symlinkSync(packages, join(this.folder, '.local', 'python-packages'));
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), 'utf8');
  }

  /** What `npm start` leaves while the platform is up. */
  outputs(): PlatformOutputs {
    return JSON.parse(this.read('.local', 'outputs.json'));
  }

  /** A token of `npm run token`, for the user demo with the role admin. */
  token(...args: string[]): string {
    const command = ['run', '--silent', 'token', '--', '--sub', 'demo', '--role', 'admin', ...args];
    return execFileSync('npm', command, { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  /** Runs `npm start` on free ports and waits until it is ready or has ended. */
  async start(
    args: readonly string[] = [],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<StartProcess> {
    const from = 30_000 + Math.floor(Math.random() * 5000);
    const PORT = String(await freePort(from));
    const LOCAL_CLOUD_PORT = String(await freePort(from + 300));
    const child = spawn('npm', ['start', '--', '--no-demo', ...args], {
      cwd: this.folder,
      // As in a terminal: the keys of the user reach every process of the group.
      detached: true,
      env: { ...process.env, AWS_ENDPOINT_URL: '', PORT, LOCAL_CLOUD_PORT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new StartProcess(child);
    this.#processes.push(started);
    await started.waitFor(/Watching functions|What to do:/);
    return started;
  }

  /** Process id of the local cloud of this copy. */
  cloudPid(): number {
    return JSON.parse(this.read('.local', 'cloud', 'process.json')).pid;
  }

  /** Stops what still runs and deletes the copy. */
  async remove(): Promise<void> {
    for (const started of this.#processes) await started.interrupt();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A running `npm start` and what it has printed. */
export class StartProcess {
  readonly #child: ChildProcess;
  #output = '';
  #isClosed = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    const collect = (chunk: Buffer): void => {
      this.#output += stripVTControlCharacters(chunk.toString());
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('close', () => {
      this.#isClosed = true;
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Waits until the process ends by itself; gives its exit code. */
  async exitCode(): Promise<number | null> {
    const deadline = Date.now() + 120_000;
    while (this.#isRunning()) {
      if (Date.now() > deadline) throw new Error(`npm start goes on:\n${this.#output}`);
      await sleep(20);
    }
    return this.#child.exitCode;
  }

  /** Waits until the output since `from` matches, or the process has ended. */
  async waitFor(pattern: RegExp, from = 0, seconds = 120): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (!pattern.test(this.#output.slice(from)) && this.#isRunning()) {
      if (Date.now() > deadline) {
        throw new Error(`No ${pattern} within ${seconds} s:\n${this.#output.slice(from)}`);
      }
      await sleep(20);
    }
  }

  /** Presses Ctrl-C and waits for the end. */
  async interrupt(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Kills the process without a chance to save anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.#isClosed) return;
    process.kill(-pid, signal);
    // npm may end before what it started: the end of the output is the end of both.
    const timeout = AbortSignal.timeout(120_000);
    if (!this.#isClosed) await once(this.#child, 'close', { signal: timeout });
  }

  #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}
