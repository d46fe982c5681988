import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { Files, PartedFile } from '../../../shared/files/files.ts';

/** Parts of a file but the last have this size; S3 takes none below 5 MiB. */
const PART_BYTES = 6 * 1_024 * 1_024;
const COMPRESSED = /\.(?:docx|pdf)$/;

/** Writes a ZIP archive in parts: no more than one part and one entry is in memory. */
export class ArchiveWriter {
  readonly #files: Pick<Files, 'writePart'>;
  readonly #zip: Zip;
  readonly #at: Date;
  #file: PartedFile;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** @param at time of the entries, so that the same ones make the same archive */
  constructor(files: Pick<Files, 'writePart'>, file: PartedFile, at: Date) {
    this.#files = files;
    this.#file = file;
    this.#at = at;
    this.#zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    });
  }

  async add(name: string, content: Uint8Array): Promise<void> {
    const entry = COMPRESSED.test(name) ? new ZipPassThrough(name) : new ZipDeflate(name);
    entry.mtime = this.#at;
    this.#zip.add(entry);
    entry.push(content, true);
    while (this.#bytes >= PART_BYTES) await this.#flush(PART_BYTES);
  }

  /** @returns the file with all its parts */
  async end(): Promise<PartedFile> {
    this.#zip.end();
    while (this.#bytes > PART_BYTES) await this.#flush(PART_BYTES);
    await this.#flush(this.#bytes);
    return this.#file;
  }

  async #flush(bytes: number): Promise<void> {
    const all = Buffer.concat(this.#chunks);
    this.#file = await this.#files.writePart(this.#file, all.subarray(0, bytes));
    this.#chunks = [all.subarray(bytes)];
    this.#bytes = all.length - bytes;
  }
}
