import { parse } from 'csv-parse/sync';
import { unguard } from '../../../../shared/csv/csv.ts';
import { problems } from '../../errors.ts';
import type { EntityModel } from '../definitions/model.ts';
import type { FieldDefinition } from '../entity/field.ts';
import type { JsonObject } from '../entity/json.ts';

/** A cell that holds nothing, not even quotes. */
const EMPTY = Symbol('empty');
/** A cell as it was parsed. */
export type CsvCell = string | typeof EMPTY;

/** Longest first line: a job keeps it. */
const MAX_HEAD_BYTES = 200_000;

/** How CSV is read. */
export const CSV_RULES = {
  relax_column_count: true,
  skip_empty_lines: true,
  cast: (value: string, { quoting }: { readonly quoting: boolean }): CsvCell =>
    value === '' && !quoting ? EMPTY : value,
} as const;

/**
 * Reads the records of a CSV file; its first line names the fields.
 * @throws Problem `IMPORT_INVALID` (400)
 */
export function readCsv(text: string, model: EntityModel): JsonObject[] {
  let rows: CsvCell[][];
  try {
    rows = parse(text, { ...CSV_RULES, bom: true } as never) as unknown as CsvCell[][];
  } catch (cause) {
    const detail =
      cause instanceof Error ? cause.message.slice(0, 200) : 'The file is not valid CSV.';
    throw problems.importInvalid({ detail }, { cause });
  }
  const [head = [], ...lines] = rows;
  const columns = readHead(head);
  return lines.map((cells, at) => readCells(columns, cells, at + 1, model));
}

/** The names in the first line. @throws Problem `IMPORT_INVALID` (400) */
export function readHead(cells: readonly CsvCell[]): string[] {
  const columns = cells.map(String);
  if (columns.length === 0)
    throw problems.importInvalid({ detail: 'The first line must name the fields.' });
  const bytes = Buffer.byteLength(columns.join());
  if (bytes > MAX_HEAD_BYTES) {
    const detail = `The first line has ${bytes} bytes; at most ${MAX_HEAD_BYTES} are read.`;
    throw problems.importInvalid({ detail });
  }
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) {
    throw problems.importInvalid({ detail: `The first line names ${twice.slice(0, 80)} twice.` });
  }
  return columns;
}

/** The record of a row. @throws Problem `IMPORT_INVALID` (400) */
export function readCells(
  columns: readonly string[],
  cells: readonly CsvCell[],
  row: number,
  model: EntityModel,
): JsonObject {
  if (cells.length > columns.length) {
    const detail = `Row ${row} has more cells than the first line has fields.`;
    throw problems.importInvalid({ detail });
  }
  return Object.fromEntries(
    columns.flatMap((column, at) => {
      const cell = cells[at];
      return typeof cell === 'string'
        ? [[column, fromCell(unguard(cell), model.field(column))]]
        : [];
    }),
  );
}

/** A cell in the type of its field; one that does not fit stays a text and is refused by the schema. */
function fromCell(text: string, field: FieldDefinition | undefined): unknown {
  switch (field?.dataType) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === '1'
        ? true
        : text === 'false' || text === '0'
          ? false
          : text;
    case 'array':
      return fromJson(text) ?? text.split('|').filter(Boolean);
    case 'object':
    case 'any':
      return fromJson(text) ?? text;
    default:
      return text;
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
