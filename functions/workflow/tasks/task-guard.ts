import type { Host } from '../../../shared/host/host.ts';
import { isPermitted } from '../../../shared/ports/permissions.ts';
import type { TaskFacts, TaskGroups, TaskOperation } from '../../../shared/ports/workflow.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { sees } from '../cases/visibility.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import { concerns, isNameable, namesOfUser, type TaskCaller } from '../domain/tasks/task-caller.ts';
import { problems } from '../errors.ts';
import { HostQuestions, type HostQuestionsDependencies } from './host-questions.ts';
import type { Substitutes } from './people/substitutes.ts';

type TaskHost = Pick<
  Host,
  'permissionEvaluator' | 'workflowTaskAuthorizationService' | 'workflowTaskCandidateGroupResolver'
>;

/** Asks the host who may do what with tasks. */
export class TaskGuard {
  readonly #host: TaskHost;
  readonly #questions: HostQuestions;
  readonly #substitutes: Substitutes;

  constructor(
    given: HostQuestionsDependencies & {
      readonly host: TaskHost;
      readonly substitutes: Substitutes;
    },
  ) {
    this.#host = given.host;
    this.#questions = new HostQuestions(given);
    this.#substitutes = given.substitutes;
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
    requireNameable(principal);
    const resolved = await this.groupsAmong(task.candidateGroups, principal);
    const caller = callerOf(principal, resolved);
    const isAllowed = await this.#isAllowed(operation, toFacts(task), principal, { resolved });
    if (isAllowed && !isForAnother(operation, task, caller)) return { task, caller };
    const standIn = await this.#standIn(operation, task, principal, caller);
    if (!isAllowed && !standIn) throw denied(operation);
    return { task, caller: standIn ?? caller };
  }

