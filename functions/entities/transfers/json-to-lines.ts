import { randomUUID } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import { JobFailure } from '../../../shared/jobs/job.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { readJson } from '../domain/transfer/json-lines.ts';
import { readUtf8 } from '../domain/transfer/utf8.ts';

/** Largest file of JSON, which is read as a whole. */
export const MAX_JSON_BYTES = 16 * 1_024 * 1_024;

/** Where the lines of a JSON file are. */
export const linesPath = (object: string): string => `${object}.lines`;

/** The records of a JSON file, one on each line. @throws Problem `IMPORT_INVALID` (400) */
export async function linesOfJson(
  files: Files,
  object: string,
): Promise<{ readonly lines: Buffer; readonly count: number }> {
  const file = await files.read(object, MAX_JSON_BYTES);
  if (!file) throw new JobFailure('The file is gone.');
  const records = readJson(readUtf8(file.body));
  return { lines: toLines(records), count: records.length };
}

/**
 * Records as lines. Numbers beyond the range of a double, which JSON texts can name, stay what they are, and records
 * that nest too deeply to be written stay too deep.
 */
export function toLines(records: readonly JsonObject[]): Buffer {
  const mark = randomUUID();
  const keep = (_key: string, value: unknown): unknown =>
    value === Number.POSITIVE_INFINITY
      ? `${mark}+`
      : value === Number.NEGATIVE_INFINITY
        ? `${mark}-`
        : value;
  const text = records.map((record) => `${JSON.stringify(writable(record), keep)}\n`).join('');
  return Buffer.from(text.replaceAll(`"${mark}+"`, '1e999').replaceAll(`"${mark}-"`, '-1e999'));
}

/** Levels that are kept: more than a record may have, so one that nests too deeply is still refused. */
const KEPT_LEVELS = 100;

function writable(value: unknown, levels = KEPT_LEVELS): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return levels === 0 ? [] : value.map((each) => writable(each, levels - 1));
  }
  const entries = levels === 0 ? [] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, writable(each, levels - 1)]));
}
