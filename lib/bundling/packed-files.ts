import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, constants, zstdCompressSync } from 'node:zlib';
import { ConfigError, error } from '../../shared/config/index.ts';
import type { PackedFiles } from '../../shared/module/declaration.ts';
import {
  type FilesInPlace,
  PACKED_LIST,
  type PackedList,
} from '../../shared/packed/packed-list.ts';
import { findPackage, missingPackage, readManifest } from './unbundled-packages.ts';

/** Smaller files are packed in no time, and most of them are loaded as they are. */
const MIN_PACKED_BYTES = 1_024 * 1_024;
/** Beyond it the time grows faster than the archive shrinks. */
const LEVEL = 12;
/** Part of the name of a cached folder: another way of packing makes another folder. */
const FORMAT = 1;
const BROTLI = /\.br$/;

/**
 * Puts large files of a package compressed into the archive of a function. They are packed once for each version of the
 * package and kept in the user's cache.
 * @param from the module's folder.
 * @throws ConfigError `PACKAGE_MISSING`, `ASSETS_MISSING` naming a file that is not in the package.
 */
export function packFiles(
  packed: PackedFiles,
  ofFunction: string,
  from: string,
  archive: string,
): void {
  const root = findPackage(packed.package, from) ?? missingPackage(packed.package, ofFunction);
  const { version } = readManifest(root);
  const folder = join(cacheFolder(), cacheName(packed, version));
  if (!existsSync(folder)) fill(folder, packed, { root, version, ofFunction });
  cpSync(folder, join(archive, 'assets', packed.as), { recursive: true });
}

/**
 * Names the files of a package in their installed place, for functions that run on this machine: nothing is packed, uploaded or
 * unpacked, except what the package itself has compressed.
 * @param from the module's folder.
 * @throws ConfigError `PACKAGE_MISSING`, `ASSETS_MISSING` naming a file that is not in the package.
 */
export function referToFiles(
  packed: PackedFiles,
  ofFunction: string,
  from: string,
  archive: string,
): void {
  if (packed.files.some(isPackedAnew)) {
    // A function would unpack it at each start.
    packFiles(packed, ofFunction, from, archive);
    return;
  }
  const root = findPackage(packed.package, from) ?? missingPackage(packed.package, ofFunction);
  for (const file of packed.files)
    requireFile(join(root, packed.from, file), file, packed, ofFunction);
  const { version } = readManifest(root);
  const place: FilesInPlace = { folder: join(root, packed.from), version };
  const target = join(archive, 'assets', packed.as);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, PACKED_LIST), JSON.stringify(place));
}

/** Folder of the user for what can be made again. */
function cacheFolder(): string {
  const { SVC_CLOUD_CACHE, XDG_CACHE_HOME } = process.env;
  return join(
    SVC_CLOUD_CACHE ?? XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'svc-cloud',
    'packed',
  );
}

function cacheName(packed: PackedFiles, version: string): string {
  const what = JSON.stringify([FORMAT, LEVEL, packed.from, packed.files]);
  const hash = createHash('sha256').update(what).digest('hex').slice(0, 12);
  return `${packed.package.replaceAll('/', '+')}-${version}-${hash}`;
}

interface PackedSource {
  readonly root: string;
  readonly version: string;
  readonly ofFunction: string;
}

/** Under a name of its own until it is complete: several syntheses may do it at once. */
function fill(folder: string, packed: PackedFiles, source: PackedSource): void {
  const unfinished = `${folder}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const files = packed.files.map((file) => packFile(file, unfinished, packed, source));
    const list: PackedList = { id: createId(files), files };
    writeFileSync(join(unfinished, PACKED_LIST), JSON.stringify(list));
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(unfinished, folder);
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  }
}

function packFile(
  file: string,
  folder: string,
  packed: PackedFiles,
  { root, ofFunction }: PackedSource,
): PackedList['files'][number] {
  const path = join(root, packed.from, file);
  requireFile(path, file, packed, ofFunction);
  const { name, bytes } = contentOf(file, readFileSync(path));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  // Compressed files do not get smaller.
  const isPacked = bytes.length >= MIN_PACKED_BYTES && !BROTLI.test(name);
  writeFileSync(join(folder, isPacked ? `${name}.zst` : name), isPacked ? compress(bytes) : bytes);
  return { name, bytes: bytes.length, sha256, isPacked };
}

const isPackedAnew = (file: string): boolean => BROTLI.test(file) && !file.endsWith('.tar.br');

/** One file that a package has compressed by Brotli is packed as it was before: zstd unpacks in a fraction of the time. */
function contentOf(file: string, bytes: Buffer): { readonly name: string; readonly bytes: Buffer } {
  if (!isPackedAnew(file)) return { name: file, bytes };
  return { name: file.replace(BROTLI, ''), bytes: brotliDecompressSync(bytes) };
}

function requireFile(
  path: string,
  file: string,
  { package: owner }: PackedFiles,
  ofFunction: string,
): void {
  if (existsSync(path)) return;
  const reason = `packs ${file} of ${owner}, which is not there`;
  throw new ConfigError([error('ASSETS_MISSING', `function ${ofFunction}`, reason)]);
}

const compress = (bytes: Buffer): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });

const createId = (files: PackedList['files']): string =>
  createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
