import { gunzipSync, gzipSync } from 'node:zlib';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { exists, notExists } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { type IndexRow, indexRows } from '../domain/records/index-rows.ts';
import type { LeftOver, LoadedRecord } from '../domain/records/loaded-record.ts';
import type { DefinitionRepository } from './definition-repository.ts';
import {
  isUnchanged,
  journalKey,
  journalPartition,
  pendingItem,
  pendingKey,
  type RowOfRecord,
  recordKey,
  rowItem,
  rowKey,
} from './record-items.ts';
import type { RecordRepository } from './record-repository.ts';
import type { LargeValueStore } from './values/large-value-store.ts';

/*
 * Access patterns
 *   entries, oldest first   query  DYN_ROW_JOURNAL / <instant>#<token>
 *   rows of an entry        query  DYN_ROW_JOURNAL#<token> / 000..
 */
const JOURNAL = 'DYN_ROW_JOURNAL';
const entryKey = (sk: string): Key => ({ pk: JOURNAL, sk });

export interface RowJournalDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Rows written before the commit that makes them valid. */
export interface EarlyRows {
  /** Validates them with the unit, which runs again if they were swept in the meantime. */
  commitWith(unit: UnitOfWork): void;
  /** Deletes rows that are not needed; the others were rewritten or valid before. */
  takeBack(isUnwanted: (row: RowOfRecord) => boolean): Promise<void>;
}

type Entry = Item & {
  readonly entity: string;
  readonly shards: number;
  readonly token: string;
  /** Record with rows to delete; none when rows were written early. */
  readonly record?: string;
};

/** The entry of early rows that no sweep has taken. */
const isOpenEntry: Condition = {
  expression: 'attribute_exists(pk) AND attribute_not_exists(taken)',
};

class DoneByAnother extends Error {}

/** Longer than any invocation lasts. */
const GRACE_MS = 300_000;
const MAX_SWEPT = 100;
const PART_BYTES = 300_000;
const KEPT_SECONDS = 7 * 24 * 3_600;
const PARALLEL = 8;
const WRITES_PER_UNIT = 90;

/**
 * Journal of rows that are written before, or deleted after, the transaction of their records. Each early row
 * has the token of its entry, and the transaction deletes the entry: while the entry exists, rows with its
 * token are ignored.
 */
export class RowJournal {
  readonly #deps: RowJournalDependencies;

  constructor(dependencies: RowJournalDependencies) {
    this.#deps = dependencies;
  }

  /** Journals rows, then writes them. */
  async write(entity: string, shards: number, rows: readonly RowOfRecord[]): Promise<EarlyRows> {
    const { batchWrite, ids } = this.#deps;
    const token = ids().slice(-8);
    const entry = this.#newEntry(token, { entity, shards });
    const parts = this.#partsOf(token, rows);
    await batchWrite({ puts: [entry, ...parts] });
    faultPoint('entities.after-journal');
    await batchWrite({
      puts: rows.map(({ row, id }) => ({ ...rowItem(entity, shards, row, id), b: token })),
    });
    faultPoint('entities.after-rows');
    return {
      commitWith: (unit) => {
        unit.delete(entry, { condition: isOpenEntry, otherwise: 'retry' });
        unit.afterCommit(() => batchWrite({ deletes: parts }));
      },
      takeBack: async (isUnwanted) => {
        await this.#settle(entry, rows.filter(isUnwanted));
        await batchWrite({ deletes: [...parts, entry] });
      },
    };
  }

