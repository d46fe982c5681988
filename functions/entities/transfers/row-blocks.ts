import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { knotsOf } from '../domain/transfer/knots.ts';
import { codecOf } from '../domain/values/codecs.ts';
import type { ImportRow } from './import-rows.ts';

/** Rows of a block: the new ones among them are stored in groups, before the others. */
const BLOCK_ROWS = { insert: 100, upsert: 25 } as const;

interface Found {
  readonly mode: 'insert' | 'upsert';
  readonly key: string;
}

/**
 * Rows in the blocks in which they are imported, one after the other: each behind those that it refers to, and none together
 * with one before it that has its key, which may make its record. Blocks rest on the rows alone, so that a step which is
 * repeated does the same.
 */
export function blocksOf(
  model: EntityModel,
  rows: readonly ImportRow[],
  { mode, key }: Found,
): readonly (readonly ImportRow[])[] {
  const knots = knotsOf(
    rows,
    ({ body: { id } }) => (typeof id === 'string' ? id.toLowerCase() : undefined),
    ({ body }) => targetsOf(model, body),
  );
  const nameOf = ({ body }: ImportRow): string | undefined =>
    mode === 'upsert' ? keyOf(model, key, body[key]) : undefined;
  const blocks: ImportRow[][] = [];
  let block: ImportRow[] = [];
  let names = new Set<unknown>();
  const begin = (): void => {
    block = [];
    names = new Set();
    blocks.push(block);
  };
  for (const knot of knots) {
    if (blocks.length === 0 || block.length + knot.length > BLOCK_ROWS[mode]) begin();
    for (const row of knot) {
      // A row without a key is like no other.
      const name = nameOf(row) ?? row;
      if (names.has(name)) begin();
      names.add(name);
      block.push(row);
    }
  }
  return blocks;
}

/** Ids of records of the same entity that a row refers to. */
function targetsOf({ code, definition }: EntityModel, body: JsonObject): string[] {
  const fields = definition.fields.filter(({ reference }) => reference?.entity === code);
  return [...fields.map((field) => field.code), 'parentId']
    .flatMap((name) => body[name])
    .flatMap((id) => (typeof id === 'string' ? [id.toLowerCase()] : []));
}

/** The same for all spellings of a key. */
function keyOf(model: EntityModel, key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (key === 'id') return String(value).toLowerCase();
  const field = model.field(key);
  const codec = field && codecOf(field);
  const read = codec?.read(value) ?? value;
  return (codec?.isExact && codec.encode(read)) || String(read).normalize();
}
