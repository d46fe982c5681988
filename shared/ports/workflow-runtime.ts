import type { Principal } from '../security/principal.ts';

/** Variables by name: JSON. */
export type WorkflowVariables = Readonly<Record<string, unknown>>;

/** A model to deploy, as `POST /workflow/cmmn/deployments` takes it. */
export interface CmmnDeployment {
  readonly workflowCode: string;
  /** The CMMN 1.1 document. */
  readonly xml: string;
  readonly name?: string | undefined;
  readonly tenantCode?: string | undefined;
  /** The main case, where the document has several; the first by default. */
  readonly caseDefinitionKey?: string | undefined;
  /** Whether its cases can be started at once; by default yes. */
  readonly publish?: boolean | undefined;
  /** Further documents: cases that it calls, decision tables. */
  readonly resources?: readonly { readonly name: string; readonly xml: string }[] | undefined;
}

/** A version of a workflow. */
export interface DeployedWorkflow {
  readonly deploymentId: string;
  readonly workflowCode: string;
  readonly tenantCode: string;
  readonly version: number;
  readonly caseDefinitionKey: string;
  readonly status: 'PUBLISHED' | 'DRAFT';
  /** Whether the newest version was the same already, and is the answer. */
  readonly isUnchanged: boolean;
}

/** A case to start, as `POST /workflow/cmmn/cases` takes it: by `workflowCode`, `caseDefinitionKey` or `definitionId`. */
export interface CaseStart {
  readonly workflowCode?: string | undefined;
  /** Version of the workflow; the newest published one by default. */
  readonly version?: number | undefined;
  readonly caseDefinitionKey?: string | undefined;
  readonly definitionId?: string | undefined;
  readonly tenantCode?: string | undefined;
  readonly name?: string | undefined;
  readonly businessKey?: string | undefined;
  readonly businessStatus?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly variables?: WorkflowVariables | undefined;
  readonly transientVariables?: WorkflowVariables | undefined;
  /** Becomes the variable `form_<caseDefinitionKey>_outcome`. */
  readonly outcome?: string | undefined;
}

/** A plan item to trigger. */
export interface PlanItemTrigger {
  readonly caseInstanceId: string;
  /** Id of its definition, else of the plan item. */
  readonly planItemDefinitionKey: string;
  /** The instance that is meant, where there are several. */
  readonly planItemInstanceId?: string | undefined;
  readonly variables?: WorkflowVariables | undefined;
  readonly localVariables?: WorkflowVariables | undefined;
  readonly transientVariables?: WorkflowVariables | undefined;
}

/** Input of the completion of a task. */
export interface TaskCompletionFacts {
  /** Enters the business record, and becomes variables of the case; those of `variables` win. */
  readonly formData?: WorkflowVariables | undefined;
  readonly variables?: WorkflowVariables | undefined;
  readonly localVariables?: WorkflowVariables | undefined;
  readonly transientVariables?: WorkflowVariables | undefined;
  readonly outcome?: string | undefined;
  readonly comment?: string | undefined;
}

/** A user task as in-process callers see it. */
export interface RuntimeTask {
  readonly taskId: string;
  readonly taskDefinitionKey: string;
  readonly name: string;
  /** `PENDING`, `CLAIMED`, `DELEGATED`, `SUSPENDED`, `COMPLETED` or `CANCELLED`. */
  readonly status: string;
  readonly assignee?: string | undefined;
  readonly owner?: string | undefined;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
  readonly priority: number;
  /** ISO 8601 UTC. */
  readonly dueDate?: string | undefined;
  readonly caseInstanceId: string;
  readonly workflowCode: string;
  readonly tenantCode: string;
  readonly businessKey?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly outcome?: string | undefined;
  readonly version: number;
}

/** A case as a call has left it. */
export interface RuntimeCase {
  readonly caseInstanceId: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly tenantCode: string;
  readonly caseDefinitionKey: string;
  /** `active`, `suspended`, `completed`, `terminated` or `failed`. */
  readonly state: string;
  readonly businessKey?: string | undefined;
  readonly businessStatus?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly variables: WorkflowVariables;
  /** Its open tasks, the first 200. */
  readonly tasks: readonly RuntimeTask[];
}

