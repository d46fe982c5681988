import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../unit/lib/synthesise.ts';
import { chromiumFiles } from './chromium.ts';

/** A program that does something of its own, and then is the browser; each start is written down. */
export async function aWrapper(script: (starts: string) => string) {
  const folder = temporaryFolder();
  const files = await chromiumFiles();
  const executable = join(folder, 'browser');
  const starts = join(folder, 'starts');
  writeFileSync(starts, '');
  writeFileSync(
    executable,
    `#!/bin/sh\necho $$ >> ${starts}\n${script(starts)}\nexec ${files.executable} "$@"\n`,
  );
  chmodSync(executable, 0o755);
  const pids = () => readFileSync(starts, 'utf8').split('\n').filter(Boolean).map(Number);
  return { files: async () => ({ ...files, executable }), pids };
}

/** Whether a process does anything. */
export const isRunning = (pid: number): boolean =>
  readdirSync('/proc').includes(String(pid)) &&
  !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
