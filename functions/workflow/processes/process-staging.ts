import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { ProcessResult, ProcessState } from '../domain/bpmn/index.ts';
import type { NextTimers } from '../domain/cases/next-timers.ts';
import type { TaskRecord, TaskSaying } from '../domain/cases/task-record.ts';
import { isSent } from '../domain/events/selection.ts';
import { type ProcessChange, processChange } from '../domain/processes/process-change.ts';
import { isOver, type ProcessHead } from '../domain/processes/process-head.ts';
import { nextTimersOfProcess } from '../domain/processes/process-timers.ts';
import type { FamilyWriter } from '../store/families/family-writer.ts';
import type { ProcessStore, StoredProcess } from '../store/processes/process-store.ts';
import type { LoadedProcess } from './process-definitions.ts';

export interface ProcessStagingDependencies {
  readonly store: ProcessStore;
  readonly writer: FamilyWriter;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** `svc.workflow.events`. */
  readonly eventPatterns: readonly string[];
  /** `svc.workflow.due-soon-lead` (ms). */
  readonly reminderLeadMs: number;
  /** Stages the message that tells the case of a process task about the end of its process. */
  readonly stageEnd: (unit: UnitOfWork, head: ProcessHead) => void;
  /** Runs behind the commit of a command that has moved the next due time; does not fail. */
  readonly moveTimers: (moved: NextTimers, isFiring: boolean) => Promise<void>;
}

/** The task that a command completes, and what is said about it. */
export interface CompletedByCommand {
  readonly task: TaskRecord;
  readonly saying: TaskSaying;
}

/** A command as the history stores it. */
export type RecordedCommand = Readonly<Record<string, unknown>> & { readonly type: string };

/** An instance after a command, and what the command has changed. */
export interface DoneProcessCommand {
  readonly head: ProcessHead;
  readonly state: ProcessState;
  readonly version: number;
  readonly change: ProcessChange;
}

/** What a command makes of an instance. */
export interface DoingProcessCommand {
  readonly before: StoredProcess | undefined;
  readonly head: ProcessHead;
  readonly recorded: RecordedCommand;
  readonly principal: Principal;
  readonly state: ProcessState;
  readonly result: Pick<ProcessResult, 'begun' | 'tasks' | 'over' | 'steps'>;
  readonly suspensions?: ReadonlyMap<string, boolean>;
  readonly completed?: CompletedByCommand | undefined;
  readonly besides?: number | undefined;
}

/** Writes of one transaction, with room for state, head and what callers add. */
const ROOM = 80;

/** Stores what comes of commands on processes, in the transaction of each. */
export class ProcessStaging {
  readonly #deps: ProcessStagingDependencies;

  constructor(dependencies: ProcessStagingDependencies) {
    this.#deps = dependencies;
  }

  /** Stages head, state and rows of an instance after a command, and what follows its commit. */
  async stage(
    unit: UnitOfWork,
    {
      before,
      head,
      recorded: command,
      principal,
      state,
      result,
      suspensions,
      ...doing
    }: DoingProcessCommand,
    model: LoadedProcess['model'],
  ): Promise<DoneProcessCommand> {
    const { store, writer, clock, ids: newId, eventPatterns } = this.#deps;
    const { reminderLeadMs, stageEnd, moveTimers } = this.#deps;
    const { completed, besides = 0 } = doing;
    const at = toInstant(clock.now());
    const change = processChange({
      ...{ head, model, command, result, suspensions, at, by: principal.id },
      ...{ newId, reminderLeadMs },
      completed: completed && { taskId: completed.task.taskId, saying: completed.saying },
      isSent: (topic) => isSent(eventPatterns, topic),
    });
    await store.stage(unit, before, change.head, state);
    const id = head.processInstanceId;
    await writer.stageRows(unit, id, change.rows, {
      known: completed ? [completed.task] : [],
      room: Math.max(0, ROOM - besides),
    });
    const moved = nextTimersOfProcess(before, { head, state });
    if (moved.set.length + moved.dropped.length > 0) {
      unit.afterCommit(() => moveTimers(moved, command.type === 'fireTimer'));
    }
    if (isOver(head)) stageEnd(unit, change.head);
    return { head: change.head, state, version: (before?.version ?? 0) + 1, change };
  }
}
