import type { JsonValue, Variables } from '../basics/json.ts';
import type { PlanItemDefinitionType } from '../model/plan-item-definition.ts';
import type { PlanItemState, PlanItemTransition } from '../model/transition.ts';
import type { CaseState, PlanItemInstance, TaskFacts } from './state.ts';

/** Names the plan item instance that an effect is about. */
export interface PlanItemFacts {
  readonly planItemInstanceId: string;
  readonly planItemId: string;
  readonly definitionKey: string;
  readonly definitionType: PlanItemDefinitionType;
  readonly name: string;
  readonly stageInstanceId?: string;
}

type Happening =
  | { readonly type: 'caseStarted'; readonly definitionKey: string }
  | { readonly type: 'caseEnded'; readonly state: CaseState }
  | { readonly type: 'caseSuspended' | 'caseResumed' | 'caseReactivated' }
  | { readonly type: 'businessStatusChanged'; readonly businessStatus?: string }
  | {
      readonly type: 'variableChanged';
      readonly change: 'create' | 'update' | 'delete';
      readonly name: string;
      readonly value?: JsonValue;
      /** Absent: a variable of the case. */
      readonly planItemInstanceId?: string;
    }
  | (PlanItemFacts & {
      readonly type: 'planItemTransition';
      readonly transition: PlanItemTransition;
      readonly from?: PlanItemState;
      readonly to: PlanItemState;
      readonly criterionId?: string;
    })
  /** The instance has ended and leaves the state; this is its last form. */
  | (PlanItemFacts & { readonly type: 'planItemEnded'; readonly instance: PlanItemInstance })
  | (PlanItemFacts & { readonly type: 'milestoneReached' })
  | (PlanItemFacts & { readonly type: 'taskCreated'; readonly task: TaskFacts })
  | (PlanItemFacts & { readonly type: 'taskCompleted'; readonly completedBy?: string })
  | (PlanItemFacts & {
      readonly type: 'taskCancelled';
      readonly reason: 'exit' | 'terminate' | 'fault';
    })
  | (PlanItemFacts & { readonly type: 'taskSuspended' | 'taskResumed' })
  | (PlanItemFacts & { readonly type: 'timerScheduled'; readonly dueAt: string })
  | (PlanItemFacts & { readonly type: 'timerCancelled' | 'timerFired' })
  | (PlanItemFacts & {
      readonly type: 'externalWorkCreated';
      readonly topic: string;
      readonly variables: Variables;
    })
  | (PlanItemFacts & { readonly type: 'externalWorkCancelled' })
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
  | (PlanItemFacts & { readonly type: 'processCancelled' });

/** Something that a command has done and that somebody outside may have to act upon, in order. */
export type Effect = Happening & { readonly caseInstanceId: string; readonly at: string };

/** An effect before the run adds the case and the time. */
export type NewEffect = Happening;
