import type { BatchWriter } from '../../shared/store/batch-writer.ts';
import { type PageRequest, type ReadPage, readPage } from '../../shared/store/paged-read.ts';
import type { Item, Key, Table } from '../../shared/store/table.ts';
import type { Counters, DeletedRow, RowRequest, StoredRow } from './domain/query/source.ts';
import { ID_INDEX, ID_SEPARATOR, type IndexRow } from './domain/records/index-rows.ts';
import type {
  HistoryEntry,
  LargeValue,
  LoadedRecord,
  RecordHeader,
  TreeNodeRow,
} from './domain/records/record.ts';
import type { TreeRow } from './domain/records/write-plan.ts';
import {
  COUNTER_ITEMS,
  claimKey,
  counterPartition,
  type HeaderItem,
  historyPartition,
  indexPartition,
  journalKey,
  journalPartition,
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
  treeKey,
  treeLockKey,
  treePartition,
} from './record-items.ts';

/** Stored records and everything that leads to them. */
export class RecordRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;

  constructor({ table, batchWrite }: { table: Table; batchWrite: BatchWriter }) {
    this.#table = table;
    this.#batchWrite = batchWrite;
  }

  /** A record with everything beside it, in one request unless the values are very large. */
  async load(entity: string, id: string): Promise<LoadedRecord | undefined> {
    const items = await this.#all<Item>({ partition: recordPartition(entity, id) });
    const header = items.find(({ sk }) => sk === 'R');
    if (!header) return undefined;
    const large = items
      .filter(({ sk }) => sk.startsWith('DYN_FIELD_VALUE#'))
      .map((item): [string, LargeValue] => [item.sk.slice(16), item as unknown as LargeValue]);
    const pending = items.find(({ sk }) => sk === 'PENDING');
    return {
      header: toHeader(id, header as HeaderItem),
      large: new Map(large),
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
    if (ids.length === 0) return new Map();
    const keys = [...new Set(ids)].map((id) => recordKey(entity, id));
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
  ): Promise<ReadonlyMap<string, LargeValue>> {
    const found = new Map<string, LargeValue>();
    for (let at = 0; at < wanted.length; at += 100) {
      const keys = wanted.slice(at, at + 100).map(({ id, field }) => spillKey(entity, id, field));
      for (const item of await this.#table.getMany(keys)) {
        const id = item.pk.slice(recordPartition(entity, '').length);
        found.set(`${id}#${item.sk.slice(16)}`, item as unknown as LargeValue);
      }
    }
    return found;
  }

  async rows(
    entity: string,
    { index, shard, range, reverse, after, limit }: RowRequest,
    consistent: boolean,
  ): Promise<{ readonly rows: readonly StoredRow[]; readonly isEnd: boolean }> {
    const pk = indexPartition(entity, index, shard);
    const { items, lastKey } = await this.#table.query<Key & { x?: string | false }>({
      partition: pk,
      between: range,
      reverse,
      limit,
      consistent,
      startKey: after === undefined ? undefined : { pk, sk: after },
    });
    const rows = items.map(({ sk, x }) => (x === undefined ? { sk } : { sk, text: x }));
    return { rows, isEnd: lastKey === undefined };
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

  async counters(entity: string, consistent = false): Promise<Counters> {
    const { items } = await this.#table.query<Item & { n?: number; d?: number }>({
      partition: counterPartition(entity),
      limit: COUNTER_ITEMS,
      consistent,
    });
    const facets: Record<string, number> = {};
    for (const item of items) {
      for (const [name, count] of Object.entries(item)) {
        if (name.includes('=')) facets[name] = (facets[name] ?? 0) + Number(count);
      }
    }
    return {
      live: items.reduce((sum, { n = 0 }) => sum + n, 0),
      deleted: items.reduce((sum, { d = 0 }) => sum + d, 0),
      facets,
    };
  }

  /** Rows of the trash, newest deletion first unless the oldest is asked for. */
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

  async history(entity: string, id: string, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    const query = { partition: historyPartition(entity, id), reverse: true, consistent: true };
    const found = await readPage<Item & Omit<HistoryEntry, 'changes'> & { changes: string }>(
      this.#table,
      query,
      page,
      ['history', entity, id],
    );
    const content = found.content.map((entry) => ({
      ...entry,
      changes: JSON.parse(entry.changes) as HistoryEntry['changes'],
    }));
    return { ...found, content };
  }

  /** Children of a node (of the root without an id), or the whole tree, in the order of siblings. */
  async treeRows(
    entity: string,
    { parentId, limit }: { readonly parentId?: string | null; readonly limit: number },
  ): Promise<readonly TreeNodeRow[]> {
    const found = await this.#all<Item & { label: string }>(
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

  /** Sets the counters to what was counted anew. */
  async resetCounters(entity: string, counters: Counters): Promise<void> {
    const keys = Array.from({ length: COUNTER_ITEMS }, (_, at) => ({
      pk: counterPartition(entity),
      sk: String(at).padStart(2, '0'),
    }));
    const [first, ...others] = keys;
    const { live: n, deleted: d, facets } = counters;
    await this.#batchWrite({ puts: first ? [{ ...first, n, d, ...facets }] : [], deletes: others });
  }

  /** Deletes a record with everything that leads to it, outside of any transaction. */
  async deleteRecord(
    entity: string,
    shards: number,
    header: RecordHeader,
    {
      rows,
      claims,
      tree,
    }: {
      rows: readonly IndexRow[];
      claims: readonly { name: string; key: string }[];
      tree: TreeRow | undefined;
    },
  ): Promise<void> {
    const { id, deletedAt, spilled = [] } = header;
    // What leads to the record goes last, so that an interrupted purge finds it again.
    const isListed = ({ index }: IndexRow): boolean => index === ID_INDEX;
    await this.#batchWrite({
      deletes: [
        ...rows.filter((row) => !isListed(row)).map((row) => rowKey(entity, shards, row, id)),
        ...claims.map(({ name, key }) => claimKey(entity, name, key)),
        ...(tree ? [treeKey(entity, tree, id)] : []),
        ...spilled.map((field) => spillKey(entity, id, field)),
      ],
    });
    await this.#batchWrite({ deletes: [recordKey(entity, id)] });
    await this.#batchWrite({
      deletes: [
        ...rows.filter(isListed).map((row) => rowKey(entity, shards, row, id)),
        ...(deletedAt === undefined ? [] : [trashKey(entity, deletedAt, id)]),
      ],
    });
  }

  /** Deletes what belongs to an entity as a whole. */
  async deleteEntity(entity: string): Promise<void> {
    const counters = await this.#all({ partition: counterPartition(entity) });
    await this.#batchWrite({ deletes: [...counters, treeLockKey(entity)] });
  }

  /** Deletes rows of one page of an index that lead to no live record. @returns where to go on; none at the end */
  async dropStrayRows(
    entity: string,
    index: string,
    shard: number,
    after: string | undefined,
  ): Promise<string | undefined> {
    const pk = indexPartition(entity, index, shard);
    const { items: rows, lastKey } = await this.#table.query<Key & { b?: string }>({
      partition: pk,
      limit: 100,
      consistent: true,
      startKey: after === undefined ? undefined : { pk, sk: after },
    });
    const idOf = (sk: string): string => sk.slice(sk.lastIndexOf(ID_SEPARATOR) + 1);
    const headers = await this.findHeaders(
      entity,
      rows.map(({ sk }) => idOf(sk)),
      true,
    );
    const strays = rows.filter(({ sk }) => {
      const header = headers.get(idOf(sk));
      return !header || header.deletedAt !== undefined;
    });
    const open = await this.#openTokens(strays.flatMap(({ b }) => b ?? []));
    const dropped = strays.filter(({ b }) => b === undefined || !open.has(b));
    await this.#batchWrite({ deletes: dropped.map(({ sk }) => ({ pk, sk })) });
    return lastKey === undefined ? undefined : rows.at(-1)?.sk;
  }

  /** Tokens of early rows whose commit may still come. */
  async #openTokens(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const keys = [...new Set(tokens)].map((token) => journalKey(token, 0));
    const found = keys.length > 0 ? await this.#table.getMany(keys) : [];
    return new Set(found.map(({ pk }) => pk.slice(journalPartition('').length)));
  }

  async countTrash(entity: string): Promise<number> {
    return (await this.#all({ partition: trashPartition(entity) })).length;
  }

  async deleteHistory(entity: string, id: string): Promise<void> {
    await this.#batchWrite({
      deletes: await this.#all({ partition: historyPartition(entity, id) }),
    });
  }

  /** One page of every row of an index; for jobs that read a partition to its end. */
  async deleteIndexPage(entity: string, index: string, shard: number): Promise<boolean> {
    const { items, lastKey } = await this.#table.query<Key>({
      partition: indexPartition(entity, index, shard),
      limit: 500,
      consistent: true,
    });
    await this.#batchWrite({ deletes: items });
    return lastKey === undefined;
  }

  async #all<T extends Key>(
    query: { readonly partition: string; readonly beginsWith?: string },
    limit = Number.POSITIVE_INFINITY,
  ): Promise<T[]> {
    const items: T[] = [];
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page: { items: readonly T[]; lastKey?: Readonly<Record<string, unknown>> | undefined } =
        await this.#table.query<T>({
          ...query,
          limit: Math.min(limit - items.length, 10_000),
          startKey,
          consistent: true,
        });
      items.push(...page.items);
      startKey = page.lastKey;
    } while (startKey && items.length < limit);
    return items;
  }
}
