import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   a run of one object type            identity_source_sync_history#<id>        HEAD
 *   the runs of a source, newest first  identity_source_sync_history#@of#<source id>  (gsi1) <id>
 *   both runs of a batch                identity_source_sync_history#@batch#<batch>   <id>
 *   the records of a run                identity_source_sync_record#<history id>      <record id>
 */
export const historyKey = (id: string): Key => ({
  pk: `identity_source_sync_history#${id}`,
  sk: 'HEAD',
});
export const historiesPartition = (sourceId: string): string =>
  `identity_source_sync_history#@of#${sourceId}`;
export const batchPartition = (batch: string): string =>
  `identity_source_sync_history#@batch#${batch}`;
export const batchKey = (batch: string, id: string): Key => ({
  pk: batchPartition(batch),
  sk: id,
});
export const recordsPartition = (historyId: string): string =>
  `identity_source_sync_record#${historyId}`;
export const recordKey = (historyId: string, id: string): Key => ({
  pk: recordsPartition(historyId),
  sk: id,
});
