import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../bin/dev/local-cloud/lock.ts';
import { projectRoot } from '../../bin/dev/paths.ts';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Processes below another one, at any depth. */
function below(pid: number): Process[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line): Process[] => {
      const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return own ? [{ pid: Number(own), parent: Number(parent), command }] : [];
    });
  const found: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

/** A fault run of its own, with a local cloud and processes under test. */
function startFaultRun(): ChildProcess {
  const { SVC_LIVES_WITH: _outer, ...environment } = process.env;
  return spawn(
    process.execPath,
    [
      join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', '--project', 'faults', 'test/faults/relay-kills.test.ts'],
    ],
    { cwd: projectRoot, env: environment, stdio: 'ignore', detached: true },
  );
}

describe.concurrent('a fault run', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGKILL'])(
    'that gets a %s leaves no process behind',
    { timeout: 300_000 },
    async (signal) => {
      const run = startFaultRun();
      const pid = run.pid ?? 0;
      const ended = once(run, 'exit');
      const isAtWork = (part: string) => below(pid).some(({ command }) => command.includes(part));
      await vi.waitFor(
        () => {
          expect(isAtWork('ministack')).toBe(true);
          expect(isAtWork('child/index.mjs')).toBe(true);
        },
        { timeout: 90_000, interval: 200 },
      );
      const processes = below(pid);

      run.kill(signal);
      await ended;

      await vi.waitFor(() => expect(processes.filter((each) => isAlive(each.pid))).toEqual([]), {
        timeout: 60_000,
        interval: 200,
      });
    },
  );
});
