import type { Clock, TenantClock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { Table } from '../../../shared/store/table.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import type { Completion } from '../domain/tasks/completion.ts';
import { readTasks } from '../store/tasks/task-items.ts';
import type { TaskCommands } from './task-commands.ts';
import type { TaskCompletion } from './task-completion.ts';

/** The same action for several tasks. */
export type BulkAction =
  | { readonly action: 'claim' | 'unclaim' }
  | { readonly action: 'assign'; readonly assignee: string | null }
  | ({ readonly action: 'complete' } & Completion);

/** How the action has ended for one of them. */
export interface BulkOutcome {
  readonly taskId: string;
  /** Status of the answer that the action alone would have had. */
  readonly status: number;
  readonly code?: string;
  readonly detail?: string | undefined;
}

const PARALLEL = 4;
/** How long one request takes up tasks (ms): hooks of the host may be slow, and the gateway waits 29 s for an answer. */
const MAX_TIME_MS = 12_000;

const late = (taskId: string): BulkOutcome => {
  const { status, code } = httpProblems.serviceUnavailable();
  return {
    taskId,
    status,
    code,
    detail: 'The request had no time left for the task; send it again.',
  };
};

/** Does the same with several tasks, each in a transaction of its own. */
export class TaskBulk {
  readonly #table: Table;
  readonly #commands: TaskCommands;
  readonly #completion: TaskCompletion;
  readonly #log: Log;
  readonly #machine: Clock;

  constructor(given: {
    readonly table: Table;
    readonly commands: TaskCommands;
    readonly completion: TaskCompletion;
    readonly log: Log;
    readonly tenantClock: Pick<TenantClock, 'machine'>;
  }) {
    this.#table = given.table;
    this.#commands = given.commands;
    this.#completion = given.completion;
    this.#log = given.log;
    this.#machine = given.tenantClock.machine;
  }

  /** @returns the outcomes in the order of the tasks; those of one case are worked on one after the other */
  async run(
    taskIds: readonly string[],
    action: BulkAction,
    principal: Principal,
  ): Promise<readonly BulkOutcome[]> {
    const tasks = await readTasks(this.#table, taskIds);
    const families = new Map(tasks.map(({ taskId, familyId }) => [taskId, familyId]));
    const groups = [...Map.groupBy(taskIds, (id) => families.get(id) ?? id).values()];
    const outcomes = new Map<string, BulkOutcome>();
    const end = this.#machine.now() + MAX_TIME_MS;
    await mapLimited(groups, PARALLEL, async (group) => {
      for (const taskId of group) {
        const isLate = this.#machine.now() >= end;
        outcomes.set(taskId, isLate ? late(taskId) : await this.#one(taskId, action, principal));
      }
    });
    return taskIds.flatMap((id) => outcomes.get(id) ?? []);
  }

  async #one(taskId: string, action: BulkAction, principal: Principal): Promise<BulkOutcome> {
    try {
      await apart(() => this.#give(taskId, action, principal));
      return { taskId, status: 200 };
    } catch (error) {
      const { status, code, detail } = this.#problemOf(error, taskId);
      return { taskId, status, code, detail };
    }
  }

  /** What fails unexpectedly is the outcome of its task only: others have been worked on already. */
  #problemOf(error: unknown, taskId: string): Problem {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      this.#log.error('A task of several could not be worked on', { taskId, cause: error });
    }
    return problem;
  }

  #give(taskId: string, given: BulkAction, principal: Principal): Promise<unknown> {
    const request = { taskId, principal };
    if (given.action === 'assign') return this.#commands.assign(request, given.assignee);
    if (given.action !== 'complete') return this.#commands[given.action](request);
    const { action: _, comment, ...completion } = given;
    return this.#completion.complete({ ...request, comment }, { ...completion, comment });
  }
}
