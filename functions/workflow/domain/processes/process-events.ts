import type { TaskClosing, TaskRecord } from '../cases/task-record.ts';
import { CASE_TOPICS, type CaseTopic } from '../events/topics.ts';
import type { ProcessExecution } from './process-execution.ts';
import { isOver } from './process-head.ts';

interface ProcessEvent {
  readonly topic: CaseTopic;
  readonly data: Readonly<Record<string, unknown>>;
}

type PublishedExecution = ProcessExecution & {
  readonly opened: readonly TaskRecord[];
  readonly closed: ReadonlyMap<string, TaskClosing>;
};

/** Elements with events: activities, without flows and gateways. */
const WORK = /Task$|^task$|^subProcess$/;

/** The events that a command on a process publishes. */
export function processEvents(execution: PublishedExecution): ProcessEvent[] {
  return [
    ...lifecycle(execution, ['start', 'suspend', 'resume']),
    ...steps(execution),
    ...requests(execution),
    ...firedTimer(execution),
    ...endedTasks(execution),
    ...execution.opened.map(
      ({ taskId, familyId: _, isSuspended: _s, version: _v, reminders: _r, ...task }) => ({
        topic: CASE_TOPICS.taskCreated,
        data: { taskId, engineTaskId: taskId, planItemInstanceId: taskId, ...task },
      }),
    ),
    ...ended(execution),
  ];
}

const LIFECYCLE = {
  start: CASE_TOPICS.processStarted,
  suspend: CASE_TOPICS.processSuspended,
  resume: CASE_TOPICS.processResumed,
} as const;

function lifecycle(
  execution: PublishedExecution,
  types: readonly (keyof typeof LIFECYCLE)[],
): ProcessEvent[] {
  const type = types.find((candidate) => candidate === execution.command.type);
  return type ? [{ topic: LIFECYCLE[type], data: processFacts(execution) }] : [];
}

const processFacts = ({ head }: PublishedExecution) => ({
  name: head.name,
  caseDefinitionKey: head.processKey,
  startedBy: head.startedBy,
  startedAt: head.startedAt,
  parentCaseInstanceId: head.parent?.caseInstanceId,
});

function ended(execution: PublishedExecution): ProcessEvent[] {
  const { head, at } = execution;
  if (!isOver(head)) return [];
  const topic =
    head.state === 'completed' ? CASE_TOPICS.processCompleted : CASE_TOPICS.processTerminated;
  const durationMs = Date.parse(at) - Date.parse(head.startedAt);
  const end = { endState: head.state, endedAt: at, durationMs };
  return [{ topic, data: { ...processFacts(execution), ...end } }];
}

function steps({ result, model, at, by, completed }: PublishedExecution): ProcessEvent[] {
  return result.steps.flatMap((step): ProcessEvent[] => {
    if (step.type !== 'activityCompleted') return [];
    const { activityId } = step;
    const { type = '', name = activityId } = model.elements[activityId] ?? {};
    if (!WORK.test(type)) return [];
    const own = result.over.find((wait) => wait.activityId === activityId);
    const isOwn = own !== undefined && own.id === completed?.taskId;
    const { outcome } = isOwn ? completed.saying : {};
    const data = {
      ...{ planItemInstanceId: own?.id ?? activityId, planItemId: activityId },
      ...{ planItemDefinitionKey: activityId, type, name, state: 'completed', at, outcome },
      completedBy: isOwn ? by : undefined,
    };
    return [{ topic: CASE_TOPICS.stepCompleted, data }];
  });
}

function requests({ result, model, at }: PublishedExecution): ProcessEvent[] {
  return result.steps.flatMap((step): ProcessEvent[] => {
    if (step.type !== 'serviceRequested') return [];
    const { activityId, service, payload } = step;
    const name = model.elements[activityId]?.name ?? activityId;
    const data = { planItemDefinitionKey: activityId, name, service, payload, at };
    return [{ topic: CASE_TOPICS.serviceRequested, data }];
  });
}

function firedTimer({ command, result, model, at }: PublishedExecution): ProcessEvent[] {
  if (command.type !== 'fireTimer') return [];
  const fired = result.over.find(({ id }) => id === command.planItemInstanceId);
  if (!fired) return [];
  const { id, activityId, dueAt } = fired;
  const name = model.elements[activityId]?.name ?? activityId;
  const names = {
    planItemInstanceId: id,
    planItemId: activityId,
    planItemDefinitionKey: activityId,
  };
  return [{ topic: CASE_TOPICS.timerFired, data: { ...names, name, dueAt, firedAt: at } }];
}

function endedTasks({ result, model, closed }: PublishedExecution): ProcessEvent[] {
  return result.over.flatMap(({ id, activityId }): ProcessEvent[] => {
    const closing = closed.get(id);
    if (!closing) return [];
    const isDone = closing.status === 'COMPLETED';
    const name = model.elements[activityId]?.name ?? activityId;
    const data = {
      ...{ taskId: id, engineTaskId: id, planItemInstanceId: id, taskDefinitionKey: activityId },
      ...{ name, ...closing },
    };
    return [{ topic: isDone ? CASE_TOPICS.taskCompleted : CASE_TOPICS.taskCancelled, data }];
  });
}
