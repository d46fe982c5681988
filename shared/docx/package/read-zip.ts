import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import type { DocxLimits } from '../docx-limits.ts';
import { DocxRefused } from '../docx-refused.ts';

/** Names of parts stand in warnings, of which an item holds a hundred. */
const MAX_NAME_BYTES = 250;
const LOCAL_HEADER = 30;
const STORED = 0;
const DEFLATED = 8;
const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;

interface Located {
  readonly entry: Entry;
  readonly dataStart: number;
}

/**
 * The contents of an archive by name. Sizes are held against the limits before anything is unpacked, and no entry
 * unpacks to more than it declares.
 * @throws DocxRefused
 */
export async function readZip(bytes: Buffer, limits: DocxLimits): Promise<Map<string, Uint8Array>> {
  const located = await locate(bytes, limits);
  refuseOverlaps(located);
  return new Map(
    located.map(({ entry, dataStart }) => [entry.fileName, unpack(bytes, entry, dataStart)]),
  );
}

async function locate(bytes: Buffer, limits: DocxLimits): Promise<Located[]> {
  try {
    const zip = await fromBufferPromise(bytes, { strictFileNames: true });
    if (zip.entryCount > limits.entries)
      throw new DocxRefused(
        'DOCX_TOO_COMPLEX',
        `The archive has more than ${limits.entries} entries.`,
      );
    return await locateEntries(zip, limits);
  } catch (error) {
    if (error instanceof DocxRefused) throw error;
    throw invalid(`The archive cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

async function locateEntries(zip: ZipFile, limits: DocxLimits): Promise<Located[]> {
  const located: Located[] = [];
  const names = new Set<string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    checkEntry(entry);
    checkSize(entry, limits);
    total += entry.uncompressedSize;
    if (total > limits.totalBytes)
      throw new DocxRefused(
        'DOCX_TOO_COMPLEX',
        `The archive unpacks to more than ${limits.totalBytes} bytes.`,
      );
    const name = entry.fileName.toLowerCase();
    if (names.has(name)) throw invalid(`The archive has two entries ${quote(entry.fileName)}.`);
    names.add(name);
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    if (!entry.fileName.endsWith('/')) located.push({ entry, dataStart: fileDataStart });
  }
  return located;
}

function checkEntry(entry: Entry): void {
  const name = quote(entry.fileName);
  if (entry.isEncrypted())
    throw new DocxRefused('ENCRYPTED_DOCX', `The entry ${name} is encrypted.`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw invalid(`The entry ${name} has compression method ${entry.compressionMethod}.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK)
    throw invalid(`The entry ${name} is a symbolic link.`);
  if (Buffer.byteLength(entry.fileName) > MAX_NAME_BYTES)
    throw new DocxRefused(
      'DOCX_TOO_COMPLEX',
      `The entry ${name} has a name of more than ${MAX_NAME_BYTES} bytes.`,
    );
  if (entry.fileName.includes('\0')) throw invalid('The name of an entry has a null character.');
}

function checkSize(entry: Entry, limits: DocxLimits): void {
  const { compressedSize, uncompressedSize } = entry;
  const name = quote(entry.fileName);
  if (uncompressedSize > limits.partBytes)
    throw new DocxRefused(
      'DOCX_TOO_COMPLEX',
      `The entry ${name} unpacks to more than ${limits.partBytes} bytes.`,
    );
  if (uncompressedSize > limits.ratioFreeBytes && uncompressedSize > compressedSize * limits.ratio)
    throw new DocxRefused(
      'DOCX_TOO_COMPLEX',
      `The entry ${name} is compressed more than ${limits.ratio} to 1.`,
    );
}

/** Entries that share bytes make small archives unpack to much. */
function refuseOverlaps(located: readonly Located[]): void {
  const begin = ({ entry }: Located): number => entry.relativeOffsetOfLocalHeader;
  let end = 0;
  for (const one of [...located].sort((a, b) => begin(a) - begin(b))) {
    if (begin(one) < end || one.dataStart < begin(one) + LOCAL_HEADER)
      throw invalid(`The entry ${quote(one.entry.fileName)} overlaps another one.`);
    end = one.dataStart + one.entry.compressedSize;
  }
}

function unpack(bytes: Buffer, entry: Entry, dataStart: number): Uint8Array {
  const packed = bytes.subarray(dataStart, dataStart + entry.compressedSize);
  const content = entry.compressionMethod === STORED ? packed : inflate(packed, entry);
  if (content.length !== entry.uncompressedSize || crc32(content) !== entry.crc32)
    throw invalid(`The entry ${quote(entry.fileName)} is damaged.`);
  return content;
}

function inflate(packed: Buffer, entry: Entry): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.uncompressedSize) });
  } catch {
    throw invalid(`The entry ${quote(entry.fileName)} is damaged, or larger than it declares.`);
  }
}

const invalid = (detail: string): DocxRefused => new DocxRefused('INVALID_DOCX', detail);

/** A name as it is shown in a message. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 100));
