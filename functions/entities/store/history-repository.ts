import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { HistoryEntry } from '../domain/entity/record.ts';
import { historyPartition, recordKey } from './record-items.ts';

/** What was changed of records, by whom and when. */
export class HistoryRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;

  constructor({ table, batchWrite }: { table: Table; batchWrite: BatchWriter }) {
    this.#table = table;
    this.#batchWrite = batchWrite;
  }

  /** One page of the changes of a record, newest first. */
  async page(entity: string, id: string, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    const query = { partition: historyPartition(entity, id), reverse: true, consistent: true };
    const found = await readPage<Item & Omit<HistoryEntry, 'changes'> & { changes: string }>(
      this.#table,
      query,
      page,
      ['history', entity, id],
    );
    const content = found.content.map((entry) => ({ ...entry, changes: changesOf(entry) }));
    return { ...found, content };
  }

  /** Entries of a record that name one of the fields, each with the changes that do not. */
  async without(
    entity: string,
    id: string,
    fields: ReadonlySet<string>,
  ): Promise<readonly { readonly key: Key; readonly changes: string }[]> {
    const entries = await this.#whole<{ readonly changes: string }>(entity, id);
    return entries.flatMap(({ pk, sk, changes: text }) => {
      const changes = changesOf({ changes: text });
      const kept = changes.filter(({ field }) => !fields.has(field));
      return kept.length < changes.length
        ? [{ key: { pk, sk }, changes: JSON.stringify(kept) }]
        : [];
    });
  }

  /** Deletes all entries of a record. */
  async delete(entity: string, id: string): Promise<void> {
    await this.#batchWrite({ deletes: await this.#whole(entity, id) });
  }

  /** Deletes the entries of a record that is gone; what a later record of the same id has written stays. */
  async deletePast(entity: string, id: string): Promise<void> {
    const all = await this.#whole<{ readonly at: string }>(entity, id);
    // Looked for last: whatever of a later record was read is younger than that one.
    const later =
      all.length > 0
        ? await this.#table.get<Item & { readonly createdAt: string }>(recordKey(entity, id))
        : undefined;
    await this.#batchWrite({
      deletes: later ? all.filter(({ at }) => at < later.createdAt) : all,
    });
  }

  #whole<T>(entity: string, id: string): Promise<(Item & T)[]> {
    return readAll(this.#table, { partition: historyPartition(entity, id) });
  }
}

const changesOf = ({ changes }: { readonly changes: string }): HistoryEntry['changes'] =>
  JSON.parse(changes);
