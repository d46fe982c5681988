import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import { exists } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
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
    const found = await readPage<Item & Omit<HistoryEntry, 'changes'> & { changes: string }>(
      this.#table,
      query,
      page,
      ['history', entity, id],
    );
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
    const entries = await this.#without(code, id, secret);
    for (let at = 0; at < entries.length; at += REWRITTEN_AT_ONCE) {
      await this.#unitOfWork(async (unit) => {
        for (const { key, changes } of entries.slice(at, at + REWRITTEN_AT_ONCE)) {
          const update = { expression: 'SET changes = :changes', values: { ':changes': changes } };
          unit.update(key, update, { condition: exists, otherwise: 'retry' });
        }
      });
    }
  }

  /** Entries of a record that name one of the fields, each with the changes that do not. */
  async #without(entity: string, id: string, fields: ReadonlySet<string>) {
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
