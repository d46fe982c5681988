import type { OpenedTask, ProcessModel, ProcessStep, Wait } from '../bpmn/index.ts';
import type { FamilyChange, TimerChange } from '../cases/family-change.ts';
import type { HistoryChange } from '../cases/history.ts';
import { timerPlace } from '../cases/row-changes.ts';
import type { TaskClosing, TaskRecord } from '../cases/task-record.ts';
import { remindersOf } from '../cases/task-reminders.ts';
import { STATE_FORMAT_VERSION } from '../cmmn/contract/state.ts';
import { processEvents } from './process-events.ts';
import type { ProcessExecution } from './process-execution.ts';
import type { ProcessHead } from './process-head.ts';

/** The rows that a command writes, and the head with the number of its last event. */
export interface ProcessChange {
  readonly head: ProcessHead;
  readonly rows: FamilyChange;
}

/** What is to be stored after a command, besides state and head. Pure but for the ids that it takes. */
export function processChange(execution: ProcessExecution): ProcessChange {
  const { head, result, command, at, by, newId } = execution;
  const { processInstanceId } = head;
  const opened = openedTasks(execution);
  const closed = closings(execution);
  const facts = { ...execution, opened, closed };
  const events = processEvents(facts).filter(({ topic }) => execution.isSent(topic));
  const announcements = events.map(({ topic, data }, index) => ({
    topic,
    key: processInstanceId,
    payload: { ...aboutOf(head), actor: by, sequence: head.sequence + index + 1, ...data },
  }));
  const tasks = opened.map(({ taskId }) => taskId);
  const entry = {
    ...{ caseInstanceId: processInstanceId, id: newId(), at, by },
    command: tasks.length > 0 ? { ...command, opened: tasks } : command,
  };
  const rows: FamilyChange = {
    ...NOTHING,
    ...{ opened, closed, announcements },
    suspensions: execution.suspensions ?? new Map(),
    timers: timersOf(execution),
    history: [{ ...entry, changes: result.steps.map(toldStep) }],
  };
  return { head: { ...head, sequence: head.sequence + events.length }, rows };
}

/** A step as the history stores it, without the payload of its message. */
function toldStep(step: ProcessStep): HistoryChange {
  if (step.type !== 'serviceRequested') return { ...step };
  const { payload: _, ...facts } = step;
  return facts;
}

/** What of cases a process does not have. */
const NOTHING = {
  family: { state: { formatVersion: STATE_FORMAT_VERSION, cases: [] }, facts: {}, topics: {} },
  apart: new Map(),
  heads: [],
  moved: new Map(),
  ended: [],
  signals: new Map(),
  works: new Map(),
  processes: [],
} satisfies Partial<FamilyChange>;

/** What every event of a process says. */
const aboutOf = (head: ProcessHead) => ({
  tenantCode: head.tenantCode,
  workflowCode: head.workflowCode,
  definitionVersion: head.definitionVersion,
  caseInstanceId: head.processInstanceId,
  processInstanceId: head.processInstanceId,
  businessKey: head.businessKey,
  entityType: head.entityType,
  entityId: head.entityId,
});

function openedTasks({ head, model, result, at, reminderLeadMs }: ProcessExecution): TaskRecord[] {
  return result.begun.flatMap((wait): TaskRecord[] => {
    const task = result.tasks.get(wait.id);
    if (!task) return [];
    const reminders = remindersOf(task.dueDate, at, reminderLeadMs);
    const own = recordOf(wait, task, head, at);
    return [{ ...own, ...apartness(model, wait.activityId), ...(reminders && { reminders }) }];
  });
}

/** From whom a task is kept, and whether its completer is kept from another one. */
function apartness(
  { userTasks }: ProcessModel,
  activityId: string,
): Pick<TaskRecord, 'excludeCompletersOf' | 'isExcluding'> {
  const { excludeCompletersOf } = userTasks[activityId] ?? {};
  const isExcluding = Object.values(userTasks).some((task) =>
    task.excludeCompletersOf?.includes(activityId),
  );
  return {
    ...(excludeCompletersOf && { excludeCompletersOf }),
    ...(isExcluding && { isExcluding }),
  };
}

const recordOf = (wait: Wait, task: OpenedTask, head: ProcessHead, at: string): TaskRecord => ({
  taskId: wait.id,
  engine: 'BPMN',
  ...aboutOf(head),
  familyId: head.processInstanceId,
  caseName: head.name,
  taskDefinitionKey: wait.activityId,
  planItemId: wait.activityId,
  status: 'PENDING',
  isSuspended: false,
  ...task,
  createdAt: at,
  version: 1,
});

function closings({ result, completed, at, by }: ProcessExecution): Map<string, TaskClosing> {
  const tasks = result.over.filter(({ kind }) => kind === 'task');
  return new Map(
    tasks.map(({ id }): [string, TaskClosing] => [
      id,
      id === completed?.taskId
        ? { status: 'COMPLETED', completedAt: at, completedBy: by, ...completed.saying }
        : { status: 'CANCELLED', completedAt: at, cancelReason: 'exit' },
    ]),
  );
}

function timersOf(execution: ProcessExecution): ReadonlyMap<string, TimerChange> {
  const { begun, over } = execution.result;
  const changes = [
    ...over.map((wait) => timerOf(wait, execution, false)),
    ...begun.map((wait) => timerOf(wait, execution, true)),
  ].flat();
  return new Map(changes.map((change) => [timerPlace(change), change]));
}

function timerOf(
  { id, kind, activityId, dueAt }: Wait,
  { head, model, at }: ProcessExecution,
  isScheduled: boolean,
): TimerChange[] {
  if (kind !== 'timer' || dueAt === undefined) return [];
  const { processInstanceId, tenantCode } = head;
  const about = { tenantCode, familyId: processInstanceId, caseInstanceId: processInstanceId };
  const name = model.elements[activityId]?.name ?? activityId;
  const own = { planItemInstanceId: id, definitionKey: activityId, name, dueAt, at, isScheduled };
  return [{ ...about, ...own, engine: 'BPMN' }];
}
