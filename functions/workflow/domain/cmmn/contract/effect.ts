import type { JsonValue, Variables } from '../basics/json.ts';
import type { PlanItemDefinitionType } from '../model/plan-item-definition.ts';
import type { PlanItemState, PlanItemTransition } from '../model/transition.ts';
import type { CaseState, NamedInstance, ParentLink, TaskFacts } from './state.ts';

/** Names the plan item instance that an effect is about. */
export interface PlanItemFacts {
  readonly planItemInstanceId: string;
  readonly planItemId: string;
  readonly definitionKey: string;
  readonly definitionType: PlanItemDefinitionType;
  readonly name: string;
  readonly stageInstanceId?: string;
}

/** Why an instance or a case has changed its state; absent: it follows from the model, as a start follows from a start. */
export type Cause =
  /** Somebody has asked for it: `by` says who. */
  | 'command'
  /** A sentry was satisfied: `criterionId` says which. */
  | 'criterion'
  /** Nothing was left to do in the stage or case. */
  | 'autoComplete'
  | 'parentCompleted'
  | 'parentExited'
  | 'parentTerminated'
  | 'parentFailed'
  /** The case or process that a task has called has ended. */
  | 'calledEnded'
  /** Nobody waits for the listener any more. */
  | 'orphaned'
  | 'timer'
  | 'signal'
  | 'variableChange'
  | 'reactivation';

interface Caused {
  readonly cause?: Cause;
  readonly criterionId?: string;
}

/** The facts that identify a case in logs and histories. */
export interface CaseFacts {
  readonly definitionId: string;
  readonly definitionKey: string;
  readonly familyId: string;
  readonly businessKey?: string;
  readonly parent?: ParentLink;
}

type Happening =
  | (CaseFacts & {
      readonly type: 'caseStarted';
      readonly name?: string;
      readonly tenantId?: string;
      readonly businessStatus?: string;
    })
  | (CaseFacts & Caused & { readonly type: 'caseEnded'; readonly state: CaseState })
  | { readonly type: 'caseSuspended' | 'caseResumed' }
  /** From now on the case is a family of its own, whatever its family was. */
  | (CaseFacts & { readonly type: 'caseReactivated' })
  | {
      readonly type: 'businessStatusChanged';
      readonly businessStatus?: string;
      readonly oldBusinessStatus?: string;
    }
  | {
      readonly type: 'variableChanged';
      readonly change: 'create' | 'update' | 'delete';
      readonly name: string;
      readonly value?: JsonValue;
      /** What the variable held before; absent when it is new. */
      readonly oldValue?: JsonValue;
      /** Absent: a variable of the case. */
      readonly planItemInstanceId?: string;
    }
  | (PlanItemFacts &
      Caused & {
        readonly type: 'planItemTransition';
        readonly transition: PlanItemTransition;
        readonly from?: PlanItemState;
        readonly to: PlanItemState;
      })
  /** A person may complete the case or stage now, or no longer. Comes last, once for each, and not of what has ended. */
  | { readonly type: 'caseCompletableChanged'; readonly isCompletable: boolean }
  | (PlanItemFacts & { readonly type: 'stageCompletableChanged'; readonly isCompletable: boolean })
  /** The instance has ended and leaves the state; this is its last form. */
  | (PlanItemFacts & {
      readonly type: 'planItemEnded';
      readonly instance: NamedInstance;
      /** Which of its repetition it was, from 1. */
      readonly repetitionCounter?: number;
    })
  | (PlanItemFacts & { readonly type: 'milestoneReached' })
  | (PlanItemFacts & {
      readonly type: 'taskCreated';
      readonly task: TaskFacts;
      /** Keys of tasks whose completers may not work on it. */
      readonly excludeCompletersOf?: readonly string[];
      /** Who completes it may not work on another task of the case. */
      readonly isExcluding?: true;
    })
  | (PlanItemFacts & { readonly type: 'taskCompleted'; readonly completedBy?: string })
  | (PlanItemFacts &
      Caused & {
        readonly type: 'taskCancelled';
        readonly reason: 'exit' | 'terminate' | 'fault';
      })
  | (PlanItemFacts & { readonly type: 'taskSuspended' | 'taskResumed' })
  | (PlanItemFacts & {
      readonly type: 'timerScheduled' | 'timerCancelled' | 'timerFired';
      readonly dueAt: string;
    })
  /** A warning: so many firings were overdue that the oldest are left out. */
  | (PlanItemFacts & {
      readonly type: 'timerCatchUpCapped';
      /** How many; absent: of a cron expression they are not counted. */
      readonly skipped?: number;
      /** When the next firing is due. */
      readonly dueAt: string;
    })
  /** The listener waits for signals of the name from now on, or no longer. */
  | (PlanItemFacts & {
      readonly type: 'signalSubscribed' | 'signalUnsubscribed';
      readonly signalName: string;
    })
  | (PlanItemFacts & {
      readonly type: 'externalWorkCreated';
      readonly topic: string;
      /** What the in parameters of the task map; without any, nothing. */
      readonly variables: Variables;
    })
  | (PlanItemFacts & { readonly type: 'externalWorkCancelled' })
  | (PlanItemFacts & { readonly type: 'externalWorkFailed'; readonly reason?: string })
  | (PlanItemFacts & {
      readonly type: 'processRequested';
      /** The id that the process is to have. */
      readonly processInstanceId: string;
      readonly processRef: string;
      readonly businessKey?: string;
      readonly variables: Variables;
      readonly isBlocking: boolean;
      /** Definition id of the case whose deployment comes first when the process is looked for. */
      readonly sameDeploymentAs?: string;
    })
  | (PlanItemFacts & { readonly type: 'processCancelled'; readonly processInstanceId: string });

/** A result of a command that the host may have to act upon; effects are in order. */
export type Effect = Happening & {
  readonly caseInstanceId: string;
  readonly at: string;
  /** Who gave the command. */
  readonly by?: string;
};

/** An effect before the run adds the case and the time. */
export type NewEffect = Happening;
