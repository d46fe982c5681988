import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Condition, Item, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { PLANNED, type SyncHistory, type SyncRecord } from '../domain/runs/history.ts';
import {
  batchKey,
  batchPartition,
  historiesPartition,
  historyKey,
  recordKey,
  recordsPartition,
} from './history-keys.ts';

interface HistoryItem extends Item {
  readonly history: SyncHistory;
}

interface PointerItem extends Item {
  readonly historyId: string;
}

interface RecordItem extends Item {
  readonly record: SyncRecord;
}

/** Which runs of a source a list has. */
export type HistoryFilter = Partial<Pick<SyncHistory, 'objectType' | 'triggerType' | 'status'>>;
/** Which records of a run a list has. */
export type RecordFilter = Partial<Pick<SyncRecord, 'objectType' | 'actionType' | 'status'>>;

const DAY_S = 86_400;
const HISTORY_DAYS = 365;
const RECORD_DAYS = 90;
const RECORDS_AT_ONCE = 500;
/** The pass that looks for pending runs comes every quarter of an hour. */
const LAST_RUNS = 100;

/** The histories of runs, and what they did with each object. */
export class HistoryRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;

  constructor({ table, batchWrite }: { readonly table: Table; readonly batchWrite: BatchWriter }) {
    this.#table = table;
    this.#batchWrite = batchWrite;
  }

  async find(id: string): Promise<SyncHistory | undefined> {
    return (await this.#table.get<HistoryItem>(historyKey(id)))?.history;
  }

  /** The run over groups and the run over people of a batch. */
  async ofBatch(batch: string): Promise<readonly SyncHistory[]> {
    const pointers = await readAll<PointerItem>(this.#table, { partition: batchPartition(batch) });
    const items = await this.#table.getMany<HistoryItem>(
      pointers.map(({ historyId }) => historyKey(historyId)),
    );
    return items.map(({ history }) => history);
  }

  stageNew(unit: UnitOfWork, history: SyncHistory): void {
    unit.put(historyItem(history), { condition: notExists, otherwise: 'retry' });
    unit.put({
      ...batchKey(history.batch, history.id),
      type: 'identity_source_sync_batch',
      historyId: history.id,
      ttl: expiry(history.startTime, HISTORY_DAYS),
    });
  }

  /** Stages the next version of a run; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(unit: UnitOfWork, history: SyncHistory): void {
    unit.put(historyItem(history), {
      condition: versionIs(history.version - 1),
      otherwise: 'retry',
    });
  }

  /** Writes records; one with a known id replaces the other. */
  async putRecords(records: readonly SyncRecord[]): Promise<void> {
    await this.#batchWrite({ puts: records.map(recordItem) });
  }

  /** Ids of records that are there and tell what was done, not what is planned. */
  async knownRecords(
    records: readonly Pick<SyncRecord, 'id' | 'syncHistoryId'>[],
  ): Promise<ReadonlySet<string>> {
    const keys = records.map(({ syncHistoryId, id }) => recordKey(syncHistoryId, id));
    const items = await this.#table.getMany<RecordItem>(keys);
    return new Set(items.flatMap(({ sk, record }) => (record.reasonCode === PLANNED ? [] : sk)));
  }

  /** Runs of a source, the newest first. */
  async page(
    sourceId: string,
    filter: HistoryFilter,
    request: PageRequest,
  ): Promise<ReadPage<SyncHistory>> {
    const query = {
      index: 'gsi1' as const,
      partition: historiesPartition(sourceId),
      reverse: true,
      ...filterBy(['summary'], filter),
    };
    const page = await readPage<Item>(this.#table, query, request, { sourceId, ...filter });
    const items = await this.#table.getMany<HistoryItem>(page.content);
    return { ...page, content: items.map(({ history }) => history) };
  }

  /** Batches with a run that has not ended, among the last runs of a source. */
  async pendingBatches(sourceId: string): Promise<readonly string[]> {
    const { items } = await this.#table.query<Item>({
      ...{ index: 'gsi1', partition: historiesPartition(sourceId), reverse: true },
      limit: LAST_RUNS,
      ...filterBy(['summary'], { status: 'PENDING' }),
    });
    const histories = await this.#table.getMany<HistoryItem>(items);
    return [...new Set(histories.map(({ history }) => history.batch))];
  }

  /** Records of a run. */
  async recordPage(
    historyId: string,
    filter: RecordFilter,
    request: PageRequest,
  ): Promise<ReadPage<SyncRecord>> {
    const query = { partition: recordsPartition(historyId), ...filterBy(['record'], filter) };
    const page = await readPage<RecordItem>(this.#table, query, request, { historyId, ...filter });
    return { ...page, content: page.content.map(({ record }) => record) };
  }

  /** Every record of a run. */
  async *records(historyId: string): AsyncGenerator<SyncRecord> {
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query<RecordItem>({
        partition: recordsPartition(historyId),
        limit: RECORDS_AT_ONCE,
        startKey,
        consistent: true,
      });
      for (const { record } of page.items) yield record;
      startKey = page.lastKey;
    } while (startKey);
  }
}

function historyItem(history: SyncHistory) {
  const { objectType, triggerType, status } = history;
  return {
    ...historyKey(history.id),
    gsi1pk: historiesPartition(history.identitySourceId),
    gsi1sk: history.id,
    type: 'identity_source_sync_history',
    version: history.version,
    ttl: expiry(history.startTime, HISTORY_DAYS),
    summary: { objectType, triggerType, status },
    history,
  };
}

const recordItem = (record: SyncRecord) => ({
  ...recordKey(record.syncHistoryId, record.id),
  type: 'identity_source_sync_record',
  ttl: expiry(record.time, RECORD_DAYS),
  record,
});

const expiry = (instant: string, days: number): number =>
  Math.ceil(Date.parse(instant) / 1_000) + days * DAY_S;

/** A filter of equal members below an attribute. */
function filterBy(
  path: readonly string[],
  values: Readonly<Record<string, string | undefined>>,
): { readonly filter?: Condition } {
  const wanted = Object.entries(values).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return {};
  const below = path.map((name) => `#${name}`).join('.');
  return {
    filter: {
      expression: wanted.map(([name]) => `${below}.#${name} = :${name}`).join(' AND '),
      names: Object.fromEntries(
        [...path, ...wanted.map(([name]) => name)].map((n) => [`#${n}`, n]),
      ),
      values: Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
    },
  };
}
