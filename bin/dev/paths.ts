import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Root folder of the project, with package.json. */
export const projectRoot = resolve(import.meta.dirname, '../..');

/** Everything that the commands keep on this machine; ignored by git, safe to delete. */
export const localFolder = join(projectRoot, '.local');

/** Paths of one local cloud. */
export interface CloudPaths {
  /** Parent folder of everything below except `temporary`. */
  readonly folder: string;
  /** Saved state of the services, one JSON file each. */
  readonly state: string;
  /** Objects of the buckets. */
  readonly objects: string;
  /** Process id, port and start time of the running local cloud. */
  readonly processFile: string;
  /** Log file of the local cloud. */
  readonly log: string;
  /**
   * Unpacked function code. Outside the project, because a CommonJS worker of the local cloud cannot run below a
   * package.json with `"type": "module"`.
   */
  readonly temporary: string;
}

/** Paths of the local cloud that keeps its data in `folder`. */
export function cloudPaths(folder: string): CloudPaths {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
  return {
    folder,
    state: join(folder, 'state'),
    objects: join(folder, 'objects'),
    processFile: join(folder, 'process.json'),
    log: join(folder, 'local-cloud.log'),
    temporary: join(tmpdir(), `svc-cloud-${name}`),
  };
}

/** The local cloud of `npm start`. */
export const startCloudFolder = join(localFolder, 'cloud');
