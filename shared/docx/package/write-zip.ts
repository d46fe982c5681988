import { type Zippable, zipSync } from 'fflate';

/** The first instant that a ZIP archive can name, in the local time that it is written in. */
const EPOCH = new Date(1980, 0, 1);
const CONTENT_TYPES = '[content_types].xml';
const COMPRESSED = /\.(?:png|jpe?g|gif|webp|docx|xlsx|pptx|zip)$/i;

/** The same contents give the same bytes, whatever the order they come in, the time and the zone. */
export function writeZip(entries: ReadonlyMap<string, Uint8Array>): Buffer {
  const names = [...entries.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const files: Zippable = Object.create(null);
  for (const name of names) {
    const content = entries.get(name) ?? new Uint8Array();
    files[name] = [content, { mtime: EPOCH, level: COMPRESSED.test(name) ? 0 : 6 }];
  }
  const archive = zipSync(files);
  return Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
}

/** Readers that stream want to know the types of parts first. */
const rank = (name: string): number => (name.toLowerCase() === CONTENT_TYPES ? 0 : 1);
