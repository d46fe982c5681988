import { type TenantClock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { Problem } from '../../../../shared/problems/problem.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { notExists } from '../../../../shared/store/conditions.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { CaseCommands } from '../../cases/case-commands.ts';
import type { CalledProcess } from '../../domain/cases/family-change.ts';
import type { Variables } from '../../domain/cmmn/index.ts';
import { isOver } from '../../domain/processes/process-head.ts';
import type { CaseObjects } from '../../store/families/case-objects.ts';
import { type Packed, type Packer, packedIn } from '../../store/packed.ts';
import {
  type CallStep,
  callKey,
  callRow,
  callRowKey,
  cancelledCallKey,
} from '../../store/process-keys.ts';
import type { ProcessStore, StoredProcess } from '../../store/processes/process-store.ts';
import type { ProcessCommands } from '../process-commands.ts';
import type { ProcessStarter } from '../process-starter.ts';
import { type CalledDefinitionDependencies, calledDefinition } from './called-definition.ts';

export interface ProcessCallStepsDependencies extends CalledDefinitionDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly tenantClock: TenantClock;
  readonly log: Log;
  readonly packer: Packer;
  readonly objects: Pick<CaseObjects, 'release'>;
  readonly store: ProcessStore;
  readonly cases: Pick<CaseCommands, 'give'>;
  readonly commands: ProcessCommands;
  readonly starter: ProcessStarter;
}

/** A step that is to be done. */
export interface CallStepToDo {
  readonly dueAt: string;
  readonly processInstanceId: string;
  readonly step: CallStep;
}

/** Problems that say that the case waits no more. */
const FORGOTTEN = ['CASE_NOT_FOUND', 'CASE_NOT_ACTIVE', 'PLAN_ITEM_NOT_FOUND'];
const PAUSE_MS = 60_000;

/** What a process task and its process do to each other: start, cancellation, end. Each is done once. */
export class ProcessCallSteps {
  readonly #deps: ProcessCallStepsDependencies;

  constructor(dependencies: ProcessCallStepsDependencies) {
    this.#deps = dependencies;
  }

  /** Carries out a step; one transaction writes its results and deletes its row. @throws Error when it is to be retried */
  do(step: CallStepToDo): Promise<void> {
    if (step.step === 'start') return this.#start(step);
    return step.step === 'cancel' ? this.#cancel(step) : this.#end(step);
  }

