import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CaseInstance,
  CmmnError,
  type Command,
  compile,
  type DeployedCase,
  type EngineState,
  type Environment,
  execute,
  explain,
  type PlanItemInstance,
  type Result,
  readState,
  viewPlanItems,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { compiled } from '../../../../helpers/cmmn/cmmn.ts';
import { compareWithLedger, Ledger } from '../../../../helpers/cmmn/ledger.ts';
import { commandOf, type Draw, someDraws } from '../../../../helpers/cmmn/random-commands.ts';
import { aRandomModel, CHILD_MODEL } from '../../../../helpers/cmmn/random-model.ts';

/** How many cases each law is tried on: more of them with `CMMN_LAWS=<number>`, as before with `CMMN_SEED=<number>`. */
const RUNS = Number(process.env.CMMN_LAWS ?? 20);
const SEED = Number(process.env.CMMN_SEED ?? Date.now() % 2 ** 31);
const OPTIONS = { numRuns: RUNS, seed: SEED };

const VARIABLES = { flag: true, number: 3, list: ['a', 'b'] };
const ENDED: readonly string[] = ['completed', 'terminated', 'failed'];
/** Refusals of a model that nobody can start. */
const UNSTARTABLE = ['ENGINE_LOOP', 'EXPRESSION_ERROR'];

let child: DeployedCase;

beforeAll(async () => {
  const [definition] = await compiled(CHILD_MODEL);
  if (!definition) throw new Error('there is no child');
  child = { id: 'child', definition };
  if (process.env.CMMN_LAWS) process.stdout.write(`seed ${SEED}, ${RUNS} cases for each law\n`);
});

async function deploy(xml: string): Promise<DeployedCase> {
  const { cases, problems } = await compile(xml, { hasProcesses: true });
  const [definition] = cases;
  if (!definition) throw new Error(problems.map(({ message }) => message).join('; '));
  return { id: definition.key, definition };
}

/** One case, and the commands that were accepted. */
class Play {
  readonly #root: DeployedCase;
  readonly ledger = new Ledger();
  readonly accepted: { command: Command; step: number; result: Result }[] = [];
  #last: Result | undefined;

  constructor(root: DeployedCase) {
    this.#root = root;
  }

