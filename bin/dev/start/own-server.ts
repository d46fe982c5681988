import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A server that runs as a process of its own and ends with this one. */
export interface OwnServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a script that prints one line of JSON with its `url` once it listens, and that ends with its standard input.
 * @throws Error when it ends before that
 */
export async function startOwnServer(
  script: string,
  environment: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
): Promise<OwnServer> {
  const child = spawn(process.execPath, ['--no-warnings', script, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: await readUrl(child, script),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

async function readUrl({ stdout }: ChildProcess, script: string): Promise<string> {
  if (stdout) {
    for await (const line of createInterface({ input: stdout })) {
      return (JSON.parse(line) as { readonly url: string }).url;
    }
  }
  throw new Error(`${script} has ended before it listened.`);
}