  async #start(step: CallStepToDo): Promise<void> {
    const { table, unitOfWork, packer, tenantClock } = this.#deps;
    const { processInstanceId: id } = step;
    const item = await table.get<Item & { readonly call: CalledProcess }>(callKey(id));
    const isCancelled = (await table.get(cancelledCallKey(id))) !== undefined;
    const packed = item && packedIn(item);
    if (!packed || isCancelled) {
      const keys = [callKey(id), cancelledCallKey(id)];
      await unitOfWork(async (unit) => this.#done(unit, step, keys, packed));
      return;
    }
    const variables = (await packer.unpack(packed)) as Variables;
    const { call } = item;
    await tenantClock.at(call.tenantCode || undefined, async () => {
      try {
        await unitOfWork((unit) => this.#startIn(unit, step, { ...call, variables }, packed));
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        await this.#fail(step, call, packed, cause);
      }
    });
  }

  async #startIn(
    unit: UnitOfWork,
    step: CallStepToDo,
    call: CalledProcess,
    packed: Packed,
  ): Promise<void> {
    const { commands, starter } = this.#deps;
    const { processInstanceId: id, tenantCode, caseInstanceId } = call;
    const found = await calledDefinition(call, this.#deps);
    const { planItemInstanceId, isBlocking, businessKey, entityType, entityId } = call;
    const parent = { caseInstanceId, planItemInstanceId, isBlocking };
    const principal = { ...systemPrincipal, id: call.by ?? systemPrincipal.id };
    const given = { tenantCode, startedBy: call.by, parent, businessKey, entityType, entityId };
    const head = starter.head(id, found, given);
    await commands.start(unit, head, found, call.variables, principal);
    unit.check(cancelledCallKey(id), { condition: notExists, otherwise: 'retry' });
    this.#done(unit, step, [callKey(id)], packed);
  }

  /** A process that cannot be started has failed for the task that waits for it. */
  async #fail(
    step: CallStepToDo,
    call: CalledProcess,
    packed: Packed,
    cause: Problem,
  ): Promise<void> {
    const { unitOfWork, log } = this.#deps;
    const { processInstanceId, processRef, caseInstanceId } = call;
    log.warn('The process of a process task cannot be started', {
      ...{ processInstanceId, processRef, caseInstanceId, code: cause.code },
    });
    const end = (unit: UnitOfWork) => this.#done(unit, step, [callKey(processInstanceId)], packed);
    await this.#unlessForgotten(step, end, () =>
      unitOfWork(async (unit) => {
        if (call.isBlocking) await this.#tell(call, 'failed');
        end(unit);
      }),
    );
  }

  async #cancel(step: CallStepToDo): Promise<void> {
    const { store, commands, unitOfWork, table } = this.#deps;
    const { processInstanceId: id } = step;
    const found = await store.load(id);
    // What is still to be started takes the mark itself; what was deleted never will.
    const isToStart = !found && (await table.get(callKey(id))) !== undefined;
    await this.#deps.tenantClock.at(found?.head.tenantCode || undefined, () =>
      unitOfWork(async (unit) => {
        if (found && !isOver(found.head)) {
          await commands.terminate(id, 'The process task has ended.', systemPrincipal);
        }
        this.#done(unit, step, isToStart ? [] : [cancelledCallKey(id)]);
      }),
    );
  }

  async #end(step: CallStepToDo): Promise<void> {
    const { store, unitOfWork, tenantClock } = this.#deps;
    const found = await store.load(step.processInstanceId);
    await tenantClock.at(found?.head.tenantCode || undefined, () =>
      this.#unlessForgotten(
        step,
        (unit) => this.#done(unit, step, []),
        () =>
          unitOfWork(async (unit) => {
            if (found) await this.#tellEnd(found);
            this.#done(unit, step, []);
          }),
      ),
    );
  }

  async #tellEnd({ head, state }: StoredProcess): Promise<void> {
    const outcome = head.state === 'completed' ? 'completed' : 'terminated';
    if (head.parent) await this.#tell(head.parent, outcome, state.variables);
  }

  async #tell(
    {
      caseInstanceId,
      planItemInstanceId,
    }: Pick<CalledProcess, 'caseInstanceId' | 'planItemInstanceId'>,
    outcome: 'completed' | 'terminated' | 'failed',
    processVariables?: Variables,
  ): Promise<void> {
    await this.#deps.cases.give({
      caseInstanceId,
      principal: systemPrincipal,
      command: () => ({ type: 'endProcess', planItemInstanceId, outcome, processVariables }),
    });
  }

  /** Deletes a step that no case waits for, and postpones one that the case does not accept now. */
  async #unlessForgotten(
    step: CallStepToDo,
    end: (unit: UnitOfWork) => void,
    work: () => Promise<void>,
  ): Promise<void> {
    const { unitOfWork, tenantClock } = this.#deps;
    try {
      await work();
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      await unitOfWork(async (unit) => {
        if (FORGOTTEN.includes(cause.code)) {
          end(unit);
          return;
        }
        this.#done(unit, step, []);
        const later = toInstant(tenantClock.machine.now() + PAUSE_MS);
        unit.put(callRow(later, step.processInstanceId, step.step));
      });
    }
  }

  /** @param packed variables that the call needs no more */
  #done(
    unit: UnitOfWork,
    { dueAt, processInstanceId, step }: CallStepToDo,
    keys: readonly ReturnType<typeof callKey>[],
    packed?: Packed,
  ): void {
    unit.delete(callRowKey(dueAt, processInstanceId, step));
    for (const key of keys) unit.delete(key);
    this.#deps.objects.release(unit, packed);
  }
}

/** Whether repeating it changes nothing; a conflict passes. */
const isRefusal = (cause: unknown): cause is Problem =>
  cause instanceof Problem && cause.status < 500 && cause.code !== 'CONCURRENT_UPDATE';
