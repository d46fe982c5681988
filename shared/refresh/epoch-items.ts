import type { Item, Key } from '../store/table.ts';

/** Partition of the refresh epoch: the source of truth about refreshes, even if notices are lost. */
export const REFRESH_PARTITION = 'setting#@refresh';

/** The counter, incremented by each refresh. */
export const epochKey: Key = { pk: REFRESH_PARTITION, sk: 'epoch' };

/** The item that holds the counter. */
export interface EpochItem extends Item {
  readonly epoch: number;
}

/** The keys refreshed by one step. */
export interface EpochEntry extends Item {
  readonly epoch: number;
  readonly key: string;
}

/** Sort key of an entry; the number is padded so that entries sort. */
export const entrySortKey = (epoch: number): string => `e#${String(epoch).padStart(12, '0')}`;

/** Key of a refresh of all values. */
export const REFRESH_ALL = '__REFRESH_ALL__';

/** Topic of the notices. */
export const REFRESH_TOPIC = 'iam-config-refresh';
