import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { exists } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Item, QueryInput, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sealedCodes } from '../domain/definitions/generations.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { HistoryEntry } from '../domain/entity/record.ts';
import { historyPartition, recordKey } from './record-items.ts';

export interface HistoryRepositoryDependencies {
  readonly table: Table;
  readonly batchWrite: BatchWriter;
  readonly unitOfWork: RunUnitOfWork;
}

/** Entries that one transaction rewrites: of 400 KB each, they are within its 4 MB. */
const REWRITTEN_AT_ONCE = 10;
/** Entries of one request, which ends at 1 MB anyway. */
const PAGE = 1_000;

type HistoryItem = Item & Omit<HistoryEntry, 'changes'> & { readonly changes: string };

/** What was changed of records, by whom and when. */
export class HistoryRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, batchWrite, unitOfWork }: HistoryRepositoryDependencies) {
    this.#table = table;
    this.#batchWrite = batchWrite;
    this.#unitOfWork = unitOfWork;
  }

  /** Stages the entry of a change. */
  stage(unit: UnitOfWork, entity: string, id: string, { changes, ...entry }: HistoryEntry): void {
    const sk = String(entry.version).padStart(9, '0');
    // As JSON text, which preserves every number and any depth.
    const text = JSON.stringify(changes);
    const pk = historyPartition(entity, id);
    unit.put({ pk, sk, type: 'DYN_HISTORY', ...entry, changes: text });
  }

  /** One page of the changes of a record, newest first. */
  async page(entity: string, id: string, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    const query = { partition: historyPartition(entity, id), reverse: true, consistent: true };
    const found = await readPage<HistoryItem>(this.#table, query, page, ['history', entity, id]);
    const content = found.content.map((entry) => ({ ...entry, changes: changesOf(entry) }));
    return { ...found, content };
  }

  /**
   * Takes the values that a generation of the definition has made secret out of the history of a record. An entry that is
   * purged meanwhile stays away.
   */
  async forgetSecrets(
    { code, definition: { fields }, life }: EntityModel,
    id: string,
    generation = life.generation,
  ): Promise<void> {
    const secret = sealedCodes({ life, fields }, generation);
    if (secret.size === 0) return;
    for await (const page of this.#pages(code, id)) {
      const entries = page.flatMap((entry) => without(entry, secret));
      for (let at = 0; at < entries.length; at += REWRITTEN_AT_ONCE) {
        await this.#unitOfWork(async (unit) => {
          for (const { key, changes } of entries.slice(at, at + REWRITTEN_AT_ONCE)) {
            const update = {
              expression: 'SET changes = :changes',
              values: { ':changes': changes },
            };
            unit.update(key, update, { condition: exists, otherwise: 'retry' });
          }
        });
      }
    }
  }

  /** Deletes all entries of a record. */
  async delete(entity: string, id: string): Promise<void> {
    for await (const page of this.#pages(entity, id)) await this.#batchWrite({ deletes: page });
  }

  /** Deletes the entries of a record that is gone; what a later record of the same id has written stays. */
  async deletePast(entity: string, id: string): Promise<void> {
    for await (const page of this.#pages(entity, id)) {
      // Looked for last: whatever of a later record was read is younger than that one.
      const later = await this.#table.get<Item & { readonly createdAt: string }>(
        recordKey(entity, id),
      );
      await this.#batchWrite({
        deletes: later ? page.filter(({ at }) => at < later.createdAt) : page,
      });
    }
  }

  /** The entries of a record, some after the others: each may have 200 KB. */
  async *#pages(entity: string, id: string): AsyncGenerator<readonly HistoryItem[]> {
    const query = { partition: historyPartition(entity, id), consistent: true, limit: PAGE };
    let startKey: QueryInput['startKey'];
    do {
      const page = await this.#table.query<HistoryItem>({ ...query, startKey });
      if (page.items.length > 0) yield page.items;
      startKey = page.lastKey;
    } while (startKey);
  }
}

/** An entry that names one of the fields, with the changes that do not. */
function without({ pk, sk, changes: text }: HistoryItem, fields: ReadonlySet<string>) {
  const changes = changesOf({ changes: text });
  const kept = changes.filter(({ field }) => !fields.has(field));
  return kept.length < changes.length ? [{ key: { pk, sk }, changes: JSON.stringify(kept) }] : [];
}

const changesOf = ({ changes }: { readonly changes: string }): HistoryEntry['changes'] =>
  JSON.parse(changes);
