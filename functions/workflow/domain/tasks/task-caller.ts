import type { TaskRecord } from '../cases/task-record.ts';
import { fitsKey } from '../cmmn/basics/key-text.ts';

/** Who asks for something about tasks. */
export interface TaskCaller {
  readonly id: string;
  /** What assignees, owners and candidates may be called by to be the caller: id and username. */
  readonly names: readonly string[];
  /** The absent user for whom the caller acts; the names are those of both then. */
  readonly onBehalfOf?: string;
  /** Candidate groups that are the caller's. */
  readonly groups: readonly string[];
}

/** Whether tasks and their lists can be kept for the user. */
export const isNameable = ({ id }: { readonly id: string }): boolean => fitsKey(id);

/** The id and username of a user; a username that is too long for keys cannot be an assignee. */
export const namesOfUser = ({
  id,
  username,
}: {
  readonly id: string;
  readonly username: string;
}): readonly string[] => [...new Set([id, username])].filter(fitsKey);

/** Whether the caller has the task. */
export const isAssignee = (
  { assignee }: Pick<TaskRecord, 'assignee'>,
  { names }: TaskCaller,
): boolean => assignee !== undefined && names.includes(assignee);

/** Whether the caller has delegated the task. */
const isOwner = ({ owner }: Pick<TaskRecord, 'owner'>, { names }: TaskCaller): boolean =>
  owner !== undefined && names.includes(owner);

/** Whether the task is offered to the caller, by name or by group. */
export const isCandidate = (
  { candidateUsers, candidateGroups }: Pick<TaskRecord, 'candidateUsers' | 'candidateGroups'>,
  { names, groups }: TaskCaller,
): boolean =>
  names.some((name) => candidateUsers.includes(name)) ||
  groups.some((group) => candidateGroups.includes(group));

/** Whether the task is the caller's in any way. */
export const concerns = (task: TaskRecord, caller: TaskCaller): boolean =>
  isAssignee(task, caller) || isOwner(task, caller) || isCandidate(task, caller);
