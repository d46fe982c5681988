import { gunzip, gzip } from 'node:zlib';
import type { Files } from '../../../shared/files/files.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { promisify } from '../../../shared/primitives/node/node-functions.ts';

/** A JSON value in an item: as text, compressed, or the path of the object with it. */
export type Packed =
  | { readonly json: string }
  | { readonly zip: Uint8Array }
  | { readonly object: string };

/** A text below this is not worth compressing, in characters. */
const SMALL = 2_048;
/** What an item holds beside its other attributes, in bytes. */
const MAX_ITEM_BYTES = 300_000;
/** More than the engine lets a state or an entry of history grow to. */
const MAX_OBJECT_BYTES = 64 * 1_024 * 1_024;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Where a value goes. */
export interface PackTarget {
  /** Folder of its object, if it becomes one. */
  readonly folder: string;
  /** What the item has room for. */
  readonly maxBytes?: number | undefined;
  /** Called with the path of the object before it is written. */
  readonly announce: (object: string) => Promise<void>;
}

/** Places JSON values in items, and those that are too large for one in the bucket. */
export class Packer {
  readonly #files: Files;
  readonly #ids: IdGenerator;

  constructor({ files, ids }: { files: Files; ids: IdGenerator }) {
    this.#files = files;
    this.#ids = ids;
  }

  /** A value that does not fit its item is written to an object at once, under a name of its own. */
  async pack(value: unknown, { folder, maxBytes, announce }: PackTarget): Promise<Packed> {
    const json = JSON.stringify(value);
    if (json.length < SMALL) return { json };
    const bytes = await zip(json);
    if (bytes.length <= (maxBytes ?? MAX_ITEM_BYTES)) return { zip: bytes };
    const object = `workflow/cases/${folder}/${this.#ids()}.json.gz`;
    await announce(object);
    await this.#files.write(object, bytes, 'application/gzip');
    return { object };
  }

  /** @throws MissingObjectError when the bucket has it no more */
  async unpack(packed: Packed): Promise<unknown> {
    if ('json' in packed) return JSON.parse(packed.json);
    const bytes = 'zip' in packed ? packed.zip : await this.#read(packed.object);
    return JSON.parse((await unzip(bytes)).toString());
  }

  /** Deletes the object of a value that is needed no more, if it has one. */
  async discard(packed: Packed | undefined): Promise<void> {
    if (packed && 'object' in packed) await this.#files.delete(packed.object);
  }

  async #read(object: string): Promise<Uint8Array> {
    const file = await this.#files.read(object, MAX_OBJECT_BYTES);
    if (!file) throw new MissingObjectError(object);
    return file.body;
  }
}

/** An object that an item names is gone: another command has replaced it meanwhile. */
export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';

  constructor(object: string) {
    super(`The bucket has no ${object}`);
  }
}

/** The members of an item that hold a packed value. */
export function packedIn({ json, zip: bytes, object }: Readonly<Record<string, unknown>>): Packed {
  if (typeof json === 'string') return { json };
  if (bytes instanceof Uint8Array) return { zip: bytes };
  return { object: String(object) };
}
