import type { LargeValue, RecordHeader } from '../entity/record.ts';
import type { IndexRow } from './index-rows.ts';

/** A record with the large values beside it. */
export interface LoadedRecord {
  readonly header: RecordHeader;
  readonly large: ReadonlyMap<string, LargeValue>;
  /** What an interrupted change has left to be done. */
  readonly leftOver?: LeftOver;
}

/** Rows of a record that are to be deleted, and who does it. */
export interface LeftOver {
  readonly id: string;
  readonly rows: readonly IndexRow[];
  /** Tells this change from others of the record. */
  readonly token: string;
  /** Entry of the journal. */
  readonly entry: string;
}
