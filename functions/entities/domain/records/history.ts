import type { JsonObject } from '../entity/json.ts';
import type { HistoryEntry } from '../entity/record.ts';

/** Longest text of a value in the history, in characters of its JSON. */
const MAX_EXCERPT = 1_000;
/** All values of an entry: an item holds 400 KB. */
const MAX_ENTRY_BYTES = 200_000;

/** Changed fields with their values, shortened so that an entry can be stored whatever the number of fields. */
export function historyOf(
  fields: readonly string[],
  before: JsonObject,
  after: JsonObject,
): HistoryEntry['changes'] {
  for (let longest = MAX_EXCERPT; ; longest = Math.floor(longest / 2)) {
    const changes = fields.map((field) => ({
      field,
      before: excerpt(before[field], longest),
      after: excerpt(after[field], longest),
    }));
    const bytes = Buffer.byteLength(JSON.stringify(changes));
    if (bytes <= MAX_ENTRY_BYTES) return changes;
    if (longest <= 1) return fields.map((field) => ({ field }));
  }
}

function excerpt(value: unknown, longest: number): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || text.length <= longest) return value;
  return `${text.slice(0, longest).toWellFormed()}...`;
}
