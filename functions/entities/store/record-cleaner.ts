import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Key, Table } from '../../../shared/store/table.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { ID_INDEX, ID_SEPARATOR, type IndexRow } from '../domain/records/index-rows.ts';
import type { TreeRow } from '../domain/records/write-plan.ts';
import type { Counters } from '../domain/search/source.ts';
import {
  COUNTER_ITEMS,
  claimKey,
  counterKey,
  counterPartition,
  indexPartition,
  journalKey,
  journalPartition,
  recordKey,
  rowKey,
  spillKey,
  trashKey,
  trashPartition,
  treeKey,
  treeLockKey,
} from './record-items.ts';
import type { RecordRepository } from './record-repository.ts';

export interface RecordCleanerDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly repository: RecordRepository;
}

/** An item holds 400 KB: thousands of values of an enum do not fit one. */
const MIN_FACETS_OF_ITEM = 500;

/** Deletes and counts in bulk outside transactions, for jobs with idempotent steps. */
export class RecordCleaner {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;
  readonly #records: RecordRepository;

  constructor({ table, batchWrite, repository }: RecordCleanerDependencies) {
    this.#table = table;
    this.#batchWrite = batchWrite;
    this.#records = repository;
  }

  /** Sets the counters to the result of a recount. */
  async resetCounters(entity: string, counters: Counters): Promise<void> {
    const { live: n, deleted: d } = counters;
    const facets = Object.entries(counters.facets);
    const share = Math.max(MIN_FACETS_OF_ITEM, Math.ceil(facets.length / COUNTER_ITEMS));
    const items = Array.from({ length: COUNTER_ITEMS }, (_, at) => ({
      ...counterKey(entity, at),
      ...(at === 0 && { n, d }),
      ...Object.fromEntries(facets.slice(at * share, (at + 1) * share)),
    }));
    const isUsed = (_: unknown, at: number): boolean => at === 0 || at * share < facets.length;
    await this.#batchWrite({
      puts: items.filter(isUsed),
      deletes: items.filter((_, at) => !isUsed(_, at)).map(({ pk, sk }) => ({ pk, sk })),
    });
  }

  /** Deletes a record and all its rows, outside transactions. */
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
    // Delete the rows that list the record last, so that an interrupted purge finds it again.
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
    const counters = await readAll<Key>(this.#table, { partition: counterPartition(entity) });
    await this.#batchWrite({ deletes: [...counters, treeLockKey(entity)] });
  }

  /** Deletes orphaned rows of one page of an index. @returns the next start key; none at the end */
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
    const headers = await this.#records.findHeaders(
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
    return (await readAll(this.#table, { partition: trashPartition(entity) })).length;
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
}
