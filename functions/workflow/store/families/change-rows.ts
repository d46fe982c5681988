import type { Key, StorableItem } from '../../../../shared/store/table.ts';
import { hasEnded } from '../../domain/cases/case-facts.ts';
import type { FamilyChange, HeadChange } from '../../domain/cases/family-change.ts';
import type { HistoryEntry } from '../../domain/cases/history.ts';
import type { TaskClosing, TaskRecord } from '../../domain/cases/task-record.ts';
import {
  businessKeyPartition,
  historyKey,
  signalPartition,
  startPlace,
  statePartition,
  topicPartition,
  workKey,
} from '../case-keys.ts';
import {
  endedItem,
  headItem,
  retentionKey,
  signalItem,
  topicRow,
  workItem,
} from '../cases/case-items.ts';
import type { Packed } from '../packed.ts';
import { callItems } from '../process-keys.ts';
import { taskKey, taskRowKeys } from '../task-keys.ts';
import { groupRow, taskItem } from '../tasks/task-items.ts';
import { timerItem, timerKeys } from '../timers/timer-items.ts';
import type { PackedParts } from './packed-parts.ts';
import type { RowWrite } from './row-writes.ts';

/** What a change writes besides the state and head of its family. */
export interface ChangeRows {
  /** Groups that have tasks now; each is remembered once and for all. */
  readonly groups: readonly Key[];
  /** Rows under which the family's own case is found. */
  readonly places: readonly RowWrite[];
  readonly writes: readonly RowWrite[];
  readonly closings: readonly RowClosing[];
}

/** A task that ends, and how many rows it has. */
export interface RowClosing {
  readonly taskId: string;
  readonly closing: TaskClosing;
  readonly rows: number;
}

/**
 * The rows of a change, in an order in which each finds what it needs: where they are written one after the other, a case
 * takes commands of its own once its state is there, and everything that such a command changes is there by then. Rows that
 * are forgotten when they are found without their case come later.
 * @param tasks those that the change ends, as they are stored; one that is not there has no rows
 */
export function rowsOf(
  change: FamilyChange,
  parts: PackedParts,
  tasks: readonly TaskRecord[],
): ChangeRows {
  const [own] = change.family.state.cases;
  const isOwn = ({ after }: HeadChange): boolean => after.caseInstanceId === own?.familyId;
  const writes: RowWrite[] = [
    ...change.heads.filter((head) => !isOwn(head)).flatMap(headRows),
    ...change.opened.flatMap(openedRows),
    ...change.suspensions.entries().map(([taskId, isSuspended]) => set(taskId, { isSuspended })),
    ...change.moved.entries().map(([taskId, familyId]) => set(taskId, { familyId })),
    ...change.ended.map((ended, at) => put(endedItem(ended, part(parts.ended, at)))),
    ...signalRows(change),
    ...workRows(change, parts),
    ...change.processes.flatMap((call, at) => callItems(call, part(parts.processes, at)).map(put)),
    ...change.history.map((entry, at) => put(historyItem(entry, part(parts.history, at)))),
    ...familyRows(change, parts),
    ...change.heads.flatMap((head) => retentionRows(change, head)),
    ...timerRows(change),
    ...change.announcements.map((announcement): RowWrite => ({ kind: 'announce', announcement })),
  ];
  const closings = tasks.flatMap((task): RowClosing[] => {
    const closing = change.closed.get(task.taskId);
    return closing ? [{ taskId: task.taskId, closing, rows: taskRowKeys(task).length }] : [];
  });
  const places = change.heads.filter(isOwn).flatMap(headRows);
  return { groups: groupsOf(change.opened), places, writes, closings };
}

/** States and heads of the cases that are not stored with the family: the head of each comes before its state. */
function familyRows({ family, heads }: FamilyChange, { families }: PackedParts): RowWrite[] {
  const [own] = family.state.cases;
  const others = heads.filter(({ after }) => after.caseInstanceId !== own?.familyId);
  return [...others.map(({ after }) => put(headItem(after))), ...families.map(put)];
}

