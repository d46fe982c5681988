import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { sees } from '../cases/visibility.ts';
import type { ProcessCommand, ProcessResult, ProcessState } from '../domain/bpmn/index.ts';
import type { NextTimers } from '../domain/cases/next-timers.ts';
import type { TaskRecord, TaskSaying } from '../domain/cases/task-record.ts';
import { isSent } from '../domain/events/selection.ts';
import { type ProcessChange, processChange } from '../domain/processes/process-change.ts';
import { isOver, type ProcessHead } from '../domain/processes/process-head.ts';
import { nextTimersOfProcess } from '../domain/processes/process-timers.ts';
import { problems } from '../errors.ts';
import type { FamilyWriter } from '../store/families/family-writer.ts';
import type { ProcessStore, StoredProcess } from '../store/processes/process-store.ts';
import { loadBpmn } from './bpmn.ts';
import type { LoadedProcess, ProcessDefinitions } from './process-definitions.ts';
import { toProcessProblem } from './process-problems.ts';

export interface ProcessCommandsDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly store: ProcessStore;
  readonly definitions: ProcessDefinitions;
  readonly writer: FamilyWriter;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** `svc.workflow.events`. */
  readonly eventPatterns: readonly string[];
  /** `svc.workflow.due-soon-lead` (ms). */
  readonly reminderLeadMs: number;
  /** Stages that the case of a process is told of its end. */
  readonly stageEnd: (unit: UnitOfWork, head: ProcessHead) => void;
  /** Runs behind the commit of a command that has moved the next due time; does not fail. */
  readonly moveTimers: (moved: NextTimers, isFiring: boolean) => Promise<void>;
}

/** What is asked of an instance. */
export interface GivenProcessCommand {
  readonly processInstanceId: string;
  readonly principal: Principal;
  /** Makes the command for the instance as it is found. */
  readonly command: (found: StoredProcess) => ProcessCommand | Promise<ProcessCommand>;
  /** What the history tells of it. */
  readonly told: ProcessExecutionTold;
  /** The absent user for whom it is given. */
  readonly onBehalfOf?: () => string | undefined;
  /** The task that the command completes, as its maker has read it, and what is said about it. */
  readonly completed?: () => CompletedBy | undefined;
  /** Writes that others stage in the same transaction. */
  readonly besides?: () => number;
  /** Writes more in the same transaction. */
  readonly also?: (unit: UnitOfWork) => Promise<void>;
}

interface CompletedBy {
  readonly task: TaskRecord;
  readonly saying: TaskSaying;
}

type ProcessExecutionTold = Readonly<Record<string, unknown>> & { readonly type: string };

/** An instance after a command, and what the command has changed. */
export interface DoneProcessCommand {
  readonly head: ProcessHead;
  readonly state: ProcessState;
  readonly version: number;
  readonly change: ProcessChange;
}

interface Doing {
  readonly before: StoredProcess | undefined;
  readonly head: ProcessHead;
  readonly told: ProcessExecutionTold;
  readonly principal: Principal;
  readonly state: ProcessState;
  readonly result: Pick<ProcessResult, 'begun' | 'tasks' | 'over' | 'steps'>;
  readonly suspensions?: ReadonlyMap<string, boolean>;
  readonly completed?: CompletedBy | undefined;
  readonly besides?: number | undefined;
}

/** How long a command that meets others on the same instance is repeated (ms). */
const PATIENCE_MS = 10_000;
/** Writes of one transaction, with room for state, head and what callers add. */
const ROOM = 80;
const NO_RESULT: Doing['result'] = { begun: [], tasks: new Map(), over: [], steps: [] };

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
    const told = { type: 'start' };
    const doing = { before: undefined, head: after, told, principal, state: result.state, result };
    return this.#stage(unit, doing, model);
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
      const told = { ...given.told, ...(onBehalfOf !== undefined && { onBehalfOf }) };
      const doing = { before, head: after, told, principal, state: result.state, result };
      const more = { completed: completed?.(), besides: besides?.() };
      const done = await this.#stage(unit, { ...doing, ...more }, model);
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
      const told = { type: 'terminate', reason };
      const result = { ...NO_RESULT, over: before.state.waits };
      const after = { ...state, waits: [] };
      return this.#stage(unit, { before, head, told, principal, state: after, result }, model);
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
      const doing = { before, head, told: { type }, principal, state, result, suspensions };
      return this.#stage(unit, doing, model);
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

  async #stage(
    unit: UnitOfWork,
    { before, head, told: command, principal, state, result, suspensions, ...doing }: Doing,
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

const notActive = ({ processInstanceId: id, state }: ProcessHead): Error =>
  problems.processNotActive({ id, state });
