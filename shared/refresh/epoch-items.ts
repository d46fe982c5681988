import type { Item, Key } from '../store/table.ts';

/** Partition of the refresh epoch: the truth about what was refreshed, whatever becomes of the notices. */
export const REFRESH_PARTITION = 'setting#@refresh';

/** The counter: one step for each refresh. */
export const epochKey: Key = { pk: REFRESH_PARTITION, sk: 'epoch' };

/** The item that holds the counter. */
export interface EpochItem extends Item {
  readonly epoch: number;
}

/** What one step refreshed. */
export interface EpochEntry extends Item {
  readonly epoch: number;
  readonly key: string;
}

/** Sort key of an entry; the number is padded so that entries sort. */
export const entrySortKey = (epoch: number): string => `e#${String(epoch).padStart(12, '0')}`;

/** Key that stands for every refresh-scoped value. */
export const REFRESH_ALL = '__REFRESH_ALL__';

/** Topic of the notices. */
export const REFRESH_TOPIC = 'iam-config-refresh';
