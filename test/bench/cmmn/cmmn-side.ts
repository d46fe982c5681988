import {
  type CaseDefinition,
  type Command,
  compile,
  type DeployedCase,
  type EngineState,
  type Environment,
  execute,
  readState,
  type Variables,
  viewPlanItems,
} from '../../../functions/workflow/domain/cmmn/index.ts';

/** How the state travels from one command to the next. */
export type Keeping = 'memory' | 'json';

/** A model that is ready to run. */
export interface BenchModel {
  readonly definition: CaseDefinition;
  readonly environment: Environment;
}

/** Compiles a model of one case. */
export async function loadModel(xml: string): Promise<BenchModel> {
  const { cases, problems } = await compile(xml);
  const [definition] = cases;
  if (!definition) throw new Error(problems.map(({ message }) => message).join('; '));
  const deployed: DeployedCase = { id: definition.key, definition };
  let nextId = 0;
  const environment: Environment = {
    definitions: { latest: () => deployed, byId: () => deployed },
    now: Date.UTC(2026, 0, 5),
    newId: () => `00000000-0000-7000-8000-${(nextId++).toString(16).padStart(12, '0')}`,
  };
  return { definition, environment };
}

/** One case on the engine. */
export class BenchCase {
  readonly #model: BenchModel;
  readonly #keeping: Keeping;
  #state: EngineState | undefined;
  #stored = '';
  /** What was read of it: a host shows a case and gives a command within one request. */
  #read: EngineState | undefined;

  constructor(model: BenchModel, keeping: Keeping) {
    this.#model = model;
    this.#keeping = keeping;
  }

  get #current(): EngineState | undefined {
    if (this.#keeping === 'memory') return this.#state;
    if (this.#stored) this.#read ??= readState(JSON.parse(this.#stored));
    return this.#read;
  }

  give(command: Command): void {
    const { state } = execute(this.#current, command, this.#model.environment);
    if (this.#keeping === 'memory') this.#state = state;
    else this.#stored = JSON.stringify(state);
    this.#read = undefined;
  }

  start(variables: Variables = {}): void {
    this.give({ type: 'start', definitionKey: this.#model.definition.key, variables });
  }

  /** Characters of JSON that the state is stored as. */
  get size(): number {
    return JSON.stringify(this.#current)?.length ?? 0;
  }

  /** Ids of the open tasks. */
  openTasks(): string[] {
    const [root] = this.#current?.cases ?? [];
    if (!root) return [];
    return viewPlanItems(root, this.#model.definition)
      .filter((view) => view.definitionType === 'humanTask' && view.instance.state === 'active')
      .map((view) => view.instance.id);
  }

  completeTask(planItemInstanceId: string): void {
    this.give({ type: 'completeTask', planItemInstanceId });
  }

  /** Completes open tasks until none is left, or so many are done. @returns how many were done */
  work(limit = Number.MAX_SAFE_INTEGER): number {
    let done = 0;
    while (done < limit) {
      const open = this.openTasks();
      if (open.length === 0) break;
      for (const id of open.slice(0, limit - done)) {
        this.completeTask(id);
        done++;
      }
    }
    return done;
  }
}
