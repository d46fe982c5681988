import { type TenantClock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import { apart, type UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { ProcessCall } from '../../domain/cases/family-change.ts';
import type { ProcessHead } from '../../domain/processes/process-head.ts';
import { CALL_QUEUE, callRow } from '../../store/process-keys.ts';
import type { CallStepToDo, ProcessCallSteps } from './process-call-steps.ts';

export interface ProcessCallsDependencies {
  readonly table: Table;
  readonly tenantClock: TenantClock;
  readonly log: Log;
  readonly steps: ProcessCallSteps;
}

/** Steps of one sweep. */
const MAX_SWEPT = 100;

/**
 * Starts and ends the processes of process tasks, and reports their end to the cases. Each step has a row, written with
 * its cause and deleted with its results, so it is done once; the sweep continues interrupted steps.
 */
export class ProcessCalls {
  readonly #deps: ProcessCallsDependencies;

  constructor(dependencies: ProcessCallsDependencies) {
    this.#deps = dependencies;
  }

  /** Does what a command of a case has asked for; what fails is left to the sweep. */
  async follow(calls: readonly ProcessCall[]): Promise<void> {
    for (const { step, processInstanceId, at: dueAt } of calls) {
      await this.#try({ dueAt, processInstanceId, step });
    }
  }

  /** Stages the message that tells the case of a process task about the end of its process. */
  stageEnd(unit: UnitOfWork, { processInstanceId, parent, endedAt = '' }: ProcessHead): void {
    if (!parent?.isBlocking) return;
    unit.put(callRow(endedAt, processInstanceId, 'end'));
    unit.afterCommit(() => this.#try({ dueAt: endedAt, processInstanceId, step: 'end' }));
  }

  /** Does what is due. @returns the number of steps */
  async sweep(): Promise<number> {
    const { table, tenantClock } = this.#deps;
    const now = toInstant((await tenantClock.times()).latest);
    const { items } = await table.query<Item & Omit<CallStepToDo, 'dueAt'>>({
      partition: CALL_QUEUE,
      between: { from: '0', to: `${now}~` },
      limit: MAX_SWEPT,
      consistent: true,
    });
    for (const { sk, processInstanceId, step } of items) {
      await this.#try({ dueAt: sk.slice(0, sk.indexOf('#')), processInstanceId, step });
    }
    return items.length;
  }

  async #try(step: CallStepToDo): Promise<void> {
    try {
      await apart(() => this.#deps.steps.do(step));
    } catch (cause) {
      this.#deps.log.warn('A step of a process task is left to the sweep', { ...step, cause });
    }
  }
}
