import { describeJsonError } from '../../../../shared/problems/json-error.ts';
import { problems } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../entity/json.ts';

/** Reads the records of a JSON file: a list, or a page as lists answer it. @throws Problem `IMPORT_INVALID` (400) */
export function readJson(text: string): JsonObject[] {
  return recordsOf(parse(text, { subject: 'The file' }));
}

/** The records of a JSON file that has been parsed. @throws Problem `IMPORT_INVALID` (400) */
export function recordsOf(given: unknown): JsonObject[] {
  const list = isJsonObject(given) && Array.isArray(given.content) ? given.content : given;
  if (!Array.isArray(list))
    throw problems.importInvalid({ detail: 'The file must contain a list of records.' });
  return list.map((entry: unknown, at) => asRecord(entry, at + 1));
}

/** Reads one record from each line. @throws Problem `IMPORT_INVALID` (400) */
export function readNdjson(text: string): JsonObject[] {
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ line: line.trim(), row: at + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, row }) => readLine(line, row));
}

/** Reads the record of one line. @param place names the line in the problem. @throws Problem `IMPORT_INVALID` (400) */
export function readLine(line: string, place: number | string): JsonObject {
  return asRecord(parse(line, { subject: `Record ${place}`, isLine: true }), place);
}

function parse(given: string, naming: Parameters<typeof describeJsonError>[1]): unknown {
  const text = given.replace(/^\ufeff/, '');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw problems.importInvalid({ detail: describeJsonError(text, naming) }, { cause });
  }
}

function asRecord(value: unknown, row: number | string): JsonObject {
  if (isJsonObject(value)) return value;
  throw problems.importInvalid({ detail: `Record ${row} is not an object.` });
}
