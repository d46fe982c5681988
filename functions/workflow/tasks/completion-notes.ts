import type { TaskCompletionContext } from '../../../shared/ports/workflow.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { Completion } from '../domain/tasks/completion.ts';
import { returned } from '../domain/tasks/task-actions.ts';
import type { TaskCaller } from '../domain/tasks/task-caller.ts';
import { draftKey } from '../store/task-keys.ts';
import { commentItem, type TaskAct, taskHistoryItem } from '../store/tasks/task-notes.ts';
import type { FourEyes } from './people/four-eyes.ts';
import type { TaskEvents } from './task-events.ts';
import type { TaskInterceptors } from './task-interceptors.ts';

export interface CompletionNotesDependencies {
  readonly interceptors: TaskInterceptors;
  readonly fourEyes: FourEyes;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly taskEvents: TaskEvents;
}

/** A task, and who may complete it. */
export interface Admitted {
  readonly task: TaskRecord;
  readonly caller: TaskCaller;
}

/** The requested completion, and what interceptors receive; `undefined` without interceptors. */
interface Asked {
  readonly principal: Principal;
  readonly given: Completion;
  readonly context: TaskCompletionContext | undefined;
}

/** What a completion writes and sends besides what becomes of the case or process. */
export class CompletionNotes {
  readonly #deps: CompletionNotesDependencies;

  constructor(dependencies: CompletionNotesDependencies) {
    this.#deps = dependencies;
  }

  /** Stages them in the transaction of the completion; interceptors run after its commit. */
  async stage(
    unit: UnitOfWork,
    { task, caller }: Admitted,
    { principal, given, context }: Asked,
  ): Promise<void> {
    const { interceptors, fourEyes } = this.#deps;
    this.#stageNotes(unit, { task, caller }, principal, given);
    fourEyes.note(unit, task, caller.names);
    await this.#tellReturned(task, principal);
    if (context) unit.afterCommit(() => interceptors.after(context, given));
  }

  /** Stages the history entry and the comment, and deletes the draft. */
  #stageNotes(
    unit: UnitOfWork,
    { task: { taskId, status, hasDraft }, caller: { onBehalfOf } }: Admitted,
    { id: by }: Principal,
    { outcome, comment }: Completion,
  ): void {
    const { ids, clock } = this.#deps;
    const at = toInstant(clock.now());
    const tell = (act: TaskAct): void => unit.put(taskHistoryItem(taskId, ids(), act, []));
    if (status === 'DELEGATED') tell({ action: 'resolve', at, by, onBehalfOf });
    tell({ action: 'complete', at, by, outcome, comment, onBehalfOf });
    if (comment !== undefined) unit.put(commentItem(taskId, { id: ids(), text: comment, at, by }));
    if (hasDraft) unit.delete(draftKey(taskId));
  }

  /** Who completes a delegated task has given it back by that. */
  async #tellReturned(task: TaskRecord, { id }: Principal): Promise<void> {
    if (task.status !== 'DELEGATED') return;
    const back = { ...returned(task), version: task.version + 1 };
    await this.#deps.taskEvents.publish('resolve', back, id, task);
  }
}
