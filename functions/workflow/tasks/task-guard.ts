import type { Host } from '../../../shared/host/host.ts';
import { isPermitted } from '../../../shared/ports/permissions.ts';
import type { TaskFacts, TaskGroups, TaskOperation } from '../../../shared/ports/workflow.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { sees } from '../cases/visibility.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { TaskCaller } from '../domain/tasks/task-caller.ts';
import { problems } from '../errors.ts';

type TaskHost = Pick<
  Host,
  'permissionEvaluator' | 'workflowTaskAuthorizationService' | 'workflowTaskCandidateGroupResolver'
>;

/** Asks the host who may do what with tasks. */
export class TaskGuard {
  readonly #host: TaskHost;

  constructor({ host }: { host: TaskHost }) {
    this.#host = host;
  }

  /**
   * The caller of an operation on a task, once the host has allowed it.
   * @throws Problem `TASK_NOT_FOUND` (404) when the caller's tenant has no such task, `FORBIDDEN` (403)
   */
  async admit(
    operation: TaskOperation,
    task: TaskRecord | undefined,
    taskId: string,
    principal: Principal,
  ): Promise<{ readonly task: TaskRecord; readonly caller: TaskCaller }> {
    if (!task || !sees(principal, task.tenantCode)) throw problems.taskNotFound({ taskId });
    const resolved = await this.groupsAmong(task.candidateGroups, principal);
    await this.#require(operation, toFacts(task), principal, resolved);
    return { task, caller: callerOf(principal, resolved) };
  }

  /**
   * The caller of a list, once the host has allowed it.
   * @param candidateGroups groups that have had tasks
   * @throws Problem `FORBIDDEN` (403)
   */
  async admitToList(candidateGroups: readonly string[], principal: Principal): Promise<TaskCaller> {
    const resolved = await this.groupsAmong(candidateGroups, principal);
    await this.#require('list', null, principal, resolved);
    return callerOf(principal, resolved);
  }

  /** Those of the groups that are the caller's. */
  async groupsAmong(
    candidateGroups: readonly string[],
    principal: Principal,
  ): Promise<readonly string[]> {
    const resolver = this.#host.workflowTaskCandidateGroupResolver;
    const own = resolver
      ? await resolver.resolve(principal.id, candidateGroups, principal)
      : [...principal.roles, ...principal.groups];
    return candidateGroups.filter((group) => own.includes(group));
  }

  /** Whether the caller sees tasks of others: who sees cases does. */
  seesAll(principal: Principal): Promise<boolean> {
    return isPermitted(this.#host.permissionEvaluator, principal, 'workflow:case', 'view');
  }

  async #require(
    operation: TaskOperation,
    task: TaskFacts | null,
    principal: Principal,
    resolved: readonly string[],
  ): Promise<void> {
    const token = [...principal.roles, ...principal.groups];
    const groups: TaskGroups = { resolved, token };
    const policy = this.#host.workflowTaskAuthorizationService;
    const isAllowed = await policy?.isAllowed(operation, task, principal, groups);
    if (isAllowed !== true) throw httpProblems.forbidden({ permission: `task:${operation}` });
  }
}

const callerOf = ({ id, username }: Principal, groups: readonly string[]): TaskCaller => ({
  id,
  names: [...new Set([id, username])],
  groups,
});

/** A task as policies and interceptors see it. */
export const toFacts = (task: TaskRecord): TaskFacts => ({
  taskId: task.taskId,
  taskDefinitionKey: task.taskDefinitionKey,
  status: statusOf(task),
  assignee: task.assignee,
  owner: task.owner,
  candidateUsers: task.candidateUsers,
  candidateGroups: task.candidateGroups,
  caseInstanceId: task.caseInstanceId,
  workflowCode: task.workflowCode,
  tenantCode: task.tenantCode,
  entityType: task.entityType,
  entityId: task.entityId,
});

/** The status that others see. */
export const statusOf = ({ status, isSuspended }: TaskRecord): string =>
  isSuspended && status !== 'COMPLETED' && status !== 'CANCELLED' ? 'SUSPENDED' : status;
