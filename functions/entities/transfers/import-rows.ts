import { createHash } from 'node:crypto';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { readJson, readNdjson } from '../domain/transfer/json-lines.ts';
import { problems } from '../errors.ts';
import type { TransferFormat } from './export-file.ts';

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

/** The rows of a file. @throws Problem `IMPORT_INVALID` (400) */
export async function readRows(
  model: EntityModel,
  bytes: Buffer,
  format: TransferFormat,
): Promise<ImportRow[]> {
  const text = readUtf8(bytes);
  const bodies = await bodiesOf(text, model, format);
  return bodies.map((body, at) => ({ row: at + 1, body }));
}

async function bodiesOf(text: string, model: EntityModel, format: TransferFormat) {
  if (format === 'csv') return (await csv()).readCsv(text, model);
  return format === 'json' ? readJson(text) : readNdjson(text);
}

/** The text of a file. @throws Problem `IMPORT_INVALID` (400) */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw problems.importInvalid({ detail: 'The file is not UTF-8.' }, { cause });
  }
}