  /** The caller as the substitute of the assignee; not used for operations on other users' tasks. */
  async #standIn(
    operation: TaskOperation,
    task: TaskRecord,
    principal: Principal,
    caller: TaskCaller,
  ): Promise<TaskCaller | undefined> {
    if (FOR_OTHERS.has(operation)) return undefined;
    const { assignee, owner, candidateUsers } = task;
    const theirs = assignee === undefined ? candidateUsers : [assignee, owner];
    const absences = await this.#substitutes.absences(task.tenantCode, principal);
    const found = absences.find(({ names }) => names.some((name) => theirs.includes(name)));
    if (!found) return undefined;
    const asked = { resolved: caller.groups, onBehalfOf: found.names };
    if (!(await this.#isAllowed(operation, toFacts(task), principal, asked))) return undefined;
    const names = [...new Set([...caller.names, ...found.names])];
    return { ...caller, names, onBehalfOf: found.user };
  }

  /**
   * The caller of a list, once the host has allowed it.
   * @param candidateGroups groups that have had tasks
   * @throws Problem `FORBIDDEN` (403)
   */
  async admitToList(candidateGroups: readonly string[], principal: Principal): Promise<TaskCaller> {
    requireNameable(principal);
    const resolved = await this.groupsAmong(candidateGroups, principal);
    if (!(await this.#isAllowed('list', null, principal, { resolved }))) throw denied('list');
    return callerOf(principal, resolved);
  }

  /**
   * The caller of a list together with the absent users whose tasks they may list: the host is asked about each of them.
   */
  async withAbsent(caller: TaskCaller, tenant: string, principal: Principal): Promise<TaskCaller> {
    const absences = await this.#substitutes.absences(tenant, principal);
    const granted = await Promise.all(
      absences.map(async ({ names: onBehalfOf }) => {
        const asked = { resolved: caller.groups, onBehalfOf };
        return (await this.#isAllowed('list', null, principal, asked)) ? onBehalfOf : [];
      }),
    );
    return { ...caller, names: [...new Set([...caller.names, ...granted.flat()])] };
  }

  /**
   * The caller to whom tasks are shown that are open anyhow, with their groups among those of the tasks: without any where
   * the host does not answer, because what is shown may have been done already.
   */
  async callerFor(tasks: readonly TaskRecord[], principal: Principal): Promise<TaskCaller> {
    const groups = new Set(tasks.flatMap(({ candidateGroups }) => candidateGroups));
    const own = groups.size === 0 ? [] : this.groupsAmong([...groups], principal);
    return callerOf(principal, await orElse(own, []));
  }

  /** Those of the tasks that a completion has opened which concern who has completed. */
  async following(
    tasks: readonly TaskRecord[],
    principal: Principal,
    { names }: TaskCaller,
  ): Promise<readonly TaskRecord[]> {
    if (tasks.length === 0 || (await orElse(this.seesAll(principal), false))) return tasks;
    const { groups, id } = await this.callerFor(tasks, principal);
    return tasks.filter((task) => concerns(task, { id, names, groups }));
  }

  /** The groups that may be the caller's, as far as that is known without asking the host. */
  knownGroups({ roles, groups }: Principal): readonly string[] | undefined {
    return this.#host.workflowTaskCandidateGroupResolver ? undefined : [...roles, ...groups];
  }

  /** Those of the groups that are the caller's. */
  async groupsAmong(
    candidateGroups: readonly string[],
    principal: Principal,
  ): Promise<readonly string[]> {
    const resolver = this.#host.workflowTaskCandidateGroupResolver;
    if (!resolver) return among(candidateGroups, [...principal.roles, ...principal.groups]);
    return this.#questions.ask('workflowTaskCandidateGroupResolver', async () =>
      among(candidateGroups, await resolver.resolve(principal.id, candidateGroups, principal)),
    );
  }

  /** Whether the caller sees tasks of others: who sees cases does. */
  seesAll(principal: Principal): Promise<boolean> {
    const { permissionEvaluator } = this.#host;
    return this.#questions.ask('permissionEvaluator', () =>
      isPermitted(permissionEvaluator, principal, 'workflow:case', 'view'),
    );
  }

  async #isAllowed(
    operation: TaskOperation,
    task: TaskFacts | null,
    principal: Principal,
    asked: Omit<TaskGroups, 'token'>,
  ): Promise<boolean> {
    const token = [...principal.roles, ...principal.groups];
    const policy = this.#host.workflowTaskAuthorizationService;
    if (!policy) return false;
    const groups = { ...asked, token };
    return this.#questions.ask(
      'workflowTaskAuthorizationService',
      async () => (await policy.isAllowed(operation, task, principal, groups)) === true,
    );
  }
}

/** Operations that an administrator does on tasks of others. */
const FOR_OTHERS: ReadonlySet<TaskOperation> = new Set(['list', 'assign', 'update']);

/** Whether another user has the task, whose substitute the caller may be. */
const isForAnother = (
  operation: TaskOperation,
  { assignee }: TaskRecord,
  { names }: TaskCaller,
): boolean => operation !== 'view' && assignee !== undefined && !names.includes(assignee);

const orElse = async <T>(answer: Promise<T> | T, otherwise: T): Promise<T> => {
  try {
    return await answer;
  } catch {
    return otherwise;
  }
};

const among = (groups: readonly string[], own: readonly string[]): readonly string[] =>
  groups.filter((group) => own.includes(group));

const callerOf = (principal: Principal, groups: readonly string[]): TaskCaller => ({
  id: principal.id,
  names: namesOfUser(principal),
  groups,
});

/** No permission of a token grants what the host decides. */
const denied = (operation: TaskOperation) =>
  httpProblems.forbidden({}, { detail: `The host's policy of tasks does not allow ${operation}.` });

/** @throws Problem `FORBIDDEN` (403) for a user whom no task could be kept for */
function requireNameable(principal: Principal): void {
  if (isNameable(principal)) return;
  throw httpProblems.forbidden({}, { detail: 'The id of the user has more than 255 bytes.' });
}

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
