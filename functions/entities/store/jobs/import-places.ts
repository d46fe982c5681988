import { versionIs } from '../../../../shared/store/conditions.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { ImportCounts } from '../../domain/transfer/import-counts.ts';

/*
 * Access patterns
 *   place of an import   get   DYN_JOB#<id> / P
 */
const placeKey = (jobId: string): Key => ({ pk: `DYN_JOB#${jobId}`, sk: 'P' });

/** As long as the job. */
const KEPT_SECONDS = 7 * 24 * 3_600;

/** What is known of rows. */
export interface RowNotes {
  /** Those that have a result: a bit for each, in hexadecimal digits. */
  readonly done: string;
  readonly counts: ImportCounts;
}

/** How far the step of an import is. It is stored in the transaction of each change, so no row is done or counted twice. */
export interface ImportPlace {
  /** Counts its writes; 0: it has none. */
  readonly version: number;
  /** The step that it belongs to. */
  readonly step: string;
  /** What that has made so far. */
  readonly notes: RowNotes;
}

type PlaceItem = Item & ImportPlace;

/** How far the steps of imports are. */
export class ImportPlaces {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async load(jobId: string): Promise<ImportPlace | undefined> {
    return this.#table.get<PlaceItem>(placeKey(jobId));
  }

  /** @param otherwise error when another run of the job was faster */
  stage(
    unit: UnitOfWork,
    jobId: string,
    { version, step, notes }: ImportPlace,
    { nowMs, otherwise }: { readonly nowMs: number; readonly otherwise: () => Error },
  ): void {
    unit.put(
      {
        ...placeKey(jobId),
        type: 'DYN_JOB',
        ...{ version, step, notes },
        ttl: Math.floor(nowMs / 1_000) + KEPT_SECONDS,
      },
      { condition: versionIs(version - 1), otherwise },
    );
  }
}
