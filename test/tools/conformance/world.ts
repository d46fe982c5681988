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
  type Limits,
  type NamedInstance,
  viewPlanItems,
} from '../../../functions/workflow/domain/cmmn/index.ts';
import { START_OF_TIME } from './scenario.ts';
import type { SeenCase, SeenPlanItem } from './seen.ts';

/** An instance of a plan item with all that the engine knows of it. */
interface HeldPlanItem extends SeenPlanItem {
  readonly instance: NamedInstance;
}

/** A case with all that the engine knows of it, and what it has told. */
interface HeldCase extends SeenCase {
  readonly instance: CaseInstance;
  readonly live: readonly HeldPlanItem[];
  readonly ended: readonly HeldPlanItem[];
}

/** The host of one scenario: deployed models, a clock, the families of cases and their history. */
export class World {
  readonly #definitions = new Map<string, DeployedCase>();
  readonly #effects: Effect[] = [];
  readonly #cases = new Map<string, CaseInstance>();
  readonly #families = new Map<string, EngineState>();
  #nextId = 1;
  now = START_OF_TIME;
  user: string | undefined;
  limits: Partial<Limits> = {};

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

  /** Gives a command to the family it is for; a signal without a case to all of them, as Flowable does. */
  give(command: Command): void {
    for (const family of this.#familiesFor(command)) this.#giveTo(family, command);
  }

  /** The state goes through JSON as it does between two requests. */
  #giveTo(family: EngineState | undefined, command: Command): void {
    const state = family && (JSON.parse(JSON.stringify(family)) as EngineState);
    const result = execute(state, command, {
      definitions: this.definitions,
      now: this.now,
      newId: () => `id-${this.#nextId++}`,
      user: this.user,
      limits: this.limits,
    });
    for (const after of [result.state, ...result.parted]) this.#keep(after);
    this.#effects.push(...result.effects);
  }

  #keep(family: EngineState): void {
    for (const after of family.cases) this.#cases.set(after.id, after);
    const [first] = family.cases;
    if (first) this.#families.set(first.familyId, family);
  }

  #familiesFor(command: Command): readonly (EngineState | undefined)[] {
    if (command.type === 'start') return [undefined];
    if (command.type !== 'signal' || command.caseInstanceId) return [this.#familyOf(command)];
    const all = [...this.#families.values()];
    const open = all.filter(({ cases }) => cases.some(({ state }) => state === 'active'));
    return open.length > 0 ? open : all.slice(0, 1);
  }

  /** The family of the case or plan item instance; without one, that of the root. */
  #familyOf(command: Command): EngineState | undefined {
    const families = [...this.#families.values()];
    if ('planItemInstanceId' in command) {
      const id = command.planItemInstanceId;
      const holds = ({ planItems }: CaseInstance): boolean => planItems.some((i) => i.id === id);
      return families.find(({ cases }) => cases.some(holds)) ?? families[0];
    }
    const id = 'caseInstanceId' in command ? command.caseInstanceId : undefined;
    if (id === undefined) return families[0];
    const open = families.find(({ cases }) => cases.some((c) => c.id === id));
    const alone = this.#cases.get(id);
    return open ?? (alone ? { formatVersion: alone.formatVersion, cases: [alone] } : families[0]);
  }

  /** Everything that the engine has told, in order. */
  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** What is stored of the family that `start` has started. */
  get state(): EngineState | undefined {
    return [...this.#families.values()][0];
  }

  /** Every case there has been, in order of its start. */
  get cases(): readonly HeldCase[] {
    return this.#effects.flatMap(({ type, caseInstanceId }) => {
      const instance = type === 'caseStarted' && this.#cases.get(caseInstanceId);
      return instance ? [this.#see(instance)] : [];
    });
  }

  /** The case that `start` has started. */
  get root(): HeldCase {
    const [root] = this.cases;
    if (!root) throw new Error('no case has been started');
    return root;
  }

  #see(instance: CaseInstance): HeldCase {
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
