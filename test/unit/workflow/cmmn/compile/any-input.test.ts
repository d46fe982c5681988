import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CmmnError,
  type Command,
  compile,
  compileDecisions,
  type DeployedCase,
  type EngineState,
  type Environment,
  execute,
  explain,
  readState,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { compiled } from '../../../../helpers/cmmn/cmmn.ts';
import { countSteps } from '../../../../helpers/cmmn/count-steps.ts';
import { commandOf, type Draw, someDraws } from '../../../../helpers/cmmn/random-commands.ts';
import { aRandomModel, CHILD_MODEL } from '../../../../helpers/cmmn/random-model.ts';
import { aRandomXml, mutationsOf, wrongFormsOf } from '../../../../helpers/cmmn/random-xml.ts';

/** How often each kind of input is tried: more with `CMMN_LAWS=<number>`, as before with `CMMN_SEED=<number>`. */
const RUNS = Number(process.env.CMMN_LAWS ?? 30);
const OPTIONS = { numRuns: RUNS, seed: Number(process.env.CMMN_SEED ?? Date.now() % 2 ** 31) };

/** Steps that any document takes, and those for each of its characters. */
const compileSteps = (xml: string): number => 20_000 + 100 * xml.length;
/** Steps of a command for a case of at most ten plan items, before the engine gives up. */
const COMMAND_STEPS = 30_000_000;

/** Compiles whatever it is: an answer, within a number of steps that the length of the text decides. */
async function isAnswered(xml: string): Promise<void> {
  let isWellFormed = false;
  const steps = await countSteps(async () => {
    const { isValid, cases, problems } = await compile(xml, { hasProcesses: true });
    const errors = problems.filter(({ severity }) => severity === 'ERROR');
    isWellFormed = isValid === (errors.length === 0) && (isValid || problems.length > 0);
    if (isValid) for (const { planModel } of cases) expect(planModel.type).toBe('stage');
  });
  expect(isWellFormed).toBe(true);
  expect(steps).toBeLessThanOrEqual(compileSteps(xml));
}

describe('compile answers', { timeout: 120_000 + 1_000 * RUNS }, () => {
  it('random bytes', async () => {
    const someBytes = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(someBytes, async (bytes) => {
        await isAnswered(bytes.toString('latin1'));
        await isAnswered(`<definitions>${bytes.toString('utf8')}`);
        expect(compileDecisions(bytes.toString('utf8')).decisions).toEqual([]);
      }),
      OPTIONS,
    );
  });

  it('random XML', async () => {
    await fc.assert(fc.asyncProperty(aRandomXml, isAnswered), OPTIONS);
  });

  it('mutated models', async () => {
    const someXml = aRandomModel(6).chain(mutationsOf);
    await fc.assert(fc.asyncProperty(someXml, isAnswered), OPTIONS);
  });
});

describe('a state that is not as the engine has left it', {
  timeout: 120_000 + 1_000 * RUNS,
}, () => {
  let child: DeployedCase;

  beforeAll(async () => {
    const [definition] = await compiled(CHILD_MODEL);
    if (!definition) throw new Error('there is no child');
    child = { id: 'child', definition };
  });

  function environmentOf(root: DeployedCase, step: number): Environment {
    let nextId = 0;
    const find = (key: string): DeployedCase | undefined =>
      [root, child].find(({ id }) => id === key);
    return {
      definitions: { latest: find, byId: find },
      now: Date.UTC(2026, 0, 5) + step * 30 * 60_000,
      newId: () => `${step}-${nextId++}`,
    };
  }

  /** What is refused is refused by the engine. */
  function attempt<Answer>(work: () => Answer): Answer | undefined {
    try {
      return work();
    } catch (error) {
      if (error instanceof CmmnError) return undefined;
      throw error;
    }
  }

  /** A state that some commands have led to. */
  function playedState(draws: readonly Draw[], root: DeployedCase): EngineState | undefined {
    const variables = { flag: true, number: 3, list: ['a', 'b'] };
    const start: Command = { type: 'start', definitionKey: root.id, variables };
    let state = attempt(() => execute(undefined, start, environmentOf(root, 0)))?.state;
    for (const [step, draw] of draws.entries()) {
      const before = state;
      if (!before) break;
      const environment = environmentOf(root, step + 1);
      state = attempt(() => execute(before, commandOf(before, draw), environment))?.state ?? before;
    }
    return state;
  }

  it('is refused, or worked on like any other', async () => {
    const property = async (
      xml: string,
      draws: readonly Draw[],
      data: fc.GeneratorValue,
    ): Promise<void> => {
      const [definition] = await compiled(xml);
      if (!definition) return;
      const root = { id: definition.key, definition };
      const state = playedState(draws, root);
      if (!state) return;
      const wrong = data(wrongFormsOf, JSON.parse(JSON.stringify(state)));
      const steps = await countSteps(() => {
        attempt(() => readState(wrong));
        for (const [step, draw] of draws.entries()) {
          const environment = environmentOf(root, 50 + step);
          attempt(() => execute(wrong as EngineState, commandOf(state, draw), environment));
        }
        attempt(() =>
          explain(wrong as EngineState, state.cases[0]?.id ?? '', environmentOf(root, 99)),
        );
      });
      expect(steps).toBeLessThanOrEqual(COMMAND_STEPS);
    };
    await fc.assert(fc.asyncProperty(aRandomModel(6), someDraws(6), fc.gen(), property), OPTIONS);
  });
});
