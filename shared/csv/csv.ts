import { stringify } from 'csv-stringify/sync';

/** A cell that a spreadsheet would interpret as a formula, or that looks escaped. */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Prevents spreadsheets from evaluating a text as a formula (CSV injection). */
export const guard = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
/** Removes the escape. */
export const unguard = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

/** Byte order mark, by which spreadsheets know UTF-8. */
const BOM = '\ufeff';

/** The first line of a CSV file. */
export function csvHead(columns: readonly string[]): string {
  return BOM + stringify([[...columns]], { record_delimiter: 'windows' });
}

/** Lines of a CSV file. An empty text is quoted, a missing value is not; other values than texts and numbers are JSON. */
export function csvLines(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(toCell));
  return stringify(cells, { record_delimiter: 'windows', quoted_string: true });
}

function toCell(value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return guard(value);
  return typeof value === 'number' ? value : guard(JSON.stringify(value));
}