/** A task that was completed, and what came of it. */
export interface CompletedRuntimeTask {
  readonly task: RuntimeTask;
  readonly case: {
    readonly caseInstanceId: string;
    readonly state: string;
    readonly businessStatus?: string | undefined;
  };
  /** Tasks that have opened by it, as far as the principal sees them. */
  readonly nextTasks: readonly RuntimeTask[];
}

/** Which open tasks are asked for; by default those of the principal: their own, and those open to them. */
export interface ActiveTaskQuery {
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly caseInstanceId?: string | undefined;
  readonly workflowCode?: string | undefined;
  readonly taskDefinitionKey?: string | undefined;
  /** `me`, or id or username of a user; others than the principal need `workflow:case:view`. */
  readonly assignee?: string | undefined;
  readonly tenantCode?: string | undefined;
  /** From 1 to `svc.web.page-size-max`; `svc.web.page-size-default` by default. */
  readonly size?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Workflows in process, for interceptors and for modules that bind `workflow.runtime`. Each method works for a
 * principal, in whose tenant and name it is done. Tasks ask the host's policy as over REST; whether the principal may
 * deploy, and start or change cases, its caller decides. Each call is a transaction, or part of the caller's unit of
 * work. Problems are those of the endpoints.
 */
export interface WorkflowRuntimeService {
  /** @throws Problem `MODEL_INVALID` (422), `WORKFLOW_CODE_TAKEN` (409), `FORBIDDEN` (403) for another tenant */
  deployCmmn(deployment: CmmnDeployment, principal: Principal): Promise<DeployedWorkflow>;
  /**
   * @throws Problem `WORKFLOW_NOT_FOUND` (404), `NOT_PUBLISHED`, `CASE_EXISTS` (409), or why the engine refuses it;
   *   `RECORD_NOT_FOUND` (404), `FORBIDDEN` (403) when the principal may not edit the record that it is about
   */
  startCase(start: CaseStart, principal: Principal): Promise<RuntimeCase>;
  /**
   * Completes a task: by the policy, with the interceptors.
   * @throws Problem `TASK_NOT_FOUND` (404), `FORBIDDEN` (403), `TASK_NOT_ACTIVE`, `TASK_DELEGATED`,
   *   `TASK_CLAIMED_BY_OTHER` (409), `TASK_COMPLETION_REJECTED` (422)
   */
  completeTask(
    taskId: string,
    completion: TaskCompletionFacts,
    principal: Principal,
  ): Promise<CompletedRuntimeTask>;
  /**
   * Lets a listener occur, starts an enabled item, or completes an active one other than a human task.
   * @throws Problem `CASE_NOT_FOUND`, `PLAN_ITEM_NOT_FOUND` (404), `PLAN_ITEM_NOT_TRIGGERABLE`, `AMBIGUOUS_PLAN_ITEM`,
   *   `USE_TASK_API`, `CASE_SUSPENDED`, `CASE_NOT_ACTIVE` (409)
   */
  triggerPlanItem(trigger: PlanItemTrigger, principal: Principal): Promise<RuntimeCase>;
  /**
   * Gives a task to a user, or back to its candidates: by the policy.
   * @param assignee `null`: unassigned
   * @throws Problem `TASK_NOT_FOUND` (404), `FORBIDDEN` (403), `TASK_NOT_ACTIVE`, `TASK_DELEGATED` (409),
   *   `USER_UNKNOWN` (422)
   */
  assignTask(
    taskId: string,
    assignee: string | null,
    principal: Principal,
    options?: { readonly comment?: string | undefined },
  ): Promise<RuntimeTask>;
  /** Sets variables of a case; the others stay. @throws Problem `CASE_NOT_FOUND` (404), or why the engine refuses it */
  setCaseVariables(
    caseInstanceId: string,
    variables: WorkflowVariables,
    principal: Principal,
  ): Promise<RuntimeCase>;
  /**
   * Open tasks, newest first: by the policy.
   * @throws Problem `FORBIDDEN` (403), `INVALID_PARAMETER`, `INVALID_CURSOR` (400)
   */
  listActiveTasks(
    query: ActiveTaskQuery,
    principal: Principal,
  ): Promise<{
    readonly content: readonly RuntimeTask[];
    readonly nextCursor?: string | undefined;
  }>;
}
