import type { TaskOperation } from '../../../shared/ports/workflow.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { exists } from '../../../shared/store/conditions.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { refusalOfWork } from '../domain/tasks/task-actions.ts';
import { problems } from '../errors.ts';
import { checkTask, type TaskWriter } from '../store/families/task-writer.ts';
import { settingMembers } from '../store/set-members.ts';
import { draftKey, taskKey } from '../store/task-keys.ts';
import { isAsRead } from '../store/tasks/task-items.ts';
import {
  commentItem,
  draftItem,
  type TaskComment,
  type TaskDraft,
  type TaskHistoryEntry,
  type TaskNotes,
} from '../store/tasks/task-notes.ts';
import { type FormEntry, without } from './form-entry.ts';
import type { TaskAnswer } from './task-commands.ts';
import type { TaskEvents } from './task-events.ts';
import type { TaskGuard } from './task-guard.ts';
import { refused } from './task-refusals.ts';

export interface TaskDraftsDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly writer: TaskWriter;
  readonly notes: TaskNotes;
  readonly guard: TaskGuard;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly taskEvents: TaskEvents;
  readonly forms: FormEntry;
}

/** Drafts, comments and history of tasks. Every method throws `TASK_NOT_FOUND` (404) and `FORBIDDEN` (403). */
export class TaskDrafts {
  readonly #deps: TaskDraftsDependencies;

  constructor(dependencies: TaskDraftsDependencies) {
    this.#deps = dependencies;
  }

  /** A task with its draft. */
  async get(
    taskId: string,
    principal: Principal,
  ): Promise<TaskAnswer & { readonly draft?: TaskDraft | undefined }> {
    const found = await this.#admit('view', taskId, principal);
    const draft = found.task.hasDraft ? await this.#deps.notes.draft(taskId) : undefined;
    return { ...found, draft };
  }

  /**
   * Replaces the draft of a task, without what the business record keeps secret.
   * @throws Problem `TASK_NOT_ACTIVE`, `TASK_DELEGATED`, `TASK_CLAIMED_BY_OTHER` (409), `MODULE_OFF` (422)
   */
  save(
    taskId: string,
    {
      formData,
      variables,
    }: { readonly formData: Variables; readonly variables?: Variables | undefined },
    principal: Principal,
  ): Promise<TaskDraft> {
    const { unitOfWork, clock, taskEvents, forms } = this.#deps;
    return unitOfWork(async (unit) => {
      const { task } = await this.#admitToWork(taskId, principal);
      const leftOut = await forms.secretsIn(task, { ...formData, ...variables });
      const draft: TaskDraft = {
        formData: without(formData, leftOut),
        variables: variables && without(variables, leftOut),
        ...(leftOut.length > 0 && { leftOut }),
        savedAt: toInstant(clock.now()),
        savedBy: principal.id,
      };
      unit.put(draftItem(taskId, draft));
      if (task.hasDraft) checkTask(unit, task);
      else mark(unit, task, true);
      await taskEvents.publish('saveDraft', task, principal.id);
      return draft;
    });
  }

  /** @throws Problem `DRAFT_NOT_FOUND` (404) */
  async draft(taskId: string, principal: Principal): Promise<TaskDraft> {
    const { draft } = await this.get(taskId, principal);
    if (!draft) throw problems.draftNotFound({ taskId });
    return draft;
  }

  /** @throws Problem as `save`, and `DRAFT_NOT_FOUND` (404) */
  discard(taskId: string, principal: Principal): Promise<void> {
    return this.#deps.unitOfWork(async (unit) => {
      const { task } = await this.#admitToWork(taskId, principal);
      if (!task.hasDraft) throw problems.draftNotFound({ taskId });
      unit.delete(draftKey(taskId));
      mark(unit, task, false);
    });
  }

  comment(taskId: string, text: string, principal: Principal): Promise<TaskComment> {
    const { unitOfWork, clock, ids } = this.#deps;
    return unitOfWork(async (unit) => {
      await this.#admit('view', taskId, principal);
      const comment = { id: ids(), text, at: toInstant(clock.now()), by: principal.id };
      unit.put(commentItem(taskId, comment));
      unit.check(taskKey(taskId), { condition: exists, otherwise: 'retry' });
      return comment;
    });
  }

  /** Newest first. */
  async comments(
    taskId: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<TaskComment>> {
    await this.#admit('view', taskId, principal);
    return this.#deps.notes.comments(taskId, page);
  }

  /** What people have done to the task, newest first. */
  async history(
    taskId: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<TaskHistoryEntry>> {
    await this.#admit('view', taskId, principal);
    return this.#deps.notes.history(taskId, page);
  }

  async #admit(
    operation: TaskOperation,
    taskId: string,
    principal: Principal,
  ): Promise<TaskAnswer> {
    const { writer, guard } = this.#deps;
    return guard.admit(operation, await writer.read(taskId), taskId, principal);
  }

  async #admitToWork(taskId: string, principal: Principal): Promise<TaskAnswer> {
    const admitted = await this.#admit('saveDraft', taskId, principal);
    const refusal = refusalOfWork(admitted.task, admitted.caller);
    if (refusal) throw refused(refusal, admitted.task);
    return admitted;
  }
}

/** The version of the task stays: drafts are nothing that others have to know. */
const mark = (unit: UnitOfWork, task: TaskRecord, hasDraft: boolean): void =>
  unit.update(taskKey(task.taskId), settingMembers({ hasDraft }), {
    condition: isAsRead(task),
    otherwise: 'retry',
  });
