import { createHash } from 'node:crypto';
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
  /** Whether no row before it in the same step has its id. */
  readonly isFirst?: boolean;
}

/** Ids are derived from job and row, so that a repeated step creates no duplicates. */
export function withId({ row, body }: ImportRow, jobId: string): ImportRow {
  if (body.id !== undefined) return { row, body };
  const order = row.toString(16).padStart(6, '0');
  const rest = createHash('sha256').update(`${jobId}#${row}`).digest('hex').slice(0, 12);
  const id = `${jobId.slice(0, 13)}-7${order.slice(0, 3)}-8${order.slice(3, 6)}-${rest}`;
  return { row, body: { ...body, id } };
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
