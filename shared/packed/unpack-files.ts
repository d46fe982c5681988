import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { type FilesInPlace, PACKED_LIST, type PackedList } from './packed-list.ts';

/**
 * Unpacks files that a declaration packs, once for all environments that share the folder for temporary files: under a
 * name of its own, renamed when it is complete.
 * @param packed folder with the packed files.
 * @param temporary folder for temporary files.
 * @returns the folder with the files as they were.
 */
export async function unpackFiles(packed: string, temporary: string): Promise<string> {
  const list: PackedList | FilesInPlace = JSON.parse(
    await readFile(join(packed, PACKED_LIST), 'utf8'),
  );
  if ('folder' in list) return list.folder;
  const folder = join(temporary, `unpacked-${list.id}`);
  if (await isComplete(folder, list)) return folder;
  const unfinished = `${folder}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await Promise.all(list.files.map((file) => unpackFile(file, packed, unfinished)));
    await putInPlace(unfinished, folder, list);
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** A folder that lost files, such as one that a cleaner of temporary files has visited, is made again. */
async function putInPlace(unfinished: string, folder: string, list: PackedList): Promise<void> {
  try {
    await rename(unfinished, folder);
  } catch (cause) {
    if (await isComplete(folder, list)) return;
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder).catch(() => {
      throw cause;
    });
  }
}

async function isComplete(folder: string, { files }: PackedList): Promise<boolean> {
  const found = await Promise.all(
    files.map(async ({ name, bytes }) => {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      return facts?.size === bytes;
    }),
  );
  return found.every(Boolean);
}

async function unpackFile(
  { name, isPacked }: PackedList['files'][number],
  packed: string,
  folder: string,
): Promise<void> {
  if (!isPacked) return copyFile(join(packed, name), join(folder, name));
  await pipeline(
    createReadStream(join(packed, `${name}.zst`), { highWaterMark: 1_024 * 1_024 }),
    createZstdDecompress({ chunkSize: 1_024 * 1_024 }),
    createWriteStream(join(folder, name), { highWaterMark: 4 * 1_024 * 1_024 }),
  );
}
