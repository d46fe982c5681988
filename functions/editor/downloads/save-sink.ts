import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Files, PartedFile } from '../../../shared/files/files.ts';

/** Most of a document that is in memory at once; larger ones go to the storage in parts as they arrive. */
const MOST_IN_MEMORY = 25 * 1_024 * 1_024;
const PART_BYTES = 8 * 1_024 * 1_024;

/** A document that has arrived. */
export type Arrived =
  | { readonly kind: 'whole'; readonly bytes: Buffer; readonly hash: string }
  | {
      readonly kind: 'parts';
      readonly file: PartedFile;
      readonly sizeBytes: number;
      readonly hash: string;
    };

/** How much of a document is in memory. */
export interface MemoryLimits {
  /** Bytes that are kept in memory before parts are written; default: 25 MiB. */
  readonly mostInMemory?: number;
  /** Bytes of a part; default: 8 MiB. */
  readonly partBytes?: number;
}

/** Where a document that is too large for the memory goes to. */
interface PartsPlace extends MemoryLimits {
  readonly files: Files;
  /** Asked once parts are written. */
  readonly path: () => Promise<string>;
  readonly contentType: string;
}

/** Takes a download: into memory, or into parts of a file once it is too large for that. */
export class SaveSink {
  readonly #place: PartsPlace;
  readonly #hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #held = 0;
  #total = 0;
  #file: PartedFile | undefined;

  constructor(place: PartsPlace) {
    this.#place = place;
  }

  /** What the download is written to. */
  writable(): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => {
        this.#take(chunk).then(
          () => done(),
          (error: Error) => done(error),
        );
      },
    });
  }

  /** The document; its last part is written. */
  async arrived(): Promise<Arrived> {
    const hash = this.#hash.digest('hex');
    if (!this.#file) return { kind: 'whole', bytes: Buffer.concat(this.#chunks), hash };
    if (this.#held > 0) await this.#flush(this.#file);
    return { kind: 'parts', file: this.#file, sizeBytes: this.#total, hash };
  }

  /** Removes parts that are left: of a document that is not stored, or lies there already. */
  async drop(): Promise<void> {
    if (this.#file) await this.#place.files.dropParts(this.#file);
  }

  async #take(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    this.#total += chunk.length;
    const { mostInMemory = MOST_IN_MEMORY, partBytes = PART_BYTES } = this.#place;
    if (!this.#file && this.#total > mostInMemory) {
      const { files, path, contentType } = this.#place;
      this.#file = await files.beginParts(await path(), contentType);
    }
    if (this.#file && this.#held >= partBytes) await this.#flush(this.#file);
  }

  async #flush(file: PartedFile): Promise<void> {
    const part = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#held = 0;
    this.#file = await this.#place.files.writePart(file, part);
  }
}
