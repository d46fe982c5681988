import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folder of this run: all files of `npm test` have the same one, which goes with the run. */
export const runFolder = (): string => process.env.SVC_RUN_FOLDER ?? tmpdir();

/** Environment of Node.js processes that load the same code as others of this run: it is compiled once. */
export const compiledOnce = () => ({ NODE_COMPILE_CACHE: join(runFolder(), 'compiled') });

/**
 * Makes a folder that all files of this run share: one makes it, and those that need it meanwhile wait.
 * @param fill puts the contents into an empty folder.
 */
export async function onceInARun(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(runFolder(), name);
  const own = `${folder}.unfinished`;
  while (!existsSync(folder)) {
    if (!isFirst(own)) {
      await sleep(100);
      continue;
    }
    try {
      await fill(own);
      // Complete from the moment on that others find it.
      renameSync(own, folder);
    } catch (error) {
      rmSync(own, { recursive: true });
      throw error;
    }
  }
  return folder;
}

/** Whether a folder was not there, and is now. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (existsSync(folder)) return false;
    throw error;
  }
}
