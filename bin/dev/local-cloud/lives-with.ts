import { join } from 'node:path';
import { isAlive } from './lock.ts';

/** Names the process that a test run is; what the run starts ends with it, also when it is killed. */
const VARIABLE = 'SVC_LIVES_WITH';
const LOOK_MS = 500;

/** From now on everything that is started from here ends with this process. */
export function claimProcesses(): void {
  process.env[VARIABLE] ??= String(process.pid);
}

/** The process whose end is the end of what is started here; undefined outside of test runs. */
function livesWith(): number | undefined {
  const pid = Number(process.env[VARIABLE]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Environment that hands the claim on to a process whose environment is made from nothing. */
export function claimEnvironment(): Record<string, string> {
  const pid = livesWith();
  return pid === undefined ? {} : { [VARIABLE]: String(pid) };
}

/** Calls `onGone` once the process that this one belongs to has ended; holds nothing up meanwhile. */
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

/** Arguments that run a Python module, for as long as the process lives that this one belongs to. */
export function moduleArguments(module: string): string[] {
  const pid = livesWith();
  if (pid === undefined) return ['-m', module];
  return [join(import.meta.dirname, 'lives_with.py'), String(pid), module];
}
