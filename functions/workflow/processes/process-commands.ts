import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sees } from '../cases/visibility.ts';
import type { ProcessCommand, ProcessResult, ProcessState } from '../domain/bpmn/index.ts';
import { isOver, type ProcessHead } from '../domain/processes/process-head.ts';
import { problems } from '../errors.ts';
import type { ProcessStore, StoredProcess } from '../store/processes/process-store.ts';
import { loadBpmn } from './bpmn.ts';
import type { LoadedProcess, ProcessDefinitions } from './process-definitions.ts';
import { toProcessProblem } from './process-problems.ts';
import type {
  CompletedByCommand,
  DoingProcessCommand,
  DoneProcessCommand,
  ProcessStaging,
  RecordedCommand,
} from './process-staging.ts';

export interface ProcessCommandsDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly store: ProcessStore;
  readonly definitions: ProcessDefinitions;
  readonly staging: ProcessStaging;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** What is asked of an instance. */
export interface GivenProcessCommand {
  readonly processInstanceId: string;
  readonly principal: Principal;
  /** Makes the command for the instance as it is found. */
  readonly command: (found: StoredProcess) => ProcessCommand | Promise<ProcessCommand>;
  /** The command as the history stores it. */
  readonly recorded: RecordedCommand;
  /** The absent user for whom it is given. */
  readonly onBehalfOf?: () => string | undefined;
  /** The task that the command completes, as its maker has read it, and what is said about it. */
  readonly completed?: () => CompletedByCommand | undefined;
  /** Writes that others stage in the same transaction. */
  readonly besides?: () => number;
  /** Writes more in the same transaction. */
  readonly also?: (unit: UnitOfWork) => Promise<void>;
}

/** How long a command that meets others on the same instance is repeated (ms). */
const PATIENCE_MS = 10_000;
const NO_RESULT: DoingProcessCommand['result'] = {
  begun: [],
  tasks: new Map(),
  over: [],
  steps: [],
};

/** Gives commands to process instances, and stores what comes of them in one transaction. */
export class ProcessCommands {
  readonly #deps: ProcessCommandsDependencies;

  constructor(dependencies: ProcessCommandsDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem why the engine refuses it */
  async start(
    unit: UnitOfWork,
    head: ProcessHead,
    { model }: LoadedProcess,
    variables: ProcessState['variables'] | undefined,
    principal: Principal,
  ): Promise<DoneProcessCommand> {
    const result = await this.#run(model, undefined, { type: 'start', variables }, head);
    const after = result.hasEnded ? this.#ended(head, 'completed') : head;
    const recorded = { type: 'start' };
    const doing = {
      before: undefined,
      head: after,
      recorded,
      principal,
      state: result.state,
      result,
    };
    return this.#deps.staging.stage(unit, doing, model);
  }

  /**
   * Carries out a command on the instance as it is now, again as often as others come first.
   * @throws Problem `PROCESS_NOT_FOUND` (404), `PROCESS_NOT_ACTIVE`, `CONCURRENT_UPDATE` (409), or why it is refused
   */
  give(given: GivenProcessCommand): Promise<DoneProcessCommand> {
    return this.#change(given.processInstanceId, given.principal, async (unit, before) => {
      const { head } = before;
      const command = await given.command(before);
      if (head.state !== 'waiting') throw notActive(head);
      const model = await this.#deps.definitions.model(head.definitionId);
      const result = await this.#run(model, before.state, command, head);
      const after = result.hasEnded ? this.#ended(head, 'completed') : head;
      const { principal, completed, besides } = given;
      const onBehalfOf = given.onBehalfOf?.();
      const recorded = { ...given.recorded, ...(onBehalfOf !== undefined && { onBehalfOf }) };
      const doing = { before, head: after, recorded, principal, state: result.state, result };
      const more = { completed: completed?.(), besides: besides?.() };
      const done = await this.#deps.staging.stage(unit, { ...doing, ...more }, model);
      await given.also?.(unit);
      return done;
    });
  }

  /** Withdraws tasks and timers until the instance is resumed. @throws Problem `PROCESS_NOT_ACTIVE` (409) */
  suspend(id: string, principal: Principal): Promise<DoneProcessCommand> {
    return this.#turn(id, 'suspend', principal);
  }

  /** Gives tasks and timers back; overdue timers fire with the next sweep. @throws Problem `PROCESS_NOT_ACTIVE` (409) */
  resume(id: string, principal: Principal): Promise<DoneProcessCommand> {
    return this.#turn(id, 'resume', principal);
  }

  /** Ends the instance with everything that is open in it. @throws Problem `PROCESS_NOT_ACTIVE` (409) */
  terminate(
    id: string,
    reason: string | undefined,
    principal: Principal,
  ): Promise<DoneProcessCommand> {
    return this.#change(id, principal, async (unit, before) => {
      if (isOver(before.head)) throw notActive(before.head);
      const { engine: _, ...state } = before.state;
      const model = await this.#deps.definitions.model(before.head.definitionId);
      const head = { ...this.#ended(before.head, 'terminated'), endReason: reason };
      const recorded = { type: 'terminate', reason };
      const result = { ...NO_RESULT, over: before.state.waits };
      const after = { ...state, waits: [] };
      return this.#deps.staging.stage(
        unit,
        { before, head, recorded, principal, state: after, result },
        model,
      );
    });
  }

  #turn(id: string, type: 'suspend' | 'resume', principal: Principal): Promise<DoneProcessCommand> {
    const isSuspending = type === 'suspend';
    return this.#change(id, principal, async (unit, before) => {
      const { head: old, state } = before;
      if (old.state !== (isSuspending ? 'waiting' : 'suspended')) throw notActive(old);
      const model = await this.#deps.definitions.model(old.definitionId);
      const timers = state.waits.filter(({ kind }) => kind === 'timer');
      const result = { ...NO_RESULT, [isSuspending ? 'over' : 'begun']: timers };
      const tasks = state.waits.filter(({ kind }) => kind === 'task');
      const suspensions = new Map(tasks.map((task) => [task.id, isSuspending]));
      const head = { ...old, state: isSuspending ? 'suspended' : 'waiting' } as const;
      const doing = { before, head, recorded: { type }, principal, state, result, suspensions };
      return this.#deps.staging.stage(unit, doing, model);
    });
  }

  #change(
    id: string,
    principal: Principal,
    work: (unit: UnitOfWork, before: StoredProcess) => Promise<DoneProcessCommand>,
  ): Promise<DoneProcessCommand> {
    const { unitOfWork, store } = this.#deps;
    return unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const before = await store.load(id);
      if (!before || !sees(principal, before.head.tenantCode))
        throw problems.processNotFound({ id });
      return work(unit, before);
    });
  }

  async #run(
    model: LoadedProcess['model'],
    before: ProcessState | undefined,
    command: ProcessCommand,
    { processInstanceId: id, processKey, businessKey, tenantCode, startedBy }: ProcessHead,
  ): Promise<ProcessResult> {
    const { clock, ids: newId } = this.#deps;
    const { runProcess } = await loadBpmn();
    const facts = { id, processKey, businessKey, tenantCode, startedBy };
    try {
      return runProcess(model, before, command, { now: clock.now(), newId, facts });
    } catch (error) {
      throw toProcessProblem(error);
    }
  }

  #ended(head: ProcessHead, state: 'completed' | 'terminated'): ProcessHead {
    return { ...head, state, endedAt: toInstant(this.#deps.clock.now()) };
  }
}

const notActive = ({ processInstanceId: id, state }: ProcessHead): Error =>
  problems.processNotActive({ id, state });
