import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { Item, Key, StorableItem } from '../../../../shared/store/table.ts';
import type { CaseHead } from '../../domain/cases/case-facts.ts';
import { hasEnded } from '../../domain/cases/case-facts.ts';
import type {
  EndedItem,
  HeadChange,
  OfferedWork,
  SignalChange,
} from '../../domain/cases/family-change.ts';
import {
  casesOfWorkflow,
  endedKey,
  entityPartition,
  headKey,
  RETENTIONS,
  signalPartition,
  startPlace,
  topicPartition,
  uniqueKey,
  workKey,
} from '../case-keys.ts';
import type { Packed } from '../packed.ts';

/** Record name of everything that belongs to a case. */
const CASE = 'case';

/** The head of a case; the indexes project which deployment it is of. */
export function headItem(head: CaseHead): StorableItem {
  const { tenantCode, workflowCode, state, entityType, entityId } = head;
  const { definitionVersion, deploymentId } = head;
  const place = startPlace(head);
  return {
    ...headKey(head.caseInstanceId),
    type: CASE,
    head,
    summary: { definitionVersion, deploymentId },
    gsi1pk: casesOfWorkflow(tenantCode, workflowCode, state),
    gsi1sk: place,
    ...(entityType !== undefined &&
      entityId !== undefined && {
        gsi2pk: entityPartition(tenantCode, entityType, entityId),
        gsi2sk: `CASE#${place}`,
      }),
  };
}

export const toHead = (item: Item): CaseHead => (item as Item & { head: CaseHead }).head;

/** The row that says until when an ended case stays. @param ownMs how long its definition keeps it, if it says so */
export function retentionKey(
  { caseInstanceId, endedAt = '' }: Pick<CaseHead, 'caseInstanceId' | 'endedAt'>,
  ownMs: number | undefined,
): Key {
  if (ownMs === undefined) return { pk: RETENTIONS.common, sk: `${endedAt}#${caseInstanceId}` };
  const until = toInstant(Date.parse(endedAt) + ownMs);
  return { pk: RETENTIONS.own, sk: `${until}#${caseInstanceId}` };
}

/** The claim of a unique business key, when the change takes or leaves it. */
export function businessKeyClaim({ before, after }: HeadChange): 'take' | 'leave' | undefined {
  if (!after.isBusinessKeyUnique || after.businessKey === undefined) return undefined;
  const held = before !== undefined && !hasEnded(before);
  const holds = !hasEnded(after);
  return held === holds ? undefined : holds ? 'take' : 'leave';
}

export const claimItem = (head: CaseHead): StorableItem => ({
  ...uniqueKey(head.tenantCode, head.workflowCode, head.businessKey ?? ''),
  caseInstanceId: head.caseInstanceId,
});

export function endedItem({ caseInstanceId, ...ended }: EndedItem, packed: Packed): StorableItem {
  const { definitionKey, definitionType, instance, repetitionCounter } = ended;
  const isReached = definitionType === 'milestone' && instance.state === 'completed';
  const { name, planItemId, state, stageInstanceId, createdAt, startedAt, endedAt } = instance;
  return {
    ...endedKey(caseInstanceId, instance.id, isReached),
    type: CASE,
    ...{ definitionKey, definitionType, name, planItemId, state, stageInstanceId },
    ...{ createdAt, startedAt, endedAt, repetitionCounter },
    childCaseInstanceId: instance.childCaseInstanceId,
    ...packed,
  };
}

export const signalItem = ({ isSubscribed: _, ...row }: SignalChange): StorableItem => ({
  pk: signalPartition(row.tenantCode, row.signalName),
  sk: row.planItemInstanceId,
  ...row,
});

export const workItem = ({ variables: _, ...work }: OfferedWork, packed: Packed): StorableItem => ({
  ...workKey(work.id),
  type: 'external_work',
  ...work,
  ...packed,
  retriesLeft: MAX_RETRIES,
  version: 1,
});
/** Tries of an external work unless a worker says otherwise. */
const MAX_RETRIES = 3;

export const topicRow = ({
  id,
  tenantCode,
  topic,
}: Pick<OfferedWork, 'id' | 'tenantCode' | 'topic'>): StorableItem => ({
  pk: topicPartition(tenantCode, topic),
  sk: id,
});
