import type { JsonValue, Variables } from '../../cmmn/basics/json.ts';
import { ProcessError } from '../model/process-error.ts';
import type { ProcessModel } from '../model/process-model.ts';
import {
  ENGINE_VERSION,
  type OpenedTask,
  type ProcessState,
  type ProcessStep,
  type Wait,
  type WaitKind,
} from '../model/process-state.ts';
import type { EngineWait } from './engine-messages.ts';
import { EngineRun } from './engine-run.ts';
import { Expressions, type InstanceFacts } from './expressions.ts';
import { openedTask } from './opened-task.ts';
import { ProcessVariables } from './variables.ts';

/** What is asked of an instance; `start` of one that is not there yet. */
export type ProcessCommand =
  | { readonly type: 'start'; readonly variables?: Variables | undefined }
  | {
      readonly type: 'continue';
      /** The wait that is over. */
      readonly waitId: string;
      readonly variables?: Variables | undefined;
      /** For the expressions of this command only. */
      readonly transientVariables?: Variables | undefined;
    }
  | { readonly type: 'setVariables'; readonly variables: Variables };

export interface ProcessEnvironment {
  readonly now: number;
  readonly newId: () => string;
  readonly facts: InstanceFacts;
}

/** What a command has led to. */
export interface ProcessResult {
  readonly state: ProcessState;
  readonly hasEnded: boolean;
  /** Waits that have begun; the tasks of user tasks by their ids. */
  readonly begun: readonly Wait[];
  readonly tasks: ReadonlyMap<string, OpenedTask>;
  /** Waits that are over, whatever has ended them. */
  readonly over: readonly Wait[];
  readonly steps: readonly ProcessStep[];
}

/** Most activities that wait at once. */
const MAX_WAITS = 1_000;

/**
 * Carries out a command. Pure but for the names that the engine gives its executions: the host's ids come from `newId`.
 * @throws ProcessError why it is refused; nothing has changed then
 */
export function runProcess(
  model: ProcessModel,
  before: ProcessState | undefined,
  command: ProcessCommand,
  { now, newId, facts }: ProcessEnvironment,
): ProcessResult {
  const steps: ProcessStep[] = [];
  const tell = (step: ProcessStep): void => void steps.push(step);
  const variables = new ProcessVariables(before?.variables ?? {}, tell);
  const setVariable = variables.set.bind(variables);
  const around = { variables: () => variables.visible, set: setVariable };
  const expressions = new Expressions({ ...around, facts, at: new Date(now).toISOString() });
  const deps = { model, expressions, setVariable, now };
  variables.setAll(command.variables);
  if (command.type === 'continue') variables.setTransient(command.transientVariables);
  if (command.type === 'setVariables') {
    variables.requireFitting();
    return unchanged(before, variables.values, steps);
  }
  const run = new EngineRun({ ...deps, tell });
  if (command.type === 'start') run.start();
  else goOn(run, before, command.waitId);
  variables.requireFitting();
  const engine = run.hasEnded ? undefined : run.state();
  const waiting =
    engine === undefined ? [] : waitsOf(new EngineRun({ ...deps, tell: () => undefined }), engine);
  if (waiting.length > MAX_WAITS) {
    throw new ProcessError('PROCESS_TOO_LARGE', `More than ${MAX_WAITS} activities wait at once.`);
  }
  const old = new Map(before?.waits.map((wait) => [wait.executionId, wait]));
  const waits = waiting.map(({ wait }) => old.get(wait.executionId) ?? { ...wait, id: newId() });
  const begun = waits.filter(({ executionId }) => !old.has(executionId));
  const kept = new Set(waits.map(({ id }) => id));
  const contents = new Map(waiting.map(({ wait, content }) => [wait.executionId, content]));
  const tasks = new Map(
    begun.flatMap((wait): [string, OpenedTask][] => {
      const task = model.userTasks[wait.activityId];
      if (wait.kind !== 'task' || !task) return [];
      const locals = run.localsOf(contents.get(wait.executionId));
      return [[wait.id, openedTask(task, wait.activityId, expressions, locals, now)]];
    }),
  );
  return {
    state: stateOf(variables.values, waits, engine),
    hasEnded: run.hasEnded,
    begun,
    tasks,
    over: before?.waits.filter(({ id }) => !kept.has(id)) ?? [],
    steps,
  };
}

const stateOf = (
  variables: Variables,
  waits: readonly Wait[],
  engine: ProcessState['engine'],
): ProcessState => ({
  ...{ formatVersion: 1, engineVersion: ENGINE_VERSION, variables, waits },
  ...(engine !== undefined && { engine }),
});

function unchanged(
  before: ProcessState | undefined,
  variables: Variables,
  steps: readonly ProcessStep[],
): ProcessResult {
  const waits = before?.waits ?? [];
  const state = stateOf(variables, waits, before?.engine);
  return { state, hasEnded: false, begun: [], tasks: new Map(), over: [], steps };
}

function goOn(run: EngineRun, before: ProcessState | undefined, waitId: string): void {
  const wait = before?.waits.find(({ id }) => id === waitId);
  if (!wait || before?.engine === undefined) {
    throw new ProcessError('ACTIVITY_NOT_WAITING', `Nothing waits as ${waitId} any more.`);
  }
  run.resume(before.engine);
  if (wait.kind === 'timer') run.fire(wait.executionId);
  else if (wait.kind === 'task') run.signal(wait.executionId);
  else run.occur(wait.executionId);
}

type Found = { readonly wait: Omit<Wait, 'id'>; readonly content: EngineWait['content'] };

/** The waiting activities of a state, as the engine reports them when it resumes the state. */
function waitsOf(run: EngineRun, engine: JsonValue): Found[] {
  run.resume(engine);
  const found = run.waits.flatMap((waiting): Found[] => {
    const wait = waitOf(waiting);
    return wait ? [{ wait, content: waiting.content }] : [];
  });
  const byExecution = new Map(found.map((each) => [each.wait.executionId, each]));
  return [...byExecution.values()];
}

function waitOf({ routingKey, content }: EngineWait): Omit<Wait, 'id'> | undefined {
  const { id: activityId, executionId, type, expireAt, message, signal } = content;
  const kind = kindOf(routingKey, type, message !== undefined, signal !== undefined);
  if (!kind) return undefined;
  // What has let the activity before go on may be among the content too.
  const named = { message, signal, task: undefined, timer: undefined }[kind];
  return {
    ...{ kind, activityId, executionId },
    ...(named?.name !== undefined && { name: named.name }),
    ...(kind === 'timer' && expireAt && { dueAt: new Date(expireAt).toISOString() }),
  };
}

function kindOf(
  routingKey: string,
  type: string,
  hasMessage: boolean,
  hasSignal: boolean,
): WaitKind | undefined {
  if (routingKey === 'activity.timer') return 'timer';
  if (type === 'bpmn:UserTask') return 'task';
  if (hasSignal) return 'signal';
  return hasMessage ? 'message' : undefined;
}
