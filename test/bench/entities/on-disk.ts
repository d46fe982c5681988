import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Storage } from '../../../shared/ports/documents.ts';

/** A storage of a host that streams files from and to a folder. */
export function onDisk(folder: string): Storage {
  const at = (path: string): string => join(folder, path.replaceAll('/', '_'));
  const factsOf = (path: string) => ({
    ...{ contentType: 'text/plain', etag: '"1"' },
    ...{ sizeBytes: statSync(at(path)).size },
  });
  return {
    get: async (path) => ({ ...factsOf(path), body: await readFile(at(path)) }),
    async put(path, body) {
      await writeFile(at(path), body);
      return { etag: '"1"' };
    },
    async putStream(path, bytes) {
      await pipeline(bytes, createWriteStream(at(path)));
      return { etag: '"1"' };
    },
    delete: (path) => rm(at(path), { force: true }),
    head: async (path) =>
      statSync(at(path), { throwIfNoEntry: false }) ? factsOf(path) : undefined,
    open: async (path, from) => createReadStream(at(path), { start: from }),
  };
}
