import type { Host } from '../../../shared/host/host.ts';
import type { TaskOperation } from '../../../shared/ports/workflow.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import { remindersOf } from '../domain/cases/task-reminders.ts';
import {
  assign,
  claim,
  delegate,
  isActive,
  resolve,
  type TaskStep,
  unclaim,
} from '../domain/tasks/task-actions.ts';
import type { TaskCaller } from '../domain/tasks/task-caller.ts';
import { differencesOf } from '../domain/tasks/task-differences.ts';
import type { TaskWriter } from '../store/families/task-writer.ts';
import type { FourEyes } from './people/four-eyes.ts';
import { requireUser } from './people/known-users.ts';
import type { TaskEvents } from './task-events.ts';
import type { TaskGuard } from './task-guard.ts';
import { requireVersion, taken } from './task-refusals.ts';

export interface TaskCommandsDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly writer: TaskWriter;
  readonly guard: TaskGuard;
  readonly fourEyes: FourEyes;
  readonly clock: Clock;
  /** `svc.workflow.due-soon-lead` (ms); absent: no reminders are sent. */
  readonly reminderLeadMs?: number | undefined;
  readonly taskEvents: TaskEvents;
  readonly host: Pick<Host, 'userRepository'>;
}

/** A request for a task. */
export interface TaskRequest {
  readonly taskId: string;
  readonly principal: Principal;
  /** The version that the caller has read. */
  readonly ifMatch?: string | undefined;
  readonly comment?: string | undefined;
}

/** A task as a request has left it, and who has asked. */
export interface TaskAnswer {
  readonly task: TaskRecord;
  readonly caller: TaskCaller;
}

/** Members of a task that may be changed; `null` removes the due date. */
export interface TaskUpdate {
  readonly name?: string | undefined;
  readonly dueDate?: string | null | undefined;
  readonly priority?: number | undefined;
}

type Doing = { readonly caller: TaskCaller; readonly at: string };

/** How long a change that meets others of the same task is repeated (ms). */
const PATIENCE_MS = 10_000;

/**
 * Changes who works on tasks, without their cases. Every method throws `TASK_NOT_FOUND` (404), `FORBIDDEN` (403),
 * `VERSION_CONFLICT` (412) and `TASK_NOT_ACTIVE` (409).
 */
export class TaskCommands {
  readonly #deps: TaskCommandsDependencies;

  constructor(dependencies: TaskCommandsDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `TASK_ALREADY_CLAIMED` (409), `COMPLETER_EXCLUDED` (422) */
  claim(request: TaskRequest): Promise<TaskAnswer> {
    return this.#change('claim', request, async (task, doing) => {
      const step = claim(task, doing);
      if ('task' in step) await this.#deps.fourEyes.require(task, doing.caller.names);
      return step;
    });
  }

  /** @throws Problem `TASK_NOT_CLAIMED`, `TASK_DELEGATED` (409) */
  unclaim(request: TaskRequest): Promise<TaskAnswer> {
    return this.#change('unclaim', request, unclaim);
  }

  /** @throws Problem `TASK_DELEGATED` (409), `USER_UNKNOWN`, `COMPLETER_EXCLUDED` (422) */
  async assign(request: TaskRequest, assignee: string | null): Promise<TaskAnswer> {
    return this.#change('assign', request, async (task, doing) => {
      const step = assign(task, assignee, doing);
      if ('task' in step && assignee !== null) await this.#requireFit(task, assignee);
      return step;
    });
  }

  /** @throws Problem `TASK_NOT_CLAIMED`, `TASK_DELEGATED` (409), `DELEGATED_TO_ONESELF`, `USER_UNKNOWN`, `COMPLETER_EXCLUDED` (422) */
  async delegate(request: TaskRequest, to: string): Promise<TaskAnswer> {
    return this.#change('delegate', request, async (task, doing) => {
      const step = delegate(task, to, doing);
      if ('task' in step) await this.#requireFit(task, to);
      return step;
    });
  }

  /** @throws Problem `TASK_NOT_DELEGATED` (409) */
  resolve(request: TaskRequest): Promise<TaskAnswer> {
    return this.#change('resolve', request, resolve);
  }

  update(request: TaskRequest, { name, dueDate, priority }: TaskUpdate): Promise<TaskAnswer> {
    const { reminderLeadMs } = this.#deps;
    return this.#change('update', request, (task, { at }) => {
      if (!isActive(task)) return { refusal: 'NOT_ACTIVE' };
      const due = dueDate === undefined ? task.dueDate : (dueDate ?? undefined);
      const changed = {
        ...task,
        name: name ?? task.name,
        priority: priority ?? task.priority,
        dueDate: due,
      };
      if (reminderLeadMs === undefined || due === task.dueDate) return { task: changed };
      return { task: { ...changed, reminders: remindersOf(due, at, reminderLeadMs) } };
    });
  }

  #change(
    operation: TaskOperation,
    { taskId, principal, ifMatch, comment }: TaskRequest,
    step: (task: TaskRecord, doing: Doing) => TaskStep | Promise<TaskStep>,
  ): Promise<TaskAnswer> {
    const { unitOfWork, writer, guard, clock, taskEvents } = this.#deps;
    return unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const found = await writer.readForChange(taskId);
      const { task: before, caller } = await guard.admit(operation, found, taskId, principal);
      requireVersion(before, ifMatch);
      const at = toInstant(clock.now());
      const after = taken(await step(before, { caller, at }), before);
      if (differencesOf(before, after).length === 0) return { task: before, caller };
      await writer.stage(unit, before, after, {
        ...{ action: operation, at, by: principal.id, comment },
        onBehalfOf: caller.onBehalfOf,
      });
      const task = { ...after, version: before.version + 1 };
      await taskEvents.publish(operation, task, principal.id, before);
      return { task, caller };
    });
  }

  /** @throws Problem `USER_UNKNOWN`, `COMPLETER_EXCLUDED` (422) */
  async #requireFit(task: TaskRecord, user: string): Promise<void> {
    const names = await requireUser(this.#deps.host, user, task.tenantCode);
    await this.#deps.fourEyes.require(task, names);
  }
}