/** Rows under which a case is found, as far as a change moves them. */
function headRows({ before, after }: HeadChange): RowWrite[] {
  const { tenantCode, businessKey, state } = after;
  const sk = startPlace(after);
  const rows: RowWrite[] = [];
  if (before?.state !== state) {
    rows.push({ kind: 'put', item: { pk: statePartition(tenantCode, state), sk } });
    if (before)
      rows.push({ kind: 'delete', key: { pk: statePartition(tenantCode, before.state), sk } });
  }
  if (!before && businessKey !== undefined) {
    rows.push({ kind: 'put', item: { pk: businessKeyPartition(tenantCode, businessKey), sk } });
  }
  return rows;
}

/** Until when an ended case stays; one that was brought back has no end. */
function retentionRows({ family, apart }: FamilyChange, { before, after }: HeadChange): RowWrite[] {
  const id = after.caseInstanceId;
  const { historyRetentionMs: own } = (apart.get(id) ?? family).facts[id] ?? {};
  const wasEnded = before !== undefined && hasEnded(before);
  if (wasEnded === hasEnded(after)) return [];
  return [
    wasEnded
      ? { kind: 'delete', key: retentionKey(before, own) }
      : put({ ...retentionKey(after, own), caseInstanceId: id }),
  ];
}

const put = (item: StorableItem): RowWrite => ({ kind: 'put', item });

const set = (taskId: string, members: Readonly<Record<string, unknown>>): RowWrite => ({
  kind: 'set',
  key: taskKey(taskId),
  members,
});

function part(parts: readonly Packed[], at: number): Packed {
  const packed = parts[at];
  if (!packed) throw new Error(`Part ${at} of the change was not packed`);
  return packed;
}

/** The rows come before the task: who sees the task finds all of them. */
function openedRows(task: TaskRecord): RowWrite[] {
  const isDone = task.completedAt !== undefined;
  const rows = isDone ? [] : taskRowKeys(task).map((key) => put({ ...key }));
  return [...rows, put(taskItem(task))];
}

/** The groups of all tasks, each once. */
function groupsOf(tasks: readonly TaskRecord[]): Key[] {
  const rows = tasks.flatMap(({ tenantCode, candidateGroups }) =>
    candidateGroups.map((group) => groupRow(tenantCode, group)),
  );
  return [...new Map(rows.map((row) => [`${row.pk} ${row.sk}`, row])).values()];
}

const timerRows = ({ timers }: FamilyChange): RowWrite[] =>
  [...timers.values()].flatMap((timer): RowWrite[] =>
    timer.isScheduled
      ? [put(timerItem(timer))]
      : timerKeys(timer).map((key) => ({ kind: 'delete', key })),
  );

const signalRows = ({ signals }: FamilyChange): RowWrite[] =>
  [...signals.values()].map((row) =>
    row.isSubscribed
      ? put(signalItem(row))
      : {
          kind: 'delete',
          key: {
            pk: signalPartition(row.tenantCode, row.signalName),
            sk: row.planItemInstanceId,
          },
        },
  );

function workRows({ works }: FamilyChange, parts: PackedParts): RowWrite[] {
  return [...works.values()].flatMap((work): RowWrite[] => {
    const { tenantCode, topic, id } = work;
    const unlisted: RowWrite = {
      kind: 'delete',
      key: { pk: topicPartition(tenantCode, topic), sk: id },
    };
    if ('isWithdrawn' in work) return [unlisted, { kind: 'delete', key: workKey(id) }];
    if ('isListed' in work) return [work.isListed ? put(topicRow(work)) : unlisted];
    const { isSuspended = false, ...offered } = work;
    const item = put(workItem(offered, parts.works.get(id) ?? { json: '{}' }));
    return isSuspended ? [item] : [put(topicRow(work)), item];
  });
}

/** An entry of the history of a case, as it is stored. */
export function historyItem({ changes: _, ...entry }: HistoryEntry, packed: Packed): StorableItem {
  const { caseInstanceId, id, at, by, command } = entry;
  return { ...historyKey(caseInstanceId, id), type: 'case_history', at, by, command, ...packed };
}
