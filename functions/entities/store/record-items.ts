import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { versionIs } from '../../../shared/store/conditions.ts';
import type { Condition, Item, Key, StorableItem } from '../../../shared/store/table.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { ID_SEPARATOR, type IndexRow, rowSortKey } from '../domain/records/index-rows.ts';
import { laneOf } from '../domain/records/lanes.ts';
import type { LeftOver } from '../domain/records/loaded-record.ts';
import type { TreeRow } from '../domain/records/write-plan.ts';

/*
 * Access patterns (e: entity code)
 *   one record with large values    query  DYN_RECORD#<e>#<id> / R, DYN_FIELD_VALUE#<field>, DYN_FILE#<file>, PENDING
 *   records of a list               batch  DYN_RECORD#<e>#<id> / R
 *   rows of an index                query  DYN_FIELD_VALUE#<e>#<index>#<lane> / <key> US <id>
 *   holder of a unique value        get    DYN_UNIQUE#<e>#<constraint>#<key> / U
 *   counters                        query  DYN_COUNTER#<e>[#<shard>] / 00..15
 *   trash, newest deletion first    query  DYN_TRASH#<e> / <deletedAt> US <id>, reverse
 *   tree, children of a node        query  DYN_TREE#<e> / <parentId or !> US <key> US <id>
 *   tree moves, one after the other update DYN_TREE#<e>#LOCK / L
 *   announcements to refer to it    query  DYN_REFERRING#<e>#<id> / <token>
 *   history, newest first           query  DYN_HISTORY#<e>#<id> / <9 digits>, reverse
 */
export const recordPartition = (entity: string, id: string): string => `DYN_RECORD#${entity}#${id}`;
export const recordKey = (entity: string, id: string): Key => ({
  pk: recordPartition(entity, id),
  sk: 'R',
});
export const spillKey = (entity: string, id: string, field: string): Key => ({
  pk: recordPartition(entity, id),
  sk: `DYN_FIELD_VALUE#${field}`,
});
export const fileKey = (entity: string, id: string, fileId: string): Key => ({
  pk: recordPartition(entity, id),
  sk: `DYN_FILE#${fileId}`,
});
export const pendingKey = (entity: string, id: string): Key => ({
  pk: recordPartition(entity, id),
  sk: 'PENDING',
});
/** Work that a change has left to do besides its record. */
export function pendingItem(entity: string, { id, rows, token, entry }: LeftOver): StorableItem {
  if (rows === 'journal') return { ...pendingKey(entity, id), type: 'DYN_RECORD', token, entry };
  const packed = gzipSync(JSON.stringify(rows));
  return { ...pendingKey(entity, id), type: 'DYN_RECORD', rows: packed, token, entry };
}
export function toLeftOver(id: string, item: Item): LeftOver {
  const { rows, token, entry } = item as unknown as {
    rows?: Uint8Array;
    token: string;
    entry: string;
  };
  if (!rows) return { id, rows: 'journal', token, entry };
  return { id, rows: JSON.parse(gunzipSync(rows).toString()) as IndexRow[], token, entry };
}
export const indexPartition = (entity: string, index: string, lane: string): string =>
  `DYN_FIELD_VALUE#${entity}#${index}#${lane}`;
