import type { LargeValue, RecordHeader } from '../entity/record.ts';
import type { IndexRow } from './index-rows.ts';

/** A record with its large values. */
export interface LoadedRecord {
  readonly header: RecordHeader;
  readonly large: ReadonlyMap<string, LargeValue>;
  /** Ids of its files. */
  readonly files: readonly string[];
  /** Pending work of an interrupted change. */
  readonly leftOver?: LeftOver;
}

/** Rows of a record that are to be deleted, and who does it. */
export interface LeftOver {
  readonly id: string;
  /** `journal`: so many that they are in the journal. */
  readonly rows: readonly IndexRow[] | 'journal';
  /** Unique token of the change. */
  readonly token: string;
  /** Entry of the journal. */
  readonly entry: string;
}
