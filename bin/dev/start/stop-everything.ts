import { setTimeout as sleep } from 'node:timers/promises';
import { ownCloudPaths } from '../local-cloud/ensure.ts';
import { isAlive } from '../local-cloud/lock.ts';
import { findRunningCloud, stopLocalCloud } from '../local-cloud/start.ts';
import { removeOutputs } from '../outputs.ts';
import { CommandError } from '../terminal/command-error.ts';
import { startedBy } from './start-lock.ts';

/**
 * Gracefully stops a running `npm start` and the local cloud of this project.
 * @returns whether anything was running.
 */
export async function stopEverything(): Promise<boolean> {
  const started = startedBy();
  if (started) await stopProcess(started);
  removeOutputs();
  const cloud = await findRunningCloud(ownCloudPaths);
  if (cloud) await stopLocalCloud(cloud, ownCloudPaths);
  return started !== undefined || cloud !== undefined;
}

async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + 30_000;
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      throw new CommandError(
        `"npm start" (process ${pid}) did not stop within 30 s.`,
        `End it by hand: kill -9 ${pid}, then run "npm run stop" again.`,
      );
    }
    await sleep(50);
  }
}
