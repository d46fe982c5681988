import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Zippable, zipSync } from 'fflate';

/** Fixed time of every entry, so that equal folders give equal archives. */
const entryTime = new Date('2000-01-01T00:00:00Z');

/** Packs a folder without compression, for speed. Equal content gives equal bytes. */
export function zipFolder(folder: string): Uint8Array {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const entries: Zippable = {};
  for (const file of files) {
    entries[relative(folder, file).split(sep).join('/')] = readFileSync(file);
  }
  return zipSync(entries, { level: 0, mtime: entryTime });
}

/** Checksum of a function's archive in the form in which Lambda reports it. */
export function codeSha256(archive: Uint8Array): string {
  return createHash('sha256').update(archive).digest('base64');
}
