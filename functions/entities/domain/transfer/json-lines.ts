import { problems } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../entity/json.ts';

/** Reads the records of a JSON file: a list, or a page as lists answer it. @throws Problem `IMPORT_INVALID` (400) */
export function readJson(text: string): JsonObject[] {
  const given = parse(text, 1);
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
    .map(({ line, row }) => asRecord(parse(line, row), row));
}

/** Reads the record of one line. @param place names the line in the problem. @throws Problem `IMPORT_INVALID` (400) */
export function readLine(line: string, place: string): JsonObject {
  return asRecord(parse(line, place), place);
}

function parse(text: string, row: number | string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw problems.importInvalid({ detail: `Record ${row} is not valid JSON.` }, { cause });
  }
}

function asRecord(value: unknown, row: number | string): JsonObject {
  if (isJsonObject(value)) return value;
  throw problems.importInvalid({ detail: `Record ${row} is not an object.` });
}
