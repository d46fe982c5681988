import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { lifeOf, totalNames } from '../domain/definitions/generations.ts';
import type { EntityDefinition } from '../domain/entity/entity.ts';
import type { LargeValue, RecordHeader, TreeNodeRow } from '../domain/entity/record.ts';
import { ID_INDEX, ID_SEPARATOR } from '../domain/records/index-rows.ts';
import type { LoadedRecord } from '../domain/records/loaded-record.ts';
import { wholeIndex } from '../domain/search/ranges.ts';
import type { Counters, DeletedRow, RowRequest, StoredRow } from '../domain/search/source.ts';
import { isUuid } from '../domain/values/ids.ts';
import {
  COUNTER_ITEMS,
  claimKey,
  counterPartitions,
  fileKey,
  type HeaderItem,
  indexPartition,
  ROOT,
  type RowOfRecord,
  recordKey,
  recordPartition,
  rowItem,
  rowKey,
  spillKey,
  toHeader,
  toLeftOver,
  trashKey,
  trashPartition,
  treeLockKey,
  treePartition,
} from './record-items.ts';
import { placesOf } from './row-places.ts';

/** Stored records with their rows, claims and counters. */
export class RecordRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;

  constructor({ table, batchWrite }: { table: Table; batchWrite: BatchWriter }) {
    this.#table = table;
    this.#batchWrite = batchWrite;
  }

  /** A record with its large values, in one request unless they are in the bucket. */
  async load(entity: string, id: string): Promise<LoadedRecord | undefined> {
    const items = await readAll<Item>(this.#table, {
      partition: recordPartition(entity, id),
    });
    const header = items.find(({ sk }) => sk === 'R');
    if (!header) return undefined;
    const large = items
      .filter(({ sk }) => sk.startsWith('DYN_FIELD_VALUE#'))
      .map((item): [string, LargeValue] => [item.sk.slice(16), item as unknown as LargeValue]);
    const pending = items.find(({ sk }) => sk === 'PENDING');
    return {
      header: toHeader(id, header as HeaderItem),
      large: new Map(large),
      files: items.filter(({ sk }) => sk.startsWith(FILE)).map(({ sk }) => sk.slice(FILE.length)),
      ...(pending && { leftOver: toLeftOver(id, pending) }),
    };
  }

  async findHeader(entity: string, id: string): Promise<RecordHeader | undefined> {
    const item = await this.#table.get<HeaderItem>(recordKey(entity, id));
    return item && toHeader(id, item);
  }

  /** A record together with another item, in one request. */
  async findHeaderWith(
    entity: string,
    id: string,
    other: Key,
  ): Promise<{ readonly header: RecordHeader | undefined; readonly other: Item | undefined }> {
    const items = await this.#table.getMany([recordKey(entity, id), other]);
    const header = items.find(({ pk }) => pk === recordPartition(entity, id));
    return {
      header: header && toHeader(id, header as HeaderItem),
      other: items.find(({ pk }) => pk === other.pk),
    };
  }

  async findHeaders(
    entity: string,
    ids: readonly string[],
    consistent: boolean,
  ): Promise<ReadonlyMap<string, RecordHeader>> {
    // Filters and former values of a reference may hold any text; only ids are looked up.
    const keys = [...new Set(ids)].filter(isUuid).map((id) => recordKey(entity, id));
    if (keys.length === 0) return new Map();
    const items = await this.#table.getMany<HeaderItem>(keys, { consistent });
    const skip = recordPartition(entity, '').length;
    return new Map(
      items.map((item) => {
        const id = item.pk.slice(skip);
        return [id, toHeader(id, item)];
      }),
    );
  }

  /** Large values of several records, by `<id>#<field>`. */
  async findLarge(
    entity: string,
    wanted: readonly { readonly id: string; readonly field: string }[],
    consistent = false,
  ): Promise<ReadonlyMap<string, LargeValue>> {
    const found = new Map<string, LargeValue>();
    const keys = wanted.map(({ id, field }) => spillKey(entity, id, field));
    for (const item of await this.#table.getMany(keys, { consistent })) {
      const id = item.pk.slice(recordPartition(entity, '').length);
      found.set(`${id}#${item.sk.slice(16)}`, item as unknown as LargeValue);
    }
    return found;
  }

  async rows(
    entity: string,
    { index, lane, range, reverse, after, limit }: RowRequest,
    consistent: boolean,
  ): Promise<{ readonly rows: readonly StoredRow[]; readonly isEnd: boolean }> {
    const pk = indexPartition(entity, index, lane);
    const { items, lastKey } = await this.#table.query<Key & { x?: string | false }>({
      partition: pk,
      ...placesOf(range, after, pk),
      reverse,
      limit,
      consistent,
    });
    const rows = items.map(({ sk, x }) => (x === undefined ? { sk } : { sk, text: x }));
    return { rows, isEnd: lastKey === undefined };
  }

  /** Ids of the live records of a shard, in their order; strongly consistent. @param after id to continue after */
  async ids(
    entity: string,
    shard: number,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<{ readonly ids: readonly string[]; readonly isEnd: boolean }> {
    const place = { index: ID_INDEX, lane: String(shard), range: wholeIndex };
    const request = { ...place, reverse: false, after, limit };
    const { rows, isEnd } = await this.rows(entity, request, true);
    return { ids: rows.map(({ sk }) => sk), isEnd };
  }

  async claimant(
    entity: string,
    constraint: string,
    key: string,
    consistent: boolean,
  ): Promise<string | undefined> {
    const found = claimKey(entity, constraint, key);
    return (await this.#table.get<Item & { rid: string }>(found, { consistent }))?.rid;
  }

  async counters(definition: EntityDefinition, consistent = false): Promise<Counters> {
    const { code, options } = definition;
    const pages = await Promise.all(
      counterPartitions(code, options.shards).map((partition) =>
        this.#table.query<Item>({ partition, limit: COUNTER_ITEMS, consistent }),
      ),
    );
    const facets: Record<string, number> = {};
    for (const { pk: _pk, sk: _sk, ...counts } of pages.flatMap(({ items }) => items)) {
      for (const [name, count] of Object.entries(counts)) {
        facets[name] = (facets[name] ?? 0) + Number(count);
      }
    }
    const { live, deleted } = totalNames(lifeOf(definition).totals.since);
    return { live: facets[live] ?? 0, deleted: facets[deleted] ?? 0, facets };
  }

  /** Rows of the trash, by default newest deletion first. */
  async trash(
    entity: string,
    {
      after,
      oldestFirst = false,
      limit,
    }: {
      readonly after?: DeletedRow | undefined;
      readonly oldestFirst?: boolean;
      readonly limit: number;
    },
  ): Promise<{ readonly rows: readonly DeletedRow[]; readonly isEnd: boolean }> {
    const { items, lastKey } = await this.#table.query<Key>({
      partition: trashPartition(entity),
      reverse: !oldestFirst,
      consistent: true,
      limit,
      startKey: after && { ...trashKey(entity, after.deletedAt, after.id) },
    });
    const rows = items.map(({ sk }) => {
      const at = sk.indexOf(ID_SEPARATOR);
      return { deletedAt: sk.slice(0, at), id: sk.slice(at + 1) };
    });
    return { rows, isEnd: lastKey === undefined };
  }

  /** Children of a node (of the root without an id), or the whole tree, in the order of siblings. */
  async treeRows(
    entity: string,
    { parentId, limit }: { readonly parentId?: string | null; readonly limit: number },
  ): Promise<readonly TreeNodeRow[]> {
    const found = await readAll<Item & { label: string }>(
      this.#table,
      {
        partition: treePartition(entity),
        ...(parentId === undefined ? {} : { beginsWith: (parentId ?? ROOT) + ID_SEPARATOR }),
      },
      limit,
    );
    return found.map(({ sk, label }) => {
      const parent = sk.slice(0, sk.indexOf(ID_SEPARATOR));
      return {
        id: sk.slice(sk.lastIndexOf(ID_SEPARATOR) + 1),
        parentId: parent === ROOT ? undefined : parent,
        label,
      };
    });
  }

  /** Children of a node in their order, by pages. @param from place of the child to begin with */
  async children(
    entity: string,
    parentId: string,
    { from, limit }: { readonly from?: string | undefined; readonly limit: number },
  ): Promise<{
    readonly children: readonly { readonly id: string; readonly place: string }[];
    readonly isEnd: boolean;
  }> {
    const first = parentId + ID_SEPARATOR;
    const { items, lastKey } = await this.#table.query<Key>({
      partition: treePartition(entity),
      ...(from === undefined
        ? { beginsWith: first }
        : { between: { from, to: parentId + AFTER_SEPARATOR } }),
      limit,
      consistent: true,
    });
    const children = items.map(({ sk }) => ({
      id: sk.slice(sk.lastIndexOf(ID_SEPARATOR) + 1),
      place: sk,
    }));
    return { children, isEnd: lastKey === undefined };
  }

  async treeLock(entity: string): Promise<number> {
    return (await this.#table.get(treeLockKey(entity)))?.version ?? 0;
  }

  /** Writes or deletes rows outside of any transaction. */
  async writeRows(
    entity: string,
    shards: number,
    changes: { readonly puts?: readonly RowOfRecord[]; readonly deletes?: readonly RowOfRecord[] },
  ): Promise<void> {
    await this.#batchWrite({
      puts: (changes.puts ?? []).map(({ row, id }) => rowItem(entity, shards, row, id)),
      deletes: (changes.deletes ?? []).map(({ row, id }) => rowKey(entity, shards, row, id)),
    });
  }

  /** Ids of the files of a record. */
  async fileIds(entity: string, id: string): Promise<string[]> {
    const partition = recordPartition(entity, id);
    const items = await readAll<Key>(this.#table, { partition, beginsWith: FILE });
    return items.map(({ sk }) => sk.slice(FILE.length));
  }

  /** Deletes what binds files to a record. */
  async deleteFiles(entity: string, id: string, files: readonly string[]): Promise<void> {
    if (files.length === 0) return;
    await this.#batchWrite({ deletes: files.map((file) => fileKey(entity, id, file)) });
  }

  /** Deletes the items that are left of a record that is gone; objects in the bucket are not touched. */
  async deleteLarge(entity: string, id: string): Promise<void> {
    const items = await readAll<Key>(this.#table, { partition: recordPartition(entity, id) });
    await this.#batchWrite({ deletes: items.filter(({ sk }) => sk !== 'R') });
  }
}

const FILE = 'DYN_FILE#';
/** Sorts after every key that goes on with `ID_SEPARATOR`. */
const AFTER_SEPARATOR = '\u0020';
