import type { IdGenerator } from '../../../../shared/primitives/ids.ts';
import type { Key, Table, Update } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { sameJson } from '../../domain/cmmn/basics/json.ts';
import { CHANGEABLE, differencesOf, factsFor } from '../../domain/tasks/task-differences.ts';
import { changedTaskKey } from '../case-keys.ts';
import { settingMembers } from '../set-members.ts';
import { taskKey, taskRowKeys } from '../task-keys.ts';
import { isAsRead, readTasks } from '../tasks/task-items.ts';
import { type TaskAct, taskHistoryItem } from '../tasks/task-notes.ts';
import type { CaseObjects } from './case-objects.ts';
import { historyItem } from './change-rows.ts';
import type { RestRunner } from './rest-runner.ts';
import { type RowWrite, stageRow } from './row-writes.ts';

export interface TaskWriterDependencies {
  readonly table: Table;
  readonly rests: RestRunner;
  readonly objects: CaseObjects;
  readonly ids: IdGenerator;
}

/** Rows that are moved in the transaction of an action; more are moved after it. */
const ROOM = 80;
/** Rows of one chunk of a rest. */
const CHUNK = 90;
/** A task with more rows may have some that an earlier action has yet to move. */
const MAX_NARROW = 20;

/** Reads and changes open tasks, without their cases. */
export class TaskWriter {
  readonly #deps: TaskWriterDependencies;

  constructor(dependencies: TaskWriterDependencies) {
    this.#deps = dependencies;
  }

  /** A task as it is now. */
  async read(taskId: string): Promise<TaskRecord | undefined> {
    const [task] = await readTasks(this.#deps.table, [taskId]);
    return task;
  }

  /** A task whose rows are all in their places. */
  async readForChange(taskId: string): Promise<TaskRecord | undefined> {
    const task = await this.read(taskId);
    if (!task || taskRowKeys(task).length <= MAX_NARROW) return task;
    await this.#deps.rests.finish(task.familyId);
    return this.read(taskId);
  }

  /**
   * Stages a changed task with the rows under which it is found, what the engine is to know of it, and its history; the
   * unit runs again after a concurrent change.
   */
  async stage(
    unit: UnitOfWork,
    before: TaskRecord,
    changed: TaskRecord,
    act: TaskAct,
  ): Promise<void> {
    const after = { ...changed, version: before.version + 1 };
    unit.update(taskKey(after.taskId), updateTo(after), {
      condition: isAsRead(before),
      otherwise: 'retry',
    });
    const change = factsFor(after);
    // A process asks its tasks for nothing.
    if (after.engine !== 'BPMN' && !sameJson(change, factsFor(before))) {
      const key = changedTaskKey(after.familyId, after.taskId);
      unit.put({ ...key, type: 'case_task_change', change, version: after.version });
    }
    await this.#stageRows(unit, before, after);
    await this.#stageHistory(unit, before, after, act);
  }

  async #stageRows(unit: UnitOfWork, before: TaskRecord, after: TaskRecord): Promise<void> {
    const writes = movedRows(taskRowKeys(before), taskRowKeys(after));
    if (writes.length <= ROOM) {
      for (const write of writes) stageRow(unit, write);
      return;
    }
    const chunks: RowWrite[][] = [];
    for (let at = 0; at < writes.length; at += CHUNK) chunks.push(writes.slice(at, at + CHUNK));
    await this.#deps.rests.stage(unit, after.familyId, chunks);
  }

  async #stageHistory(
    unit: UnitOfWork,
    before: TaskRecord,
    after: TaskRecord,
    act: TaskAct,
  ): Promise<void> {
    const { objects, ids } = this.#deps;
    const { taskId, caseInstanceId } = after;
    const differences = differencesOf(before, after);
    const id = ids();
    unit.put(taskHistoryItem(taskId, id, act, differences));
    const { action, at, by, onBehalfOf } = act;
    const changes = differences.map((difference) => ({
      type: 'taskChanged',
      planItemInstanceId: taskId,
      ...difference,
    }));
    const command = {
      ...{ type: `${action}Task`, planItemInstanceId: taskId },
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    };
    const packed = await objects.pack(unit, changes, `${caseInstanceId}/history`);
    unit.put(historyItem({ caseInstanceId, id, at, by, command, changes }, packed));
  }
}

/** What actions change, besides the version. */
const MEMBERS = [...CHANGEABLE, 'claimedAt', 'reminders'] as const;

function updateTo(task: TaskRecord): Update {
  const { expression, ...rest } = settingMembers({ ...pick(task), version: task.version });
  const gone = MEMBERS.filter((name) => task[name] === undefined);
  return {
    ...rest,
    expression:
      gone.length === 0
        ? expression
        : `${expression} REMOVE ${gone.map((name) => `#${name}`).join(', ')}`,
    names: { ...rest.names, ...Object.fromEntries(gone.map((name) => [`#${name}`, name])) },
  };
}

const pick = (task: TaskRecord) => Object.fromEntries(MEMBERS.map((name) => [name, task[name]]));

type RowMove = Extract<RowWrite, { kind: 'put' | 'delete' }>;

/** Rows that are new, and those that go. */
function movedRows(before: readonly Key[], after: readonly Key[]): RowMove[] {
  const identity = ({ pk, sk }: Key): string => `${pk} ${sk}`;
  const [old, fresh] = [new Set(before.map(identity)), new Set(after.map(identity))];
  return [
    ...after
      .filter((key) => !old.has(identity(key)))
      .map((key) => ({ kind: 'put' as const, item: { ...key } })),
    ...before
      .filter((key) => !fresh.has(identity(key)))
      .map((key) => ({ kind: 'delete' as const, key })),
  ];
}

/** Where a unit checks that a task is as it was read, without changing it. */
export const checkTask = (unit: UnitOfWork, task: TaskRecord): void =>
  unit.check(taskKey(task.taskId), { condition: isAsRead(task), otherwise: 'retry' });
