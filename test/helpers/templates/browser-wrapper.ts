import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

const talking = fileURLToPath(new URL('./talking-browser.ts', import.meta.url));

/** A browser of which the first process gets a signal when it has said something so many times. */
export async function aDyingBrowser(words: number, signal: NodeJS.Signals = 'SIGKILL') {
  const { executable } = await chromiumFiles();
  return aWrapper(
    (starts) =>
      `if [ $(wc -l < ${starts}) -eq 1 ]; then exec ${process.execPath} ${talking} ${signal} ${words} ${executable} "$@"; fi`,
  );
}

/** Whether a process does anything. */
export const isRunning = (pid: number): boolean =>
  readdirSync('/proc').includes(String(pid)) &&
  !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
