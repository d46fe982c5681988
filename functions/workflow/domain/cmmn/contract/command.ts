import type { Variables } from '../basics/json.ts';

/** Variables that come with a command: set before the action. */
interface WithVariables {
  /** For a plan item: to the nearest scope that has the variable, else to the case. */
  readonly variables?: Variables;
  /** Visible while the command runs, never stored. */
  readonly transientVariables?: Variables;
}

/** A command for one case of the state; without an id, for the root case. */
interface CaseCommand {
  readonly caseInstanceId?: string;
}

/** A command for one plan item instance, whichever case it belongs to. */
interface PlanItemCommand extends WithVariables {
  readonly planItemInstanceId: string;
  /** Set on the instance itself. */
  readonly localVariables?: Variables;
}

/** Starts a case (CMMN 1.1, 8.4 `create`). */
interface StartCommand extends WithVariables {
  readonly type: 'start';
  /** Key of a case definition: its latest version is started. */
  readonly definitionKey?: string;
  /** Id of a version, when exactly that one must be started. */
  readonly definitionId?: string;
  readonly caseInstanceId?: string;
  readonly tenantId?: string;
  readonly name?: string;
  readonly businessKey?: string;
  readonly businessStatus?: string;
}

/**
 * What a host has changed about an open task since the last command; null removes a value. Claiming a task or changing its
 * due date does not change the case: the facts are passed with the next command and applied first.
 */
export interface TaskChange {
  readonly assignee?: string | null;
  readonly owner?: string | null;
  /** ISO 8601 instant in UTC, with milliseconds. */
  readonly dueDate?: string | null;
  readonly priority?: number;
}

interface WithTasks {
  /** By plan item instance; those that have no open task any more are left out of account. */
  readonly tasks?: Readonly<Record<string, TaskChange>>;
}

/** Everything that can be done to a case. The service uses these and nothing else. */
export type Command = Action & WithTasks;

type Action =
  | StartCommand
  | (PlanItemCommand & { readonly type: 'completeTask' })
  | (PlanItemCommand & {
      readonly type: 'trigger';
      /** Roles of the caller in this case; absent: the caller may do everything. */
      readonly roles?: readonly string[];
    })
  | (PlanItemCommand & { readonly type: 'enable' })
  | (PlanItemCommand & { readonly type: 'disable' })
  | (PlanItemCommand & { readonly type: 'startPlanItem'; readonly childVariables?: Variables })
  | (PlanItemCommand & { readonly type: 'terminatePlanItem' })
  | (PlanItemCommand & { readonly type: 'completeStage'; readonly force?: boolean })
  | {
      readonly type: 'setLocalVariables';
      readonly planItemInstanceId: string;
      readonly variables: Variables;
    }
  | {
      readonly type: 'removeLocalVariables';
      readonly planItemInstanceId: string;
      readonly names: readonly string[];
    }
  | (PlanItemCommand & { readonly type: 'suspendPlanItem' })
  | (PlanItemCommand & { readonly type: 'resumePlanItem' })
  | (PlanItemCommand & { readonly type: 'completeExternalWork' })
  | (PlanItemCommand & { readonly type: 'failExternalWork'; readonly reason?: string })
  | (PlanItemCommand & {
      readonly type: 'endProcess';
      readonly outcome: 'completed' | 'terminated' | 'failed';
      /** Variables of the process, for the out parameters. */
      readonly processVariables?: Variables;
    })
  | {
      readonly type: 'fireTimer';
      readonly planItemInstanceId: string;
      /** When given, the firing that is meant: another one is not fired. */
      readonly dueAt?: string;
    }
  | (CaseCommand & WithVariables & { readonly type: 'completeCase'; readonly force?: boolean })
  | (CaseCommand & { readonly type: 'terminate' })
  | (CaseCommand & { readonly type: 'suspend' })
  | (CaseCommand & { readonly type: 'resume' })
  | (CaseCommand & WithVariables & { readonly type: 'reactivate' })
  | (CaseCommand & WithVariables & { readonly type: 'setVariables' })
  | (CaseCommand & { readonly type: 'removeVariables'; readonly names: readonly string[] })
  | (CaseCommand & { readonly type: 'evaluate' })
  | (CaseCommand & WithVariables & { readonly type: 'signal'; readonly name: string })
  | (CaseCommand &
      WithVariables & {
        readonly type: 'plan';
        /** Id of an item of a planning table. */
        readonly discretionaryItemId: string;
        /** Stage or human task instance whose table it is; without one, the case's own. */
        readonly containerInstanceId?: string;
        /** Roles of the caller in this case; absent: the caller may do everything. */
        readonly roles?: readonly string[];
      });

/** The names of the commands. */
export type CommandType = Command['type'];
