import { join } from 'node:path';
import { isAlive } from './lock.ts';

/** Environment variable with the process id of a test run; child processes end with it, also when it is killed. */
const VARIABLE = 'SVC_LIVES_WITH';
const LOOK_MS = 500;

/** Makes all processes started from now on end with this process. */
export function claimProcesses(): void {
  process.env[VARIABLE] ??= String(process.pid);
}

/** The process with which child processes end; undefined outside test runs. */
function livesWith(): number | undefined {
  const pid = Number(process.env[VARIABLE]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Environment variables that pass the claim to a process with a new environment. */
export function claimEnvironment(): Record<string, string> {
  const pid = livesWith();
  return pid === undefined ? {} : { [VARIABLE]: String(pid) };
}

/** Calls `onGone` once the owning process has ended; does not keep this process alive. */
export function whenLeftAlone(onGone: () => void): void {
  const pid = livesWith();
  if (pid === undefined || pid === process.pid) return;
  const timer = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS);
  timer.unref();
}

/**
 * Arguments that run Python code until the owning process ends.
 * @param module name of a module, or path of a file that ends with `.py`.
 */
export function moduleArguments(module: string): string[] {
  const pid = livesWith();
  if (pid === undefined) return module.endsWith('.py') ? [module] : ['-m', module];
  return [join(import.meta.dirname, 'lives_with.py'), String(pid), module];
}
