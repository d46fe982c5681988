import type { Principal } from '../security/principal.ts';

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

/** Decides every task operation; only `true` allows, and without this service all are refused. */
export interface WorkflowTaskAuthorizationService {
  /** @param task `null` for `list`, which is asked once for the whole list. */
  isAllowed(
    operation: TaskOperation,
    task: TaskFacts | null,
    principal: Principal,
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

/** Facts of a completion. */
export interface TaskCompletionContext {
  readonly task: TaskFacts;
  readonly principal: Principal;
  readonly traceId: string;
}

/** What the caller sent to complete the task. */
export interface TaskCompletionRequest {
  readonly formData?: Readonly<Record<string, unknown>> | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly outcome?: string | undefined;
  readonly comment?: string | undefined;
}

/** Runs around the completion of a task. */
export interface TaskCompletionInterceptor {
  /** An exception blocks the completion; nothing is changed then. */
  beforeComplete?(
    context: TaskCompletionContext,
    request: TaskCompletionRequest,
  ): Promise<void> | void;
  /** Runs after the commit; a failure is logged. */
  afterComplete?(
    context: TaskCompletionContext,
    request: TaskCompletionRequest,
  ): Promise<void> | void;
}
