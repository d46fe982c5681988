import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { counterSince, totalNames } from '../domain/definitions/generations.ts';
import type { EntityLife } from '../domain/entity/life.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { ID_INDEX, ID_SEPARATOR, type IndexRow } from '../domain/records/index-rows.ts';
import { lanesOf } from '../domain/records/lanes.ts';
import type { TreeRow } from '../domain/records/write-plan.ts';
import { sequencePartition } from './number-repository.ts';
import {
  announcementPartition,
  claimKey,
  counterPartitions,
  indexPartition,
  journalKey,
  journalPartition,
  recordKey,
  rowKey,
  spillKey,
  trashKey,
  treeKey,
  treeLockKey,
  treePartition,
} from './record-items.ts';
import type { RecordRepository } from './record-repository.ts';

export interface RecordCleanerDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly repository: RecordRepository;
  readonly unitOfWork: RunUnitOfWork;
}

/** Rows that one step deletes. */
const MAX_DELETED = 500;
/** Counters that one update takes away. */
const MAX_REMOVED = 100;

/** Deletes and counts in bulk outside transactions, for jobs with idempotent steps. */
export class RecordCleaner {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;
  readonly #records: RecordRepository;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, batchWrite, repository, unitOfWork }: RecordCleanerDependencies) {
    this.#unitOfWork = unitOfWork;
    this.#table = table;
    this.#batchWrite = batchWrite;
    this.#records = repository;
  }

  /** Deletes the counters that no definition has used since a generation. */
  async dropCounters(
    entity: string,
    shards: number,
    { counters, totals }: Pick<EntityLife, 'counters' | 'totals'>,
    generation: number,
  ): Promise<void> {
    const valueCounters = new Set(Object.values(counters).map(({ name }) => name));
    const totalCounters = new Set(
      Object.values(totals).flatMap((at) => Object.values(totalNames(at))),
    );
    // A field may have the name of a total; counters of fields are told apart by the value in their names.
    const isKept = (counter: string): boolean => {
      const [name = '', value] = counter.split('=');
      return value === undefined ? totalCounters.has(name) : valueCounters.has(name);
    };
    const isDead = (name: string): boolean => !isKept(name) && counterSince(name) <= generation;
    const items = await this.#counters<Item>(entity, shards);
    for (const { pk, sk, ...counts } of items) {
      const dead = Object.keys(counts).filter(isDead);
      for (let at = 0; at < dead.length; at += MAX_REMOVED) {
        const names = dead.slice(at, at + MAX_REMOVED);
        await this.#unitOfWork(async (unit) => {
          unit.update(
            { pk, sk },
            {
              expression: `REMOVE ${names.map((_, n) => `#c${n}`).join(', ')}`,
              names: Object.fromEntries(names.map((name, n) => [`#c${n}`, name])),
            },
          );
        });
      }
    }
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
    const { id, spilled = [] } = header;
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
    await this.unlist(entity, shards, header);
  }

  /** Deletes what others have announced to a record that is gone, and then the row that lists it, live or in the trash. */
  async unlist(
    entity: string,
    shards: number,
    { id, deletedAt, contended }: Pick<RecordHeader, 'id' | 'deletedAt' | 'contended'>,
  ): Promise<void> {
    if (contended) {
      const partition = announcementPartition(entity, id);
      await this.#batchWrite({ deletes: await readAll<Key>(this.#table, { partition }) });
    }
    const live = rowKey(entity, shards, { index: ID_INDEX, key: '' }, id);
    const key = deletedAt === undefined ? live : trashKey(entity, deletedAt, id);
    await this.#batchWrite({ deletes: [key] });
  }

  async #counters<T extends Key>(entity: string, shards: number): Promise<T[]> {
    const read = (partition: string) => readAll<T>(this.#table, { partition });
    return (await Promise.all(counterPartitions(entity, shards).map(read))).flat();
  }

  /** Deletes what belongs to an entity as a whole. */
  async deleteEntity(entity: string, indexes: readonly string[], shards: number): Promise<void> {
    for (const index of indexes) {
      for (let lane: number | undefined = 0; lane !== undefined; )
        lane = await this.deleteRows(entity, index, shards, lane);
    }
    const counters = await this.#counters<Key>(entity, shards);
    const tree = await readAll<Key>(this.#table, { partition: treePartition(entity) });
    const numbers = await readAll<Key>(this.#table, { partition: sequencePartition(entity) });
    await this.#batchWrite({
      deletes: [...counters, ...tree, ...numbers, treeLockKey(entity)],
    });
  }

  /** Deletes orphaned rows of one page of a lane. @returns how many rows it has, and the next start key; none at the end */
  async dropStrayRows(
    entity: string,
    {
      index,
      lane,
      after,
    }: { readonly index: string; readonly lane: string; readonly after: string | undefined },
  ): Promise<{ readonly seen: number; readonly next: string | undefined }> {
    const pk = indexPartition(entity, index, lane);
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
    return { seen: rows.length, next: lastKey && rows.at(-1)?.sk };
  }

  /** Tokens of early rows whose commit may still come. */
  async #openTokens(tokens: readonly string[]): Promise<ReadonlySet<string>> {
    const keys = [...new Set(tokens)].map((token) => journalKey(token, 0));
    const found = keys.length > 0 ? await this.#table.getMany(keys) : [];
    return new Set(found.map(({ pk }) => pk.slice(journalPartition('').length)));
  }

  /** Deletes some rows of an index, one lane after the other. @returns number of the lane to go on with; none at the end */
  async deleteRows(
    entity: string,
    index: string,
    shards: number,
    first: number,
  ): Promise<number | undefined> {
    let left = MAX_DELETED;
    for (const [at, lane] of lanesOf(index, shards).entries()) {
      if (at < first) continue;
      const { items, lastKey } = await this.#table.query<Key>({
        partition: indexPartition(entity, index, lane),
        limit: left,
        consistent: true,
      });
      await this.#batchWrite({ deletes: items });
      left -= items.length;
      if (lastKey || left === 0) return at;
    }
    return undefined;
  }
}
