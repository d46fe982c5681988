import type { Files } from '../../../shared/files/files.ts';
import { JobFailure } from '../../../shared/jobs/job.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { CsvPlace } from '../domain/transfer/csv-stream.ts';
import { readNdjsonStream } from '../domain/transfer/ndjson-stream.ts';
import type { ImportRow } from './import-rows.ts';

/** Formats that can be read from any row on. */
type LineFormat = 'csv' | 'ndjson';

/** Loaded for files of that format. */
const csvStream = () => import('../domain/transfer/csv-stream.ts');

/** Rows that may refer to each other, as in a call; a step imports as many of them as it has time for. And the bytes of the file that they may take. */
const CHUNK_ROWS = 500;
const CHUNK_BYTES = 8 * 1_024 * 1_024;

/** Where the next row of a file begins. */
export interface FilePosition extends CsvPlace {
  /** Rows before it. */
  readonly row: number;
}

/** The next rows of a file. */
export interface FileChunk {
  readonly rows: readonly ImportRow[];
  /** Where each of the rows ends. */
  readonly ends: readonly FilePosition[];
  readonly isLast: boolean;
}

/** A stored file that is imported step by step. */
export class ImportFile {
  readonly #files: Files;
  readonly #object: string;
  readonly #format: LineFormat;
  readonly #model: EntityModel;

  constructor(
    files: Files,
    model: EntityModel,
    { object, format }: { readonly object: string; readonly format: LineFormat },
  ) {
    this.#files = files;
    this.#model = model;
    this.#object = object;
    this.#format = format;
  }

  /** The rows of a step: at most 500, and 8 MiB unless one row is larger. @throws Problem `IMPORT_INVALID` (400) */
  async chunk(from: FilePosition): Promise<FileChunk> {
    const rows: ImportRow[] = [];
    const ends: FilePosition[] = [];
    let next = from;
    for await (const { body, place } of this.#rows(from)) {
      if (rows.length >= CHUNK_ROWS || next.byte - from.byte >= CHUNK_BYTES) {
        return { rows, ends, isLast: false };
      }
      rows.push({ row: next.row + 1, body });
      next = { ...place, row: next.row + 1 };
      ends.push(next);
    }
    return { rows, ends, isLast: true };
  }

  async *#rows(from: FilePosition): AsyncGenerator<{ body: JsonObject; place: CsvPlace }> {
    const file = await this.#files.open(this.#object, from.byte);
    if (!file) throw new JobFailure('The file is gone.');
    yield* this.#format === 'csv'
      ? (await csvStream()).readCsvStream(file.bytes, this.#model, from)
      : readNdjsonStream(file.bytes, from.byte);
  }
}