  environment(step: number): Environment {
    let nextId = 0;
    const find = (key: string): DeployedCase | undefined =>
      [this.#root, child].find(({ id }) => id === key);
    return {
      definitions: { latest: find, byId: find },
      now: Date.UTC(2026, 0, 5) + step * 30 * 60_000,
      newId: () => `${step}-${nextId++}`,
      user: 'anna',
    };
  }

  get state(): EngineState {
    if (!this.#last) throw new Error('the case has not started');
    return this.#last.state;
  }

  /** What a command would do; nothing is kept. */
  attempt(
    command: Command,
    step: number,
    from: 'now' | 'nothing' | EngineState = 'now',
  ): Result | CmmnError {
    try {
      const known = from === 'now' ? this.#last?.state : undefined;
      const state = typeof from === 'string' ? known : from;
      return execute(state, command, this.environment(step));
    } catch (error) {
      if (error instanceof CmmnError) return error;
      throw error;
    }
  }

  /** Gives a command; what is refused is forgotten. */
  give(command: Command, step: number): Result | CmmnError {
    const result = this.attempt(command, step);
    if (result instanceof CmmnError) return result;
    this.#last = result;
    this.accepted.push({ command, step, result });
    this.ledger.hear(result.effects);
    return result;
  }

  typeOf = (item: PlanItemInstance): string | undefined =>
    this.state.cases
      .flatMap((instance) => viewPlanItems(instance, this.definitionOf(instance)))
      .find(({ instance }) => instance.id === item.id)?.definitionType;

  definitionOf = ({ definitionId }: CaseInstance): DeployedCase['definition'] =>
    definitionId === child.id ? child.definition : this.#root.definition;
}

/** Plays random commands on random models; the law is asked after the start and after each command. */
async function holds(law: (play: Play, step: number) => void): Promise<void> {
  const property = async (xml: string, draws: readonly Draw[]): Promise<void> => {
    const root = await deploy(xml);
    const play = new Play(root);
    const { key: definitionKey } = root.definition;
    const start = play.give({ type: 'start', definitionKey, variables: VARIABLES }, 0);
    if (start instanceof CmmnError) {
      expect(UNSTARTABLE).toContain(start.code);
      return;
    }
    law(play, 0);
    for (const [index, draw] of draws.entries()) {
      play.give(commandOf(play.state, draw), index + 1);
      law(play, index + 1);
    }
  };
  await fc.assert(fc.asyncProperty(aRandomModel(9), someDraws(15), property), OPTIONS);
}

const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const openItems = ({ cases }: EngineState): PlanItemInstance[] =>
  cases.filter(({ state }) => state === 'active').flatMap(({ planItems }) => planItems);

/** Instances that sentries let in: no listeners, and nothing in a stage that rests. */
function waitingItems(state: EngineState, play: Play): PlanItemInstance[] {
  const open = openItems(state);
  const active = new Set(open.flatMap((item) => (item.state === 'active' ? item.id : [])));
  return open.filter(
    (item) =>
      item.state === 'available' &&
      !play.typeOf(item)?.endsWith('Listener') &&
      (item.stageInstanceId === undefined || active.has(item.stageInstanceId)),
  );
}

/** A timer that is due fires with the next command that lets it. */
const isTimerDue = (play: Play, step: number): boolean =>
  play.state.cases.some(({ planItems }) =>
    planItems.some(({ timer }) => timer && Date.parse(timer.dueAt) <= play.environment(step).now),
  );

describe('whatever is done to any model', { timeout: 30_000 + 500 * RUNS }, () => {
  it('whoever hears the effects knows what the state says', async () => {
    await holds((play) => {
      const [told, heard] = compareWithLedger(play.state, play.ledger, play.typeOf);
      expect(heard).toEqual(told);
    });
  });

  it('instances are counted when they end, and are gone', async () => {
    await holds((play) => {
      const ended = play.accepted
        .flatMap(({ result }) => result.effects)
        .filter((effect) => effect.type === 'planItemEnded');
      for (const { id, state, planItems, endedCounts } of play.state.cases) {
        const counts: Record<string, Record<string, number>> = {};
        for (const { planItemId, instance } of ended.filter((e) => e.caseInstanceId === id)) {
          const known = counts[planItemId] ?? {};
          counts[planItemId] = { ...known, [instance.state]: (known[instance.state] ?? 0) + 1 };
        }
        expect(endedCounts).toEqual(counts);
        expect(planItems.filter((item) => ENDED.includes(item.state))).toEqual([]);
        if (ENDED.includes(state)) expect(planItems).toEqual([]);
      }
    });
  });

  it('the state is one that can be read again, and leads to the same', async () => {
    await holds((play, step) => {
      expect(readState(json(play.state))).toEqual(json(play.state));
      const { command, step: at, result } = play.accepted.at(-1) ?? {};
      if (!command || at !== step || step === 0) return;
      const before = play.accepted.at(-2)?.result.state;
      expect(json(play.attempt(command, step, before ? json(before) : 'nothing'))).toEqual(
        json(result),
      );
    });
  });

  it('the same commands lead to the same states and effects', async () => {
    await holds((play) => {
      if (play.accepted.length % 5 !== 0) return;
      let state: EngineState | undefined;
      for (const { command, step, result } of play.accepted) {
        const again = play.attempt(command, step, state ?? 'nothing');
        expect(again).toEqual(result);
        ({ state } = result);
      }
    });
  });

  it('suspending and resuming the case does what evaluating it does', async () => {
    await holds((play, step) => {
      const [{ id: caseInstanceId, state } = { id: '', state: '' }] = play.state.cases;
      if (state !== 'active' || isTimerDue(play, step)) return;
      const evaluated = play.attempt({ type: 'evaluate', caseInstanceId }, step);
      const suspended = play.attempt({ type: 'suspend', caseInstanceId }, step);
      if (suspended instanceof CmmnError) throw suspended;
      for (const item of suspended.state.cases[0]?.planItems ?? []) {
        expect(['suspended', 'unavailable', 'wait_repetition']).toContain(item.state);
      }
      const resumed = play.attempt({ type: 'resume', caseInstanceId }, step, suspended.state);

      if (evaluated instanceof CmmnError) {
        expect(resumed).toMatchObject({ code: evaluated.code });
      } else {
        expect((resumed as Result).state).toEqual(evaluated.state);
      }
    });
  });

  it('suspending and resuming a stage changes nothing in it', async () => {
    await holds((play, step) => {
      if (isTimerDue(play, step)) return;
      const stages = openItems(play.state).filter(
        (item) => item.state === 'active' && play.typeOf(item) === 'stage',
      );
      for (const { id: planItemInstanceId } of stages) {
        const evaluated = play.attempt({ type: 'evaluate' }, step);
        const suspended = play.attempt({ type: 'suspendPlanItem', planItemInstanceId }, step);
        if (evaluated instanceof CmmnError || suspended instanceof CmmnError) continue;
        const command: Command = { type: 'resumePlanItem', planItemInstanceId };
        const resumed = play.attempt(command, step, suspended.state);

        const before = openItems(evaluated.state).map(({ id, state }) => [id, state]);
        if (resumed instanceof CmmnError) continue;
        expect(openItems(resumed.state).map(({ id, state }) => [id, state])).toEqual(before);
      }
    });
  });

  it('a stage or case can be completed when the explanation says so, and only then', async () => {
    await holds((play) => {
      const { cases } = play.state;
      const active = cases.flatMap(({ id, state }) => (state === 'active' ? id : []));
      const stages = openItems(play.state).flatMap((item) =>
        item.state === 'active' && play.typeOf(item) === 'stage' ? item.id : [],
      );
      const commands: readonly (readonly [string, Command])[] = [
        ...active.map((id) => [id, { type: 'completeCase', caseInstanceId: id }] as const),
        ...stages.map((id) => [id, { type: 'completeStage', planItemInstanceId: id }] as const),
      ];
      for (const [id, command] of commands) {
        const { completion } = explain(play.state, id, play.environment(92));
        const result = play.attempt(command, 92);
        const isRefused =
          result instanceof CmmnError && /^(?:CASE|STAGE)_NOT_COMPLETABLE$/.test(result.code);
        expect([id, isRefused]).toEqual([id, !completion?.isCompletable]);
      }
    });
  });

  it('nothing goes on waiting for what has happened', async () => {
    await holds((play) => {
      const evaluated = play.attempt({ type: 'evaluate' }, 93);
      if (evaluated instanceof CmmnError) return;
      const { state } = evaluated;
      for (const { id } of waitingItems(state, play)) {
        const { entryCriteria } = explain(state, id, play.environment(93));
        const satisfied = entryCriteria.filter(
          ({ onParts, ifPart }) =>
            onParts.every(({ isSeen }) => isSeen) && (ifPart?.isSatisfied ?? true),
        );
        expect([id, satisfied]).toEqual([id, []]);
      }
    });
  });

  it('what the view offers is not refused for the state it is in', async () => {
    await holds((play) => {
      const views = play.state.cases.flatMap((instance) =>
        viewPlanItems(instance, play.definitionOf(instance)),
      );
      const offers = views.flatMap(({ instance: { id: planItemInstanceId }, allowedCommands }) =>
        allowedCommands.map((type) => ({ type, planItemInstanceId }) as Command),
      );
      for (const command of offers) {
        const result = play.attempt(command, 94);
        const code = result instanceof CmmnError ? result.code : '';
        expect([command, code]).not.toContain('PLAN_ITEM_ILLEGAL_STATE');
        expect([command, code]).not.toContain('STAGE_NOT_COMPLETABLE');
      }
    });
  });
});
