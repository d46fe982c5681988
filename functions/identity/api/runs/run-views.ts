import type { SyncHistory, SyncRecord } from '../../domain/runs/history.ts';

/** Maps a run to its answer. */
export const toHistory = ({ counts, ...run }: SyncHistory) => ({
  id: run.id,
  batch: run.batch,
  identitySourceId: run.identitySourceId,
  objectType: run.objectType,
  triggerType: run.triggerType,
  syncMode: run.syncMode,
  compared: run.isOfSome ? 'SOME' : 'ALL',
  createdCount: counts.created,
  updatedCount: counts.updated,
  deletedCount: counts.deleted,
  disabledCount: counts.disabled,
  skippedCount: counts.skipped,
  failedCount: counts.failed,
  unchangedCount: counts.unchanged,
  startTime: run.startTime,
  endTime: run.endTime ?? null,
  spendTime: run.endTime === undefined ? null : Date.parse(run.endTime) - Date.parse(run.startTime),
  status: run.status,
  reasonCode: run.reasonCode ?? null,
  desc: run.desc ?? null,
  requestedBy: run.requestedBy ?? null,
  sourceTotal: run.sourceTotal ?? null,
});

/** Maps a record to its answer. */
export const toRecord = (record: SyncRecord) => ({
  ...record,
  objectId: record.objectId ?? null,
  reasonCode: record.reasonCode ?? null,
  desc: record.desc ?? null,
  changes: record.changes.map(({ field, from, to }) => ({
    ...{ field, from: from ?? null, to: to ?? null },
  })),
});
