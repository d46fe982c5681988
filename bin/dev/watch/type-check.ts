import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Most errors that are shown at once. */
const SHOWN = 5;

/** How long nothing has to change before types are checked (ms): a check takes seconds of a processor. */
const QUIET_MS = 2_000;

/** Result of a type check: readable lines, none when there are no errors. */
export type TypeErrors = readonly string[];

export interface TypeCheckOptions {
  /** Folder with tsconfig.json and node_modules. */
  readonly root: string;
  /** Incremental build file of the compiler. */
  readonly buildInfo: string;
  readonly onResult: (errors: TypeErrors) => void;
  /** How long it waits before it begins (ms). */
  readonly quietMs?: number;
}

/**
 * Checks the types of the project in the background: bundling removes types unchecked. It runs in a process of
 * its own; a new check replaces one that waits or runs.
 */
export class TypeCheck {
  readonly #options: TypeCheckOptions;
  #running: ChildProcess | undefined;
  #waiting: NodeJS.Timeout | undefined;

  constructor(options: TypeCheckOptions) {
    this.#options = options;
  }

  /** Begins a check soon. */
  start(): void {
    this.cancel();
    this.#waiting = setTimeout(() => this.#run(), this.#options.quietMs ?? QUIET_MS);
  }

  #run(): void {
    const { root, buildInfo, onResult } = this.#options;
    const incremental = ['--incremental', '--tsBuildInfoFile', buildInfo];
    // Several threads would each check the same types, and slow down the machine.
    const args = ['--noEmit', '--pretty', 'false', '--singleThreaded', ...incremental];
    const child = spawn(join(root, 'node_modules', '.bin', 'tsc'), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#running = child;
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', () => this.#forget(child));
    child.once('close', (code) => {
      if (this.#forget(child) && code !== null) onResult(errorsIn(output));
    });
  }

  /** Aborts a check without a result. */
  cancel(): void {
    clearTimeout(this.#waiting);
    this.#running?.kill();
    this.#running = undefined;
  }

  /** Whether the process was the current one. */
  #forget(child: ChildProcess): boolean {
    const isCurrent = this.#running === child;
    if (isCurrent) this.#running = undefined;
    return isCurrent;
  }
}

/** The errors in the output of the compiler, as `file:line:column: text`. */
export function errorsIn(output: string): TypeErrors {
  const errors = [...output.matchAll(/^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/gm)].map(
    ([, file, line, column, code, text]) => `${file}:${line}:${column}: ${text} (${code})`,
  );
  if (errors.length <= SHOWN) return errors;
  return [...errors.slice(0, SHOWN), `and ${errors.length - SHOWN} more: npx tsc shows all`];
}
