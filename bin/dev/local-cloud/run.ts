import { spawn } from 'node:child_process';

/** How a program ended: its exit code (127 when it could not be started) and everything it wrote. */
export interface RunResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end and collects what it writes. */
export function run(command: string, args: readonly string[]): Promise<RunResult> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
