import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Asset files of the function. */
export interface AssetFolder {
  /** The bytes of a file; `undefined` when there is none of that name. */
  read(name: string): Promise<Buffer | undefined>;
}

/** The folder `assets/` of the bundle. */
export function createAssetFolder(folder = join(import.meta.dirname, 'assets')): AssetFolder {
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}
