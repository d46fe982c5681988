import type { Principal } from '../security/principal.ts';
import type { TaskCompletionFacts, WorkflowRuntimeService } from './workflow-runtime.ts';

/** Operations on a task. */
export type TaskOperation =
  | 'list'
  | 'view'
  | 'claim'
  | 'unclaim'
  | 'complete'
  | 'saveDraft'
  | 'delegate'
  | 'resolve'
  | 'assign'
  | 'update';

/** A user task as policies and interceptors see it. */
export interface TaskFacts {
  readonly taskId: string;
  readonly taskDefinitionKey: string;
  readonly status: string;
  readonly assignee?: string | undefined;
  readonly owner?: string | undefined;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
  readonly caseInstanceId?: string | undefined;
  readonly workflowCode?: string | undefined;
  readonly tenantCode?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
}

/** The groups of a caller, as far as tasks are open to groups. */
export interface TaskGroups {
  /** Candidate groups of the task that the resolver says are the caller's; for `list`, of all tasks of the tenant. */
  readonly resolved: readonly string[];
  /** Roles and groups that the token carries. */
  readonly token: readonly string[];
  /**
   * Names of the absent user whose substitute the caller is; set when the caller alone may not act, and for `list` when
   * the tasks of that user are to be among those of the caller.
   */
  readonly onBehalfOf?: readonly string[];
}

/** Decides every task operation; only `true` allows, and without this service all are refused. */
export interface WorkflowTaskAuthorizationService {
  /**
   * @param task `null` for `list`, which is asked once for the whole list, and once for each absent user.
   * @param groups always given by the platform; who sees a task by one of `resolved` is its candidate.
   */
  isAllowed(
    operation: TaskOperation,
    task: TaskFacts | null,
    principal: Principal,
    groups?: TaskGroups,
  ): Promise<boolean> | boolean;
}

/** Finds out which candidate groups a user belongs to; default: roles and groups of the token. */
export interface WorkflowTaskCandidateGroupResolver {
  /** @returns those of `candidateGroups` that are the user's. */
  resolve(
    userId: string,
    candidateGroups: readonly string[],
    authentication: Principal,
  ): Promise<readonly string[]> | readonly string[];
}

/** The case of a task that is completed, as it was before. */
export interface TaskCaseFacts {
  readonly caseInstanceId: string;
  readonly caseDefinitionKey: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly tenantCode: string;
  readonly name?: string | undefined;
  readonly businessKey?: string | undefined;
  readonly businessStatus?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Facts of a completion. */
export interface TaskCompletionContext {
  readonly task: TaskFacts;
  readonly case: TaskCaseFacts;
  readonly principal: Principal;
  readonly traceId: string;
  /**
   * Workflows in process. Its calls are transactions of their own: what an interceptor does before a completion stays
   * when that fails.
   */
  readonly runtime: WorkflowRuntimeService;
}

/** Body of the call that completes the task. */
export type TaskCompletionRequest = Pick<
  TaskCompletionFacts,
  'formData' | 'variables' | 'outcome' | 'comment'
>;

/** Runs around the completion of a task. */
export interface TaskCompletionInterceptor {
  /** Runs once for each request. An exception, or 10 s without an answer, blocks the completion; nothing is changed then. */
  beforeComplete?(
    context: TaskCompletionContext,
    request: TaskCompletionRequest,
  ): Promise<void> | void;
  /** Runs at most once, after the commit; a failure is logged. */
  afterComplete?(
    context: TaskCompletionContext,
    request: TaskCompletionRequest,
  ): Promise<void> | void;
}
