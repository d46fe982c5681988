import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type {
  ProcessCommand,
  ProcessModel,
  ProcessResult,
  ProcessState,
  ProcessStep,
} from '../domain/bpmn/index.ts';
import type { Variables } from '../domain/cmmn/index.ts';
import { loadBpmn } from './bpmn.ts';
import type { ProcessDocuments } from './process-documents.ts';
import { toProcessProblem } from './process-problems.ts';

/** A process to play. */
export interface Simulation {
  readonly xml: string;
  readonly variables?: Variables | undefined;
  /** Variables that activities set when they go on. */
  readonly decisions?: Readonly<Record<string, Variables>> | undefined;
  /** Activities that are left waiting. */
  readonly stopAt?: readonly string[] | undefined;
}

type TakenStep = {
  readonly type: Exclude<ProcessStep['type'], 'variableChanged' | 'serviceRequested'>;
  readonly id: string;
};

/** How a played process went. */
export interface Simulated {
  /** `stopped`: the limit of steps or of time. */
  readonly outcome: 'completed' | 'waiting' | 'failed' | 'stopped';
  readonly steps: readonly TakenStep[];
  readonly waiting: readonly { readonly activityId: string; readonly waitsFor: string }[];
  readonly variables: Variables;
  readonly error?: { readonly code: string; readonly message: string; readonly elementId?: string };
}

const MAX_STEPS = 1_000;
const MAX_MS = 5_000;

export interface ProcessSimulationDependencies {
  readonly documents: ProcessDocuments;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Milliseconds that have passed since some instant. */
  readonly elapsed?: () => number;
}

/** Plays processes in memory. */
export class ProcessSimulation {
  readonly #deps: ProcessSimulationDependencies;

  constructor(dependencies: ProcessSimulationDependencies) {
    this.#deps = dependencies;
  }

  /** Elements and flows of a document. @throws Problem `MODEL_INVALID` (422) */
  async drawing(xml: string) {
    return this.drawn((await this.#deps.documents.require(xml)).model);
  }

  async drawn({ processKey, name, elements, flows }: ProcessModel) {
    const listed = Object.entries(elements).map(([id, element]) => ({ id, ...element }));
    return { processKey, name, elements: listed, flows };
  }

  /** @throws Problem `MODEL_INVALID` (422) */
  async simulate(
    { xml, variables, ...given }: Simulation,
    principal: Principal,
  ): Promise<Simulated> {
    const { documents, clock, ids: newId, elapsed = () => performance.now() } = this.#deps;
    const { model } = await documents.require(xml);
    const { runProcess } = await loadBpmn();
    const tenantCode = principal.tenant ?? '';
    const facts = {
      id: newId(),
      processKey: model.processKey,
      tenantCode,
      startedBy: principal.id,
    };
    const end = elapsed() + MAX_MS;
    const environment = { now: clock.now(), newId, facts };
    return play(
      (state, command) => runProcess(model, state, command, environment),
      { variables, ...given },
      () => elapsed() > end,
    );
  }
}

function play(
  run: (state: ProcessState | undefined, command: ProcessCommand) => ProcessResult,
  { variables = {}, decisions = {}, stopAt = [] }: Omit<Simulation, 'xml'>,
  isLate: () => boolean,
): Simulated {
  const steps: TakenStep[] = [];
  let state: ProcessState | undefined;
  let command: ProcessCommand | undefined = { type: 'start', variables };
  let hasEnded = false;
  try {
    while (command && steps.length < MAX_STEPS && !isLate()) {
      const result: ProcessResult = run(state, command);
      steps.push(...result.steps.flatMap(taken));
      state = result.state;
      hasEnded = result.hasEnded;
      const next = state.waits.find(({ activityId }) => !stopAt.includes(activityId));
      command = next && {
        type: 'continue',
        waitId: next.id,
        variables: Object.hasOwn(decisions, next.activityId) ? decisions[next.activityId] : {},
      };
    }
  } catch (error) {
    return { ...shown(steps, state), outcome: 'failed', error: errorOf(error) };
  }
  const outcome = hasEnded ? 'completed' : command ? 'stopped' : 'waiting';
  return { ...shown(steps, state), outcome };
}

const shown = (steps: readonly TakenStep[], state: ProcessState | undefined) => ({
  steps: steps.slice(0, MAX_STEPS),
  waiting: (state?.waits ?? []).map(({ activityId, kind }) => ({ activityId, waitsFor: kind })),
  variables: state?.variables ?? {},
});

function taken(step: ProcessStep): TakenStep[] {
  if (step.type === 'variableChanged' || step.type === 'serviceRequested') return [];
  return [{ type: step.type, id: step.type === 'flowTaken' ? step.flowId : step.activityId }];
}

/** Why the process cannot go on; a fault of ours is none of it. */
function errorOf(error: unknown): NonNullable<Simulated['error']> {
  const problem = toProcessProblem(error);
  if (!(problem instanceof Problem)) throw error;
  const { code, message, extensions } = problem;
  const { elementId } = extensions;
  return { code, message, ...(typeof elementId === 'string' && { elementId }) };
}
