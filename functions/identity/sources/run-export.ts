import type { Principal } from '../../../shared/security/principal.ts';
import type { SyncHistory, SyncRecord } from '../domain/runs/history.ts';
import { problems } from '../errors.ts';
import type { HistoryRepository, RecordFilter } from '../store/history-repository.ts';
import type { SourceSync } from '../sync/source-sync.ts';

interface RunExportDependencies {
  readonly history: Pick<HistoryRepository, 'ofBatch' | 'records'>;
  readonly sync: Pick<SourceSync, 'share'>;
}

/** A file, or a link to it when it is too large for an answer. */
export type ExportedRun = { readonly text: string } | { readonly link: string };

export const CSV_TYPE = 'text/csv; charset=utf-8';
/** A limit of Lambda is 6 MB. */
const MAX_CHARACTERS = 1_500_000;
const LINES_AT_ONCE = 500;
const COLUMNS = [
  ...(['objectType', 'actionType', 'status', 'reasonCode', 'objectName', 'externalId'] as const),
  ...(['objectId', 'desc', 'changes', 'time'] as const),
] as const satisfies readonly (keyof SyncRecord)[];

/** The code of files is loaded with the first one. */
const csv = () => import('../../../shared/csv/csv.ts');

/** Writes what a run did with each object as a file for spreadsheets. */
export class RunExport {
  readonly #deps: RunExportDependencies;

  constructor(dependencies: RunExportDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `SYNC_RUN_NOT_FOUND` (404) */
  async csv(
    batch: string,
    filter: RecordFilter,
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<ExportedRun> {
    const { history, sync } = this.#deps;
    const rows = await history.ofBatch(batch);
    const [first] = rows;
    if (first?.tenant !== tenant) throw problems.runNotFound({ id: batch });
    const text = await this.#textOf(rows, filter);
    if (text.length <= MAX_CHARACTERS) return { text };
    const run = { sourceId: first.identitySourceId, batch };
    return { link: await sync.share(run, fileNameOf(batch), text, CSV_TYPE) };
  }

  async #textOf(rows: readonly SyncHistory[], filter: RecordFilter): Promise<string> {
    const { csvHead, csvLines } = await csv();
    const parts = [csvHead(COLUMNS)];
    let waiting: unknown[][] = [];
    for (const { id } of rows.toSorted(byObjectType)) {
      for await (const record of this.#deps.history.records(id)) {
        if (!fits(record, filter)) continue;
        waiting.push(COLUMNS.map((column) => shown(record[column])));
        if (waiting.length < LINES_AT_ONCE) continue;
        parts.push(csvLines(waiting));
        waiting = [];
      }
    }
    return [...parts, csvLines(waiting)].join('');
  }
}

export const fileNameOf = (batch: string): string => `synchronisation-${batch}.csv`;

const byObjectType = (a: SyncHistory, b: SyncHistory): number =>
  a.objectType < b.objectType ? -1 : 1;

const fits = (record: SyncRecord, filter: RecordFilter): boolean =>
  (filter.objectType ?? record.objectType) === record.objectType &&
  (filter.actionType ?? record.actionType) === record.actionType &&
  (filter.status ?? record.status) === record.status;

/** A record without changes has an empty cell. */
const shown = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : value;
