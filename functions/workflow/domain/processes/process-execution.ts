import type { ProcessModel, ProcessResult } from '../bpmn/index.ts';
import type { TaskSaying } from '../cases/task-record.ts';
import type { ProcessHead } from './process-head.ts';

/** A command that has been carried out. */
export interface ProcessExecution {
  readonly head: ProcessHead;
  readonly model: ProcessModel;
  /** The command as the history stores it. */
  readonly command: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly result: Pick<ProcessResult, 'begun' | 'tasks' | 'over' | 'steps'>;
  /** The task that the command completes, and what is said about it. */
  readonly completed?: { readonly taskId: string; readonly saying: TaskSaying } | undefined;
  /** Tasks that are barred, or open again. */
  readonly suspensions?: ReadonlyMap<string, boolean>;
  /** How long before a task is due people are reminded. */
  readonly reminderLeadMs: number;
  readonly at: string;
  readonly by: string;
  readonly newId: () => string;
  readonly isSent: (topic: string) => boolean;
}
