import type { Effect } from '../cmmn/index.ts';
import type { CaseHead } from './case-facts.ts';
import { remindersOf, type TaskReminders } from './task-reminders.ts';

/** Where a task stands; one that is suspended keeps its status. */
export type TaskStatus = 'PENDING' | 'CLAIMED' | 'DELEGATED' | 'COMPLETED' | 'CANCELLED';

/** A stored task. */
export interface TaskRecord {
  readonly taskId: string;
  /** Absent: of a case. */
  readonly engine?: 'BPMN';
  readonly tenantCode: string;
  /** Of a process: its instance. */
  readonly caseInstanceId: string;
  readonly processInstanceId?: string;
  /** The family that its case is stored with. */
  readonly familyId: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly caseName?: string;
  readonly businessKey?: string;
  readonly entityType?: string;
  readonly entityId?: string;
  readonly taskDefinitionKey: string;
  readonly planItemId: string;
  readonly stageInstanceId?: string;
  readonly name: string;
  readonly description?: string;
  readonly status: TaskStatus;
  readonly isSuspended: boolean;
  readonly assignee?: string;
  readonly owner?: string;
  readonly delegationState?: 'PENDING' | 'RESOLVED';
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
  readonly priority: number;
  readonly dueDate?: string;
  readonly category?: string;
  readonly formKey?: string;
  readonly createdAt: string;
  readonly claimedAt?: string;
  readonly completedAt?: string;
  readonly completedBy?: string;
  readonly cancelReason?: CancelReason;
  readonly outcome?: string;
  /** Under which rows the sweep finds that it is due. */
  readonly reminders?: TaskReminders;
  /** Keys of tasks whose completers in the same case may not work on it. */
  readonly excludeCompletersOf?: readonly string[];
  /** Who completes it may not work on another task of the case. */
  readonly isExcluding?: true;
  /** Somebody has saved a draft of its form. */
  readonly hasDraft?: boolean;
  readonly version: number;
}

/** Why a task was cancelled. */
export type CancelReason = 'exit' | 'terminate' | 'fault' | 'parentCompleted';

/** What who completes a task says about it. */
export type TaskSaying = Pick<TaskRecord, 'outcome' | 'delegationState'>;

/** How a task ends. */
export type TaskClosing = Pick<
  TaskRecord,
  'status' | 'completedAt' | 'completedBy' | 'cancelReason'
> &
  TaskSaying;

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** The task that a human task instance opens. */
export function openedTask(
  { planItemInstanceId, task, name, at, ...item }: EffectOf<'taskCreated'>,
  head: CaseHead,
  reminderLeadMs?: number,
): TaskRecord {
  return {
    taskId: planItemInstanceId,
    tenantCode: head.tenantCode,
    caseInstanceId: head.caseInstanceId,
    familyId: head.familyId,
    workflowCode: head.workflowCode,
    definitionVersion: head.definitionVersion,
    caseName: head.name,
    businessKey: head.businessKey,
    entityType: head.entityType,
    entityId: head.entityId,
    taskDefinitionKey: item.definitionKey,
    planItemId: item.planItemId,
    stageInstanceId: item.stageInstanceId,
    name,
    status: 'PENDING',
    isSuspended: false,
    ...task,
    excludeCompletersOf: item.excludeCompletersOf,
    isExcluding: item.isExcluding,
    ...(reminderLeadMs !== undefined && {
      reminders: remindersOf(task.dueDate, at, reminderLeadMs),
    }),
    createdAt: at,
    version: 1,
  };
}

/** How the effect ends its task. */
export function closingOf(
  effect: EffectOf<'taskCompleted'> | EffectOf<'taskCancelled'>,
): TaskClosing {
  const completedAt = effect.at;
  if (effect.type === 'taskCompleted') {
    return { status: 'COMPLETED', completedAt, completedBy: effect.completedBy };
  }
  const { cause, reason } = effect;
  const cancelReason = cause === 'parentCompleted' ? cause : reason;
  return { status: 'CANCELLED', completedAt, cancelReason };
}

/** Whether the task is still open. */
export const isOpen = ({ status }: Pick<TaskRecord, 'status'>): boolean =>
  status !== 'COMPLETED' && status !== 'CANCELLED';
