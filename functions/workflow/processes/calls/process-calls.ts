import type { TenantClock } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import { apart, type UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { ProcessCall } from '../../domain/cases/family-change.ts';
import type { ProcessHead } from '../../domain/processes/process-head.ts';
import { sweepDueRows } from '../../store/due-rows.ts';
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
    const { tenantClock } = this.#deps;
    const { latest } = await tenantClock.times();
    return sweepDueRows<Item & Omit<CallStepToDo, 'dueAt'>>(
      { ...this.#deps, clock: tenantClock.machine },
      {
        partition: CALL_QUEUE,
        // The rows of this instant too: what follows it in their keys is behind it.
        until: latest + 1,
        most: MAX_SWEPT,
        work: async ({ sk, processInstanceId, step }) => {
          await this.#do({ dueAt: sk.slice(0, sk.indexOf('#')), processInstanceId, step });
          return true;
        },
        failure: 'A step of a process task is left to the next sweep',
        about: ({ processInstanceId, step }) => ({ processInstanceId, step }),
      },
    );
  }

  async #try(step: CallStepToDo): Promise<void> {
    try {
      await this.#do(step);
    } catch (cause) {
      this.#deps.log.warn('A step of a process task is left to the sweep', { ...step, cause });
    }
  }

  #do(step: CallStepToDo): Promise<void> {
    return apart(() => this.#deps.steps.do(step));
  }
}
