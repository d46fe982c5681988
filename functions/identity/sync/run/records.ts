import type { ReasonCode } from '../../domain/directory/directory.ts';
import type {
  ActionType,
  FieldChange,
  ObjectType,
  RecordStatus,
  SyncRecord,
} from '../../domain/runs/history.ts';
import type { Run } from './run.ts';

/** Record of one object. */
export interface RecordFacts {
  readonly objectType: ObjectType;
  readonly actionType: ActionType;
  readonly status: RecordStatus;
  readonly externalId: string;
  readonly objectId?: string | undefined;
  readonly objectName: string;
  readonly reasonCode?: ReasonCode | string | undefined;
  readonly desc?: string | undefined;
  readonly changes?: readonly FieldChange[] | undefined;
  /** Present where it is told beside what was done with the same object; then once for each reason. */
  readonly isNote?: boolean | undefined;
}

/** The record of an object: its id follows from batch, type and object, so that a repeated step writes the same one. */
export function recordOf(
  run: Run,
  { isNote = false, ...facts }: RecordFacts,
  time: string,
): SyncRecord {
  const { objectType, externalId, reasonCode } = facts;
  const isOfUser = objectType === 'USER';
  const kind = isNote ? `n.${reasonCode}` : isOfUser ? 'u' : 'o';
  return {
    id: `${run.batch}.${kind}.${externalId}`,
    syncHistoryId: isOfUser ? run.userHistoryId : run.organizationHistoryId,
    changes: [],
    ...facts,
    time,
  };
}
