import type { TaskCaseFacts } from '../../../shared/ports/workflow.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sees } from '../cases/visibility.ts';
import type { TimerChange } from '../domain/cases/family-change.ts';
import type { WaitingTimer } from '../domain/cases/next-timers.ts';
import type { TaskRecord, TaskSaying } from '../domain/cases/task-record.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { timersOfProcess } from '../domain/processes/process-timers.ts';
import { problems } from '../errors.ts';
import type { ProcessStore } from '../store/processes/process-store.ts';
import type { ProcessCommands } from './process-commands.ts';
import type { DoneProcessCommand } from './process-staging.ts';

/** A completion of a task of a process. */
export interface ProcessTaskCompletion {
  readonly principal: Principal;
  readonly processInstanceId: string;
  readonly taskId: string;
  readonly saying: TaskSaying;
  readonly onBehalfOf: () => string | undefined;
  /** Reads the task, and stages what else is to be written; again whenever the command is repeated. */
  readonly prepare: () => Promise<PreparedCompletion>;
  readonly also: (unit: UnitOfWork) => Promise<void>;
}

interface PreparedCompletion {
  readonly task: TaskRecord;
  readonly variables: Variables;
  readonly transientVariables: Variables | undefined;
  /** Writes that others have staged in the same transaction. */
  readonly writes: number;
}

type FiredTimer = Pick<TimerChange, 'caseInstanceId' | 'planItemInstanceId' | 'dueAt'>;

/** Tasks and timers of processes, for the lists that they share with cases. */
export class ProcessTasks {
  readonly #commands: ProcessCommands;
  readonly #store: ProcessStore;

  constructor({ commands, store }: { commands: ProcessCommands; store: ProcessStore }) {
    this.#commands = commands;
    this.#store = store;
  }

  /** Completes a task and lets its process go on. @throws Problem `TASK_NOT_ACTIVE` (409), or why the engine refuses it */
  complete(given: ProcessTaskCompletion): Promise<DoneProcessCommand> {
    const { principal, processInstanceId, taskId, saying, onBehalfOf, also } = given;
    const { outcome } = saying;
    let prepared: PreparedCompletion | undefined;
    return this.#commands.give({
      ...{ processInstanceId, principal, onBehalfOf, also },
      recorded: {
        ...{ type: 'completeTask', planItemInstanceId: taskId },
        ...(outcome !== undefined && { outcome }),
      },
      command: async ({ state }) => {
        prepared = await given.prepare();
        if (!state.waits.some(({ id }) => id === taskId)) {
          throw problems.taskNotActive({ taskId, status: 'ended' });
        }
        const { variables, transientVariables } = prepared;
        return { type: 'continue', waitId: taskId, variables, transientVariables };
      },
      completed: () => prepared && { task: prepared.task, saying },
      besides: () => prepared?.writes ?? 0,
    });
  }

  /**
   * Fires a timer. @returns the timers that it has set and withdrawn
   * @throws Problem `PROCESS_NOT_FOUND` (404), `PROCESS_NOT_ACTIVE`, `ACTIVITY_NOT_WAITING` (409) when it waits no more
   */
  async fireTimer(timer: FiredTimer, principal: Principal): Promise<readonly TimerChange[]> {
    const { caseInstanceId: processInstanceId, planItemInstanceId: waitId, dueAt } = timer;
    const done = await this.#commands.give({
      ...{ processInstanceId, principal },
      recorded: { type: 'fireTimer', planItemInstanceId: waitId, dueAt },
      command: ({ state }) => {
        if (!state.waits.some((wait) => wait.id === waitId && wait.dueAt === dueAt)) {
          throw problems.activityNotWaiting({ reason: `No timer waits as ${waitId} any more.` });
        }
        return { type: 'continue', waitId };
      },
    });
    return [...done.change.rows.timers.values()];
  }

  /** The timers that an instance waits for; `undefined` when it is not there for the caller. */
  async waitingTimers(
    id: string,
    principal: Principal = systemPrincipal,
  ): Promise<readonly WaitingTimer[] | undefined> {
    const found = await this.#store.load(id);
    return found && sees(principal, found.head.tenantCode) ? timersOfProcess(found) : undefined;
  }

  /** Facts of the process that interceptors of a task receive. */
  async contextOf(id: string): Promise<TaskCaseFacts | undefined> {
    const found = await this.#store.load(id);
    if (!found) return undefined;
    const { processKey: caseDefinitionKey, workflowCode, definitionVersion } = found.head;
    const { tenantCode, name, businessKey, entityType, entityId } = found.head;
    return {
      ...{ caseInstanceId: id, caseDefinitionKey, workflowCode, definitionVersion, tenantCode },
      ...{ name, businessKey, entityType, entityId, variables: found.state.variables },
    };
  }
}
