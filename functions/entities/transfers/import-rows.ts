import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { readJson, readNdjson, recordsOf } from '../domain/transfer/json-lines.ts';
import { readUtf8 } from '../domain/transfer/utf8.ts';
import type { TransferFormat } from './exports/export-file.ts';

/** Loaded for files of that format. */
const csv = () => import('../domain/transfer/csv.ts');

/** One row of a file that is imported. */
export interface ImportRow {
  readonly row: number;
  readonly body: JsonObject;
}

/** A file that was sent; JSON that is the body of a request is parsed already. */
export type SentFile =
  | { readonly bytes: Buffer; readonly format: TransferFormat }
  | { readonly parsed: unknown };

/** The records of a file. @throws Problem `IMPORT_INVALID` (400) */
export async function readBodies(model: EntityModel, file: SentFile): Promise<JsonObject[]> {
  if ('parsed' in file) return recordsOf(file.parsed);
  const { format } = file;
  const text = readUtf8(file.bytes);
  if (format === 'csv') return (await csv()).readCsv(text, model);
  return format === 'json' ? readJson(text) : readNdjson(text);
}
