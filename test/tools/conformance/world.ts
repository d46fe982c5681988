import {
  type CaseDefinition,
  type CaseInstance,
  type Command,
  type DecisionTable,
  type DefinitionSource,
  type DeployedCase,
  type Effect,
  type EngineState,
  execute,
  type PlanItemInstance,
  viewPlanItems,
} from '../../../functions/workflow/domain/cmmn/index.ts';

const START_OF_TIME = Date.UTC(2026, 0, 5, 9);

/** An instance of a plan item with what its definition tells. */
export interface SeenPlanItem {
  readonly instance: PlanItemInstance;
  readonly definitionKey: string;
  readonly definitionType: string;
}

/** A case as a caller sees it who has kept what the engine has told. */
export interface SeenCase {
  readonly instance: CaseInstance;
  readonly live: readonly SeenPlanItem[];
  readonly ended: readonly SeenPlanItem[];
  readonly milestones: readonly string[];
}

/** The host of one scenario: deployed models, a clock, the state and the history of its cases. */
export class World {
  readonly #definitions = new Map<string, DeployedCase>();
  readonly #effects: Effect[] = [];
  readonly #cases = new Map<string, CaseInstance>();
  #state: EngineState | undefined;
  #nextId = 1;
  now = START_OF_TIME;
  user: string | undefined;

  readonly definitions: DefinitionSource;

  constructor(definitions: readonly CaseDefinition[], decisions: readonly DecisionTable[] = []) {
    this.definitions = {
      latest: (key) => this.#definitions.get(key),
      byId: (id) => this.#definitions.get(id),
      decision: (key) => decisions.find((decision) => decision.key === key),
    };
    for (const definition of definitions) {
      this.#definitions.set(definition.key, { id: definition.key, definition });
    }
  }

  /** Gives a command; the state goes through JSON as it does between two requests. */
  give(command: Command): void {
    const state = this.#state && (JSON.parse(JSON.stringify(this.#state)) as EngineState);
    const result = execute(state, command, {
      definitions: this.definitions,
      now: this.now,
      newId: () => `id-${this.#nextId++}`,
      user: this.user,
    });
    for (const after of result.state.cases) this.#cases.set(after.id, after);
    this.#effects.push(...result.effects);
    this.#state = result.state;
  }

  /** Everything that the engine has told, in order. */
  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** What the last command has left. */
  get state(): EngineState | undefined {
    return this.#state;
  }

  /** Every case there has been, in order of its start. */
  get cases(): readonly SeenCase[] {
    return [...this.#cases.values()].map((instance) => this.#see(instance));
  }

  /** The case that `start` has started. */
  get root(): SeenCase {
    const [root] = this.cases;
    if (!root) throw new Error('no case has been started');
    return root;
  }

  #see(instance: CaseInstance): SeenCase {
    const definition = this.#definitions.get(instance.definitionId)?.definition;
    const own = this.#effects.filter((effect) => effect.caseInstanceId === instance.id);
    return {
      instance,
      live: definition ? viewPlanItems(instance, definition) : [],
      ended: own.filter((effect) => effect.type === 'planItemEnded'),
      milestones: own.flatMap((e) => (e.type === 'milestoneReached' ? [e.name] : [])),
    };
  }
}