const MAX_PARTITION_BYTES = 2_048;
export function claimKey(entity: string, constraint: string, key: string): Key {
  const pk = `DYN_UNIQUE#${entity}#${constraint}#${key}`;
  const isKey = Buffer.byteLength(pk) <= MAX_PARTITION_BYTES;
  return { pk: isKey ? pk : `DYN_UNIQUE#${entity}#sha256:${sha256(pk)}`, sk: 'U' };
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const counterPartition = (entity: string, shard: number): string =>
  shard === 0 ? `DYN_COUNTER#${entity}` : `DYN_COUNTER#${entity}#${shard}`;
export const counterPartitions = (entity: string, shards: number): string[] =>
  Array.from({ length: shards }, (_, shard) => counterPartition(entity, shard));
/** @param item number of one of the `COUNTER_ITEMS`, which are spread over the shards */
export const counterKey = (entity: string, shards: number, item: number): Key => ({
  pk: counterPartition(entity, item % shards),
  sk: String(item).padStart(2, '0'),
});
export const trashPartition = (entity: string): string => `DYN_TRASH#${entity}`;
export const trashKey = (entity: string, deletedAt: string, id: string): Key => ({
  pk: trashPartition(entity),
  sk: deletedAt + ID_SEPARATOR + id,
});
export const treePartition = (entity: string): string => `DYN_TREE#${entity}`;
export const ROOT = '!';
export const treeKey = (entity: string, { parentId = ROOT, key }: TreeRow, id: string): Key => ({
  pk: treePartition(entity),
  sk: [parentId, key, id].join(ID_SEPARATOR),
});
export const treeLockKey = (entity: string): Key => ({
  pk: `${treePartition(entity)}#LOCK`,
  sk: 'L',
});
export const announcementPartition = (entity: string, id: string): string =>
  `DYN_REFERRING#${entity}#${id}`;
export const historyPartition = (entity: string, id: string): string =>
  `DYN_HISTORY#${entity}#${id}`;

/** Rows of an entry of the journal of early rows. */
export const journalPartition = (token: string): string => `DYN_ROW_JOURNAL#${token}`;
export const journalKey = (token: string, part: number): Key => ({
  pk: journalPartition(token),
  sk: String(part).padStart(3, '0'),
});

/** Number of counter items, to reduce write conflicts. */
export const COUNTER_ITEMS = 16;

export type HeaderItem = Item & { readonly v: string; readonly sv: number };

/**
 * A record has what the generation that it was written by says, a mark says who is deleting it, and its cipher texts
 * are given newer keys, and whether others announce themselves says where a deletion looks, so all of these belong to what
 * was seen.
 */
export function isUnchanged(seen: RecordHeader | undefined): Condition {
  if (!seen) return versionIs(0);
  const { expression, names, values } = versionIs(seen.version);
  const { generation, deleting, seals, contended } = seen;
  const mark = deleting ? 'deleting = :seenMark' : 'attribute_not_exists(deleting)';
  const sealed = seals === undefined ? 'attribute_not_exists(seals)' : 'seals = :seenSeals';
  const announced = contended ? '' : ' AND attribute_not_exists(contended)';
  return {
    expression: `${expression} AND sv = :seenSchema AND ${mark} AND ${sealed}${announced}`,
    ...(names && { names }),
    values: {
      ...values,
      ':seenSchema': generation,
      ...(deleting && { ':seenMark': deleting }),
      ...(seals !== undefined && { ':seenSeals': seals }),
    },
  };
}

/** A row and its record. */
export interface RowOfRecord {
  readonly row: IndexRow;
  readonly id: string;
}

export function rowKey(entity: string, shards: number, row: IndexRow, id: string): Key {
  return {
    pk: indexPartition(entity, row.index, laneOf(row, id, shards)),
    sk: rowSortKey(row, id),
  };
}

export function rowItem(entity: string, shards: number, row: IndexRow, id: string): StorableItem {
  const key = rowKey(entity, shards, row, id);
  return { ...key, x: row.text };
}

export function toItem(entity: string, header: RecordHeader): Item {
  const { id, values, generation, spilled, objects: _objects, stored: _stored, ...rest } = header;
  return {
    ...recordKey(entity, id),
    type: 'DYN_RECORD',
    ...rest,
    // JSON text preserves values exactly, whatever their size or precision.
    v: JSON.stringify(values),
    sv: generation,
    ...(spilled && spilled.length > 0 ? { spilled } : {}),
  };
}

export function toHeader(
  id: string,
  { pk, sk, type, v, sv, ttl, ...rest }: HeaderItem,
): RecordHeader {
  return {
    ...(rest as unknown as Omit<RecordHeader, 'id' | 'values' | 'generation'>),
    id,
    values: JSON.parse(v) as RecordHeader['values'],
    generation: sv,
  };
}
