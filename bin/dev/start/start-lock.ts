import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../local-cloud/lock.ts';
import { localFolder } from '../paths.ts';
import { CommandError } from '../terminal/command-error.ts';

/** Lock of `npm start`: one run per project at a time. */
interface StartLock {
  readonly pid: number;
  readonly isStopping: boolean;
}

const lockFile = join(localFolder, 'start.json');
const longestStopMs = 30_000;

/**
 * Acquires the lock of `npm start`. Waits for a run that is stopping: npm returns to the prompt before the
 * data is saved.
 * @throws CommandError when another one runs.
 */
export async function claimStart(): Promise<void> {
  const deadline = Date.now() + longestStopMs;
  let other = readLock();
  while (other?.isStopping && Date.now() < deadline) {
    await sleep(50);
    other = readLock();
  }
  if (other) {
    throw new CommandError(
      `The platform is running already (process ${other.pid}).`,
      'Use that one ("npm run status" shows where), or stop it first: npm run stop',
    );
  }
  writeLock({ pid: process.pid, isStopping: false });
}

/** Process that runs `npm start`, if any. */
export function startedBy(): number | undefined {
  return readLock()?.pid;
}

/** Marks this `npm start` as stopping. */
export function announceStop(): void {
  writeLock({ pid: process.pid, isStopping: true });
}

/** Releases the lock. */
export function releaseStart(): void {
  rmSync(lockFile, { force: true });
}

function writeLock(lock: StartLock): void {
  mkdirSync(localFolder, { recursive: true });
  writeFileSync(lockFile, JSON.stringify(lock));
}

function readLock(): StartLock | undefined {
  try {
    const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as StartLock;
    return isAlive(lock.pid) ? lock : undefined;
  } catch {
    return undefined;
  }
}
