import type { CancelReason, TaskRecord } from '../cases/task-record.ts';
import type { Cause, Variables } from '../cmmn/index.ts';

/** What every event about a case says. */
export interface CaseEvent {
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly caseInstanceId: string;
  readonly businessKey?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly actor: string;
  readonly sequence: number;
}

/** Facts of a case that has started, or has been suspended, resumed or reactivated. */
export interface ProcessFacts {
  readonly name?: string | undefined;
  readonly caseDefinitionKey: string;
  readonly businessStatus?: string | undefined;
  readonly startedBy?: string | undefined;
  readonly startedAt: string;
  readonly parentCaseInstanceId?: string | undefined;
}

/** Facts of a case that has ended. */
export interface EndedProcessFacts extends ProcessFacts {
  readonly endState: string;
  readonly endedAt: string;
  readonly durationMs: number;
  readonly cause?: Cause | undefined;
}

/** Facts of a plan item instance whose state has changed. */
export interface StepFacts {
  readonly planItemInstanceId: string;
  readonly planItemId: string;
  readonly planItemDefinitionKey: string;
  readonly type: string;
  readonly name: string;
  readonly stageInstanceId?: string | undefined;
  readonly state: string;
  readonly at: string;
  readonly cause?: Cause | undefined;
  readonly criterionId?: string | undefined;
}

/** Facts of a plan item that was completed or occurred. */
export interface CompletedStepFacts extends StepFacts {
  readonly outcome?: string | undefined;
  readonly completedBy?: string | undefined;
}

/** Facts of a milestone. */
export interface MilestoneFacts
  extends Omit<StepFacts, 'state' | 'at' | 'cause' | 'criterionId' | 'type'> {
  readonly reachedAt: string;
}

/** Facts of a timer that has fired. */
export interface TimerFacts
  extends Omit<StepFacts, 'state' | 'at' | 'cause' | 'criterionId' | 'type'> {
  readonly dueAt: string;
  readonly firedAt: string;
}

/** What a service task of a process asks for. */
export interface ServiceRequestFacts {
  readonly processInstanceId: string;
  readonly planItemDefinitionKey: string;
  readonly name: string;
  readonly service: string;
  readonly payload: Variables;
  readonly at: string;
}

/** Facts of a new task. */
export interface TaskEventFacts
  extends Pick<
    TaskRecord,
    | 'taskId'
    | 'name'
    | 'description'
    | 'status'
    | 'assignee'
    | 'owner'
    | 'candidateUsers'
    | 'candidateGroups'
    | 'priority'
    | 'dueDate'
    | 'category'
    | 'formKey'
    | 'taskDefinitionKey'
    | 'stageInstanceId'
    | 'caseName'
    | 'createdAt'
  > {
  readonly engineTaskId: string;
  readonly planItemInstanceId: string;
  readonly engine: 'CMMN' | 'BPMN';
}

/** Facts of a task that is due. The case does not change, so the event has no sequence number. */
export interface TaskReminderEvent extends Omit<CaseEvent, 'sequence'>, TaskEventFacts {}

/** Facts of a task that has ended. */
export interface EndedTaskFacts {
  readonly taskId: string;
  readonly engineTaskId: string;
  readonly planItemInstanceId: string;
  readonly taskDefinitionKey: string;
  readonly name: string;
  readonly stageInstanceId?: string | undefined;
  readonly status: string;
  readonly completedAt?: string | undefined;
  readonly completedBy?: string | undefined;
  readonly outcome?: string | undefined;
  readonly cancelReason?: CancelReason | undefined;
}

/**
 * What a user did with a task. The case does not change, so the event has no sequence number; those of
 * one task are in the order of their versions.
 */
export interface TaskChangeEvent
  extends Omit<CaseEvent, 'sequence'>,
    Pick<
      TaskRecord,
      | 'taskId'
      | 'taskDefinitionKey'
      | 'name'
      | 'stageInstanceId'
      | 'status'
      | 'assignee'
      | 'owner'
      | 'delegationState'
      | 'priority'
      | 'dueDate'
    > {
  readonly engineTaskId: string;
  readonly planItemInstanceId: string;
  readonly previousAssignee?: string | undefined;
  /** Of the task as it is now; a draft does not change it. */
  readonly taskVersion: number;
  readonly at: string;
}
