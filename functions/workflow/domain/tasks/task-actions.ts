import { isOpen, type TaskRecord } from '../cases/task-record.ts';
import { isAssignee, isCandidate, type TaskCaller } from './task-caller.ts';

/** Why an action does not fit the state of a task. */
export type TaskRefusal =
  | 'NOT_ACTIVE'
  | 'ALREADY_CLAIMED'
  | 'CLAIMED_BY_OTHER'
  | 'NOT_CLAIMED'
  | 'DELEGATED'
  | 'NOT_DELEGATED'
  | 'ONESELF';

/** An action on a task that leaves it open; the same one, when it changes nothing. */
export type TaskStep = { readonly task: TaskRecord } | { readonly refusal: TaskRefusal };

interface Doing {
  readonly caller: TaskCaller;
  readonly at: string;
}

const refuse = (refusal: TaskRefusal): TaskStep => ({ refusal });

/** Whether users may work on the task now. */
export const isActive = (task: TaskRecord): boolean => isOpen(task) && !task.isSuspended;

/** Takes a task; who has it already, keeps it, and who stands in for that one takes it over. */
export function claim(task: TaskRecord, { caller, at }: Doing): TaskStep {
  if (!isActive(task)) return refuse('NOT_ACTIVE');
  if (task.assignee === undefined) return { task: taken(task, caller.id, at) };
  if (!isAssignee(task, caller)) return refuse('ALREADY_CLAIMED');
  if (caller.onBehalfOf !== undefined && task.status !== 'DELEGATED') {
    return { task: taken(task, caller.id, at) };
  }
  return { task: task.status === 'PENDING' ? taken(task, task.assignee, at) : task };
}

/** Gives a claimed task back to its candidates. */
export function unclaim(task: TaskRecord): TaskStep {
  if (!isActive(task)) return refuse('NOT_ACTIVE');
  if (task.status === 'DELEGATED') return refuse('DELEGATED');
  if (task.status === 'PENDING') return refuse('NOT_CLAIMED');
  return { task: freed(task) };
}

/** Assigns a task to a user, or returns it to its candidates. @param assignee `null`: the candidates */
export function assign(task: TaskRecord, assignee: string | null, { at }: Doing): TaskStep {
  if (!isActive(task)) return refuse('NOT_ACTIVE');
  if (task.status === 'DELEGATED') return refuse('DELEGATED');
  return { task: assignee === null ? freed(task) : taken(task, assignee, at) };
}

/** Delegates a task to a user who returns it after the work. */
export function delegate(task: TaskRecord, to: string, { caller }: Doing): TaskStep {
  if (!isActive(task)) return refuse('NOT_ACTIVE');
  if (task.status === 'DELEGATED') return refuse('DELEGATED');
  if (!isAssignee(task, caller)) return refuse('NOT_CLAIMED');
  if (caller.names.includes(to)) return refuse('ONESELF');
  const owner = task.owner ?? task.assignee;
  return {
    task: { ...task, status: 'DELEGATED', assignee: to, owner, delegationState: 'PENDING' },
  };
}

/** Gives a delegated task back to its owner. */
export function resolve(task: TaskRecord): TaskStep {
  if (!isActive(task)) return refuse('NOT_ACTIVE');
  if (task.status !== 'DELEGATED') return refuse('NOT_DELEGATED');
  return { task: returned(task) };
}

/** A delegated task that is back with its owner. */
export const returned = (task: TaskRecord): TaskRecord => ({
  ...task,
  status: 'CLAIMED',
  assignee: task.owner,
  delegationState: 'RESOLVED',
});

/** Why the caller cannot work on the task: complete it, or save a draft. */
export function refusalOfWork(task: TaskRecord, caller: TaskCaller): TaskRefusal | undefined {
  if (!isActive(task)) return 'NOT_ACTIVE';
  if (task.assignee === undefined || isAssignee(task, caller)) return undefined;
  return task.status === 'DELEGATED' ? 'DELEGATED' : 'CLAIMED_BY_OTHER';
}

/** What the caller may do with the task, as far as assignment and state say. */
export function allowedActions(task: TaskRecord, caller: TaskCaller): readonly string[] {
  if (!isActive(task)) return [];
  if (task.assignee === undefined) {
    return isCandidate(task, caller) ? ['claim', 'complete', 'saveDraft'] : [];
  }
  if (!isAssignee(task, caller)) return [];
  if (task.status === 'DELEGATED') return ['complete', 'saveDraft', 'resolve'];
  const first = task.status === 'PENDING' ? 'claim' : 'unclaim';
  return [first, 'complete', 'saveDraft', 'delegate'];
}

const taken = (task: TaskRecord, assignee: string, claimedAt: string): TaskRecord => ({
  ...task,
  status: 'CLAIMED',
  assignee,
  claimedAt,
});

/** Who had it before has nothing to do with it any more, unless the model says so. */
function freed({
  assignee: _,
  claimedAt: _at,
  delegationState,
  owner,
  ...task
}: TaskRecord): TaskRecord {
  const kept = delegationState === undefined && owner !== undefined ? { owner } : {};
  return { ...task, ...kept, status: 'PENDING' };
}
