import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of this run: all files of `npm test` have the same one, which goes with the run. */
export const runFolder = (): string => process.env.SVC_RUN_FOLDER ?? tmpdir();

/** Environment of Node.js processes that load the same code as others of this run: it is compiled once. */
export const compiledOnce = () => ({ NODE_COMPILE_CACHE: join(runFolder(), 'compiled') });

/**
 * Makes a folder that all files of this run share; two that need it at the same time may both make it.
 * @param fill puts the contents into an empty folder.
 */
export async function onceInARun(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(runFolder(), name);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(join(runFolder(), `${name}-`));
  await fill(own);
  try {
    // Complete from the moment on that others find it.
    renameSync(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(own, { recursive: true });
  }
  return folder;
}