  /** Journals rows that become invalid with the unit, and deletes them after its commit. */
  async deleteAfter(
    unit: UnitOfWork,
    entity: string,
    shards: number,
    id: string,
    rows: readonly IndexRow[],
  ): Promise<void> {
    const token = this.#deps.ids().slice(-8);
    const entry = this.#newEntry(token, { entity, shards, record: id });
    const guard = { condition: notExists, otherwise: 'retry' as const };
    const parts = this.#partsOf(
      token,
      rows.map((row) => ({ row, id })),
    );
    const isLong = parts.length > 1;
    // More rows than an item holds come before the unit; nothing refers to them unless it commits.
    if (isLong) await this.#deps.batchWrite({ puts: parts });
    const leftOver = { id, rows: isLong ? 'journal' : rows, token, entry: entry.sk } as const;
    unit.put(entry);
    unit.put(pendingItem(entity, leftOver), guard);
    unit.afterCommit(async () => {
      faultPoint('entities.before-tidy');
      await this.#finish(entity, shards, { ...leftOver, rows });
      if (isLong) await this.#deps.batchWrite({ deletes: parts });
    });
  }

  /** A record with its large values, after completing an interrupted change. */
  load({ code, definition }: EntityModel, id: string): Promise<LoadedRecord | undefined> {
    return this.#load(code, definition.options.shards, id);
  }

  async #load(entity: string, shards: number, id: string): Promise<LoadedRecord | undefined> {
    const loaded = await this.#deps.repository.load(entity, id);
    if (loaded?.leftOver) await this.#finish(entity, shards, loaded.leftOver);
    return loaded;
  }

  /** Deletes the rows that a committed change has left over, once. */
  async #finish(entity: string, shards: number, leftOver: LeftOver): Promise<void> {
    const { id, token, entry } = leftOver;
    const rows = leftOver.rows === 'journal' ? await this.#journaled(token) : leftOver.rows;
    const pending = pendingKey(entity, id);
    // A late run must not delete rows that are valid again.
    const isMine = { condition: hasToken('token', token), otherwise: () => new DoneByAnother() };
    for (let at = 0; at < rows.length; at += WRITES_PER_UNIT) {
      const some = rows.slice(at, at + WRITES_PER_UNIT);
      const isDone = await this.#attempt((unit) => {
        unit.check(pending, isMine);
        for (const row of some) unit.delete(rowKey(entity, shards, row, id));
      });
      if (!isDone) return;
    }
    await this.#attempt((unit) => {
      unit.delete(pending, isMine);
      unit.delete(entryKey(entry));
    });
  }

  /** Completes interrupted calls. @returns the number of entries */
  async sweep(): Promise<number> {
    const { table, clock } = this.#deps;
    const { items } = await table.query<Entry>({
      partition: JOURNAL,
      between: { from: '0', to: toInstant(clock.now() - GRACE_MS) },
      limit: MAX_SWEPT,
      consistent: true,
    });
    for (const entry of items) {
      if (entry.record === undefined) await this.#sweepRows(entry);
      else await this.#sweepRecord(entry, entry.record);
    }
    return items.length;
  }

  async #sweepRecord({ entity, shards, sk }: Entry, id: string): Promise<void> {
    await this.#load(entity, shards, id);
    await this.#deps.batchWrite({ deletes: [entryKey(sk)] });
  }

  /** Takes an entry, so that its transaction cannot happen any more, and then its rows. */
  async #sweepRows(entry: Entry): Promise<void> {
    const { table, batchWrite } = this.#deps;
    const isTaken = await this.#attempt((unit) =>
      unit.update(
        entryKey(entry.sk),
        { expression: 'SET taken = :yes', values: { ':yes': true } },
        { condition: exists, otherwise: () => new DoneByAnother() },
      ),
    );
    if (!isTaken) return;
    const items = await readAll<Part>(table, { partition: journalPartition(entry.token) });
    for (const { part } of items) await this.#settle(entry, unpack(part));
    await batchWrite({ deletes: [...items, entryKey(entry.sk)] });
  }

  /** Deletes early rows, except those that a live record also has, which are rewritten as final. */
  async #settle(entry: Entry, rows: readonly RowOfRecord[]): Promise<void> {
    const { definitions, repository } = this.#deps;
    const { entity, shards, token } = entry;
    const definition = await definitions.find(entity);
    const model = definition && new EntityModel(definition);
    const ids = rows.map(({ id }) => id);
    const known = await repository.findHeaders(entity, ids, true);
    const isOurs = { condition: hasToken('b', token), otherwise: () => new DoneByAnother() };
    await mapLimited(rows, PARALLEL, ({ row, id }) =>
      this.#attempt(async (unit) => {
        const header = model && known.has(id) ? await this.#header(model, id) : undefined;
        const own = header && model ? indexRows(model, header) : [];
        const same = own.find((each) => each.index === row.index && each.key === row.key);
        if (!header || !same) {
          unit.delete(rowKey(entity, shards, row, id), isOurs);
          return;
        }
        const guard = { condition: isUnchanged(header), otherwise: 'retry' as const };
        unit.check(recordKey(entity, id), guard);
        unit.put(rowItem(entity, shards, same, id), isOurs);
      }),
    );
  }

  async #header(model: EntityModel, id: string): Promise<RecordHeader | undefined> {
    const { repository, largeValues } = this.#deps;
    const loaded = await repository.load(model.code, id);
    return loaded && largeValues.complete(model, loaded);
  }

  /** Runs a separate unit. @returns `false` when a concurrent one won */
  async #attempt(work: (unit: UnitOfWork) => void | Promise<void>): Promise<boolean> {
    try {
      await apart(() => this.#deps.unitOfWork(async (unit) => work(unit)));
      return true;
    } catch (error) {
      if (error instanceof DoneByAnother) return false;
      throw error;
    }
  }

  #partsOf(token: string, rows: readonly RowOfRecord[]) {
    const ttl = Math.floor(this.#deps.clock.now() / 1_000) + KEPT_SECONDS;
    return pack(rows).map((part, at) => ({ ...journalKey(token, at), type: JOURNAL, part, ttl }));
  }

  async #journaled(token: string): Promise<readonly IndexRow[]> {
    const partition = journalPartition(token);
    const items = await readAll<Part>(this.#deps.table, { partition });
    return items.flatMap(({ part }) => unpack(part)).map(({ row }) => row);
  }

  #newEntry(token: string, more: Pick<Entry, 'entity' | 'shards' | 'record'>): Entry {
    const sk = `${toInstant(this.#deps.clock.now())}#${token}`;
    return { ...entryKey(sk), type: JOURNAL, token, ...more };
  }
}

type Part = Key & { readonly part: Uint8Array };

const hasToken = (attribute: string, token: string): Condition => ({
  expression: '#token = :token',
  names: { '#token': attribute },
  values: { ':token': token },
});

/** Packs rows into few bytes, without their texts. */
function pack(rows: readonly RowOfRecord[]): Uint8Array[] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const { row, id } of rows) {
    const text = JSON.stringify([id, row.index, row.key]);
    bytes += Buffer.byteLength(text);
    if (bytes > PART_BYTES) {
      parts.push([]);
      bytes = Buffer.byteLength(text);
    }
    parts.at(-1)?.push(text);
  }
  return parts.map((part) => gzipSync(`[${part.join(',')}]`));
}

function unpack(part: Uint8Array): RowOfRecord[] {
  const rows = JSON.parse(gunzipSync(part).toString()) as [string, string, string][];
  return rows.map(([id, index, key]) => ({ id, row: { index, key } }));
}
