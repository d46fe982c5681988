import { Readable } from 'node:stream';
import { type Info, parse } from 'csv-parse';
import { problems } from '../../errors.ts';
import type { EntityModel } from '../definitions/model.ts';
import type { JsonObject } from '../entity/json.ts';
import { CSV_RULES, type CsvCell, readCells, readHead } from './csv.ts';
import { checkedUtf8 } from './utf8.ts';

/** Largest row in characters: no larger record can be stored. */
const MAX_ROW_LENGTH = 8 * 1_024 * 1_024;

/** Start of a row in a CSV file, with the parsed header. */
export interface CsvPlace {
  readonly byte: number;
  /** Names in the first line; none: the place is before it. */
  readonly columns?: readonly string[];
  /** What ends a row. */
  readonly delimiters?: readonly string[];
}

interface ParsedRecord {
  readonly info: Info;
  readonly record: readonly CsvCell[];
}

/**
 * Reads the records of a CSV file from a place on, and where each ends.
 * @param bytes the file from that place on.
 * @throws Problem `IMPORT_INVALID` (400)
 */
export async function* readCsvStream(
  bytes: AsyncIterable<Uint8Array>,
  model: EntityModel,
  from: CsvPlace,
): AsyncGenerator<{ body: JsonObject; place: CsvPlace }> {
  const parser = parse({
    ...CSV_RULES,
    bom: from.byte === 0,
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    ...(from.delimiters && { record_delimiter: [...from.delimiters] }),
  });
  const source = Readable.from(checkedUtf8(bytes));
  source.once('error', (error) => parser.destroy(error));
  parser.once('close', () => source.destroy());
  source.pipe(parser);
  let { columns, delimiters } = from;
  let row = 0;
  try {
    for await (const { info, record } of parser as AsyncIterable<ParsedRecord>) {
      if (!columns) {
        columns = readHead(record);
        delimiters = (parser.options.record_delimiter as readonly Buffer[]).map(String);
        continue;
      }
      row += 1;
      const place = { byte: from.byte + info.bytes, columns, ...(delimiters && { delimiters }) };
      yield { body: readCells(columns, record, row, model), place };
    }
  } catch (cause) {
    throw asProblem(cause);
  }
  if (!columns) readHead([]);
}

/** Mistakes in the file, as the parser names them (`CSV_QUOTE_NOT_CLOSED`). */
function asProblem(cause: unknown): unknown {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return cause;
  return problems.importInvalid({ detail: String(message).slice(0, 200) }, { cause });
}
