export const OBJECT_TYPES = ['USER', 'ORGANIZATION'] as const;
export const TRIGGER_TYPES = ['JOB', 'MANUAL', 'EVENT'] as const;
export const SYNC_MODES = ['FULL', 'INCREMENTAL'] as const;
export const RUN_STATUSES = [
  'PENDING',
  'SUCCESS',
  'PARTIAL',
  'FAIL',
  'SKIP',
  'SUSPENDED',
  'CANCELLED',
  'PREVIEW',
] as const;
export const ACTION_TYPES = [
  'INSERT',
  'UPDATE',
  'DELETE',
  'DISABLE',
  'ENABLE',
  'MOVE',
  'LINK',
] as const;
export const RECORD_STATUSES = ['SUCCESS', 'SKIP', 'FAIL'] as const;

export type ObjectType = (typeof OBJECT_TYPES)[number];
export type TriggerType = (typeof TRIGGER_TYPES)[number];
export type SyncMode = (typeof SYNC_MODES)[number];
export type RunStatus = (typeof RUN_STATUSES)[number];
export type ActionType = (typeof ACTION_TYPES)[number];
export type RecordStatus = (typeof RECORD_STATUSES)[number];

/** How many objects came to which end. */
export interface SyncCounts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly disabled: number;
  readonly skipped: number;
  readonly failed: number;
  readonly unchanged: number;
}

export const NO_COUNTS: SyncCounts = {
  created: 0,
  updated: 0,
  deleted: 0,
  disabled: 0,
  skipped: 0,
  failed: 0,
  unchanged: 0,
};

/** One run of a source over its people or over its groups: two of them share a batch. */
export interface SyncHistory {
  readonly id: string;
  readonly batch: string;
  readonly identitySourceId: string;
  readonly tenant: string;
  readonly objectType: ObjectType;
  readonly triggerType: TriggerType;
  readonly syncMode: SyncMode;
  /** Whether the run compares the users alone that it was asked for. */
  readonly isOfSome?: boolean | undefined;
  readonly counts: SyncCounts;
  readonly startTime: string;
  readonly endTime?: string | undefined;
  readonly status: RunStatus;
  readonly reasonCode?: string | undefined;
  readonly desc?: string | undefined;
  readonly requestedBy?: string | undefined;
  readonly executionArn?: string | undefined;
  readonly planKey?: string | undefined;
  /** Objects that the source has. */
  readonly sourceTotal?: number | undefined;
  readonly version: number;
}

/** One field that a run changed; never a secret. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Reason of records of a plan that is not applied yet. */
export const PLANNED = 'PLANNED';

/** What a run did with one object. */
export interface SyncRecord {
  /** Follows from batch, object type and external id: a repeated step writes the same record. */
  readonly id: string;
  readonly syncHistoryId: string;
  readonly actionType: ActionType;
  readonly objectType: ObjectType;
  readonly objectId?: string | undefined;
  readonly externalId: string;
  readonly objectName: string;
  readonly status: RecordStatus;
  readonly reasonCode?: string | undefined;
  readonly desc?: string | undefined;
  readonly changes: readonly FieldChange[];
  readonly time: string;
}
