import type { ItemFailure, ItemResult, WriteOptions } from '../../../../shared/ports/identity.ts';

/** Whether a writer was replaced by another one. */
export type IsFenced = (options?: WriteOptions) => boolean;

export const refused = (code: ItemFailure): ItemResult<never> => ({
  kind: 'failed',
  code,
  detail: code,
});

export const done = <T>(value: T): ItemResult<T> => ({ kind: 'ok', value });
