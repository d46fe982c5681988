import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CaseDefinition,
  type CaseInstance,
  CmmnError,
  type Command,
  compile,
  type DeployedCase,
  type EngineState,
  type Environment,
  execute,
  explain,
  type Result,
  type Variables,
  viewPlanItems,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aRandomModel, CHILD_MODEL } from '../../../../helpers/cmmn/random-model.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';
import type { Scenario } from '../../../../tools/conformance/scenario.ts';

const FOLDER = new URL('../../../../fixtures/cmmn/generated/', import.meta.url);

/** A step as fast-check draws it: numbers that choose among what is there. */
interface Draw {
  readonly kind: number;
  readonly pick: number;
  readonly value: number;
}

const ENDED = ['completed', 'terminated', 'failed'];
const definitions = new Map<string, DeployedCase>();
let starts: readonly { definitionKey: string; variables: Variables }[] = [];

beforeAll(async () => {
  const scenarios = JSON.parse(
    readFileSync(new URL('scenarios.json', FOLDER), 'utf8'),
  ) as readonly Scenario[];
  starts = scenarios.map(({ caseDefinitionKey: definitionKey, steps }) => ({
    definitionKey,
    variables: steps[0]?.variables ?? {},
  }));
  const files = readdirSync(new URL('models/', FOLDER));
  const models = files.map((file) => readFileSync(new URL(`models/${file}`, FOLDER), 'utf8'));
  for (const model of [...models, CHILD_MODEL]) {
    const { cases } = await compile(model);
    for (const definition of cases)
      definitions.set(definition.key, { id: definition.key, definition });
  }
}, 60_000);

function environmentAt(step: number): Environment {
  let nextId = 0;
  return {
    definitions: { latest: (key) => definitions.get(key), byId: (id) => definitions.get(id) },
    now: Date.UTC(2026, 0, 5) + step * 30 * 60_000,
    newId: () => `${step}-${nextId++}`,
    user: 'anna',
  };
}

function freeze<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/** Turns a draw into a command, possible or not. */
function commandOf(state: EngineState, { kind, pick, value }: Draw): Command {
  const items = state.cases.flatMap(({ planItems }) => planItems);
  const caseInstanceId = state.cases[pick % state.cases.length]?.id;
  const planItemInstanceId = items[pick % Math.max(items.length, 1)]?.id ?? 'nobody';
  const variables = value % 3 === 0 ? { score: value, approved: value % 2 === 0 } : undefined;
  const commands: Command[] = [
    { type: 'completeTask', planItemInstanceId, variables },
    { type: 'trigger', planItemInstanceId, variables },
    { type: 'trigger', planItemInstanceId },
    { type: 'enable', planItemInstanceId },
    { type: 'disable', planItemInstanceId },
    { type: 'startPlanItem', planItemInstanceId, localVariables: { rating: value } },
    { type: 'startPlanItem', planItemInstanceId },
    { type: 'terminatePlanItem', planItemInstanceId },
    { type: 'completeStage', planItemInstanceId, force: value % 2 === 0 },
    { type: 'suspendPlanItem', planItemInstanceId },
    { type: 'resumePlanItem', planItemInstanceId },
    { type: 'fireTimer', planItemInstanceId },
    { type: 'completeCase', caseInstanceId, force: value % 5 === 0 },
    { type: 'setVariables', caseInstanceId, variables: { ready: value % 2 === 0, rating: value } },
    { type: 'setVariables', caseInstanceId, variables: { urgent: value % 2 === 1 } },
    { type: 'removeVariables', caseInstanceId, names: ['fraud', 'note'] },
    { type: 'evaluate', caseInstanceId },
    { type: 'signal', name: 'customerReplySignal' },
    { type: 'suspend', caseInstanceId },
    { type: 'resume', caseInstanceId },
    { type: 'resume', caseInstanceId },
    { type: 'reactivate', caseInstanceId },
    { type: 'terminate', caseInstanceId: value % 7 === 0 ? caseInstanceId : 'nobody' },
  ];
  return commands[kind % commands.length] as Command;
}

/** The result, or the refusal. Anything but a refusal of the engine is a failure of the test. */
function attempt(state: EngineState, command: Command, step: number): Result | CmmnError {
  try {
    return execute(state, command, environmentAt(step));
  } catch (error) {
    if (error instanceof CmmnError) return error;
    throw error;
  }
}

function start(model: number): Result {
  const chosen = starts[model % starts.length];
  if (!chosen) throw new Error('there is no model');
  return execute(undefined, { type: 'start', ...chosen }, environmentAt(0));
}

/** What holds of every case after every command. */
function checkCase(instance: CaseInstance, definition: CaseDefinition): void {
  const live = new Map(instance.planItems.map((item) => [item.id, item]));
  expect(live.size).toBe(instance.planItems.length);
  if (ENDED.includes(instance.state)) expect(instance.planItems).toEqual([]);
  for (const item of instance.planItems) {
    expect(ENDED).not.toContain(item.state);
    if (item.stageInstanceId === undefined) continue;
    const stage = live.get(item.stageInstanceId);
    expect([
      'active',
      'suspended',
      'available',
      'wait_repetition',
      'enabled',
      'disabled',
    ]).toContain(stage?.state);
  }
  expect(viewPlanItems(instance, definition)).toHaveLength(instance.planItems.length);
}

const aRun = fc.record({
  model: fc.noBias(fc.nat(399)),
  draws: fc.array(fc.record({ kind: fc.nat(200), pick: fc.nat(100), value: fc.nat(20) }), {
    minLength: 1,
    maxLength: 30,
  }),
});

/** Runs a drawn sequence of commands; `check` sees every step. */
function run(
  { model, draws }: { model: number; draws: readonly Draw[] },
  check: (before: EngineState, command: Command, result: Result | CmmnError, step: number) => void,
): void {
  let { state } = start(model);
  for (const [index, draw] of draws.entries()) {
    const before = freeze(state);
    const command = commandOf(before, draw);
    const result = attempt(before, command, index + 1);
    check(before, command, result, index + 1);
    if (!(result instanceof CmmnError)) state = result.state;
  }
}

const OPTIONS = { numRuns: propertyRuns(50) };

describe('whatever is done to any model at all', { timeout: propertyRuns(120_000) }, () => {
  const VARIABLES = { flag: true, number: 3, list: ['a', 'b'] };
  const someDraws = fc.array(
    fc.record({ kind: fc.nat(200), pick: fc.nat(100), value: fc.nat(20) }),
    { maxLength: 15 },
  );

  it('the invariants hold', async () => {
    await fc.assert(
      fc.asyncProperty(aRandomModel(9), someDraws, async (xml, draws) => {
        const { cases, problems } = await compile(xml, { hasProcesses: true });
        const [definition] = cases;
        if (!definition) throw new Error(problems.map(({ message }) => message).join('; '));
        definitions.set(definition.key, { id: definition.key, definition });

        checkRun(definition, VARIABLES, draws);
      }),
      { numRuns: propertyRuns(35) },
    );
  });
});

/** All invariants over one run; a model that never comes to rest has nothing to check. */
function checkRun(definition: CaseDefinition, variables: Variables, draws: readonly Draw[]): void {
  const first = startOrRefusal(definition.key, variables);
  if (first instanceof CmmnError) {
    expect(['ENGINE_LOOP', 'EXPRESSION_ERROR']).toContain(first.code);
    return;
  }
  let { state } = first;
  for (const [index, draw] of draws.entries()) {
    const before = freeze(state);
    const text = JSON.stringify(before);
    const command = commandOf(before, draw);
    const result = attempt(before, command, index + 1);
    const again = attempt(JSON.parse(text) as EngineState, command, index + 1);
    if (result instanceof CmmnError) continue;
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
    for (const instance of result.state.cases) {
      checkCase(instance, definitions.get(instance.definitionId)?.definition ?? definition);
    }
    const wasEnded = ENDED.includes(before.cases[0]?.state ?? '');
    if (wasEnded && command.type !== 'reactivate') expect(JSON.stringify(result.state)).toBe(text);
    ({ state } = result);
  }
}

function startOrRefusal(definitionKey: string, variables: Variables): Result | CmmnError {
  try {
    return execute(undefined, { type: 'start', definitionKey, variables }, environmentAt(0));
  } catch (error) {
    if (error instanceof CmmnError) return error;
    throw error;
  }
}

describe('whatever is done to whichever model', () => {
  it('no instance lives in an ended parent, and every case can be looked at', () => {
    void fc.assert(
      fc.property(aRun, (drawn) => {
        run(drawn, (_, __, result) => {
          if (result instanceof CmmnError) return;
          for (const instance of result.state.cases) {
            const definition = definitions.get(instance.definitionId)?.definition;
            if (definition) checkCase(instance, definition);
          }
        });
      }),
      OPTIONS,
    );
  });

  it('nothing changes in a case that has ended, but by reactivation', () => {
    void fc.assert(
      fc.property(aRun, (drawn) => {
        run(drawn, (before, command, result) => {
          if (result instanceof CmmnError || command.type === 'reactivate') return;
          for (const instance of before.cases.filter(({ state }) => ENDED.includes(state))) {
            const after = result.state.cases.find(({ id }) => id === instance.id);
            if (after) expect(after).toEqual(instance);
          }
        });
      }),
      OPTIONS,
    );
  });

  it('the same input has the same result, through JSON too, and touches no frozen state', () => {
    void fc.assert(
      fc.property(aRun, (drawn) => {
        run(drawn, (before, command, result, step) => {
          const copy = JSON.parse(JSON.stringify(before)) as EngineState;
          const again = attempt(copy, command, step);

          if (result instanceof CmmnError) {
            expect(again).toBeInstanceOf(CmmnError);
            expect((again as CmmnError).code).toBe(result.code);
            expect(copy).toEqual(before);
          } else {
            expect(JSON.stringify(again)).toBe(JSON.stringify(result));
          }
        });
      }),
      OPTIONS,
    );
  });

  it('replaying the accepted commands leads to the same state', () => {
    void fc.assert(
      fc.property(aRun, (drawn) => {
        const accepted: { command: Command; step: number }[] = [];
        let last: EngineState | undefined;
        run(drawn, (_, command, result, step) => {
          if (result instanceof CmmnError) return;
          accepted.push({ command, step });
          last = result.state;
        });

        let { state } = start(drawn.model);
        for (const { command, step } of accepted) {
          state = execute(state, command, environmentAt(step)).state;
        }

        if (last) expect(JSON.stringify(state)).toBe(JSON.stringify(last));
      }),
      OPTIONS,
    );
  });

  it('everything that is open can be explained', () => {
    void fc.assert(
      fc.property(aRun, (drawn) => {
        run(drawn, (_, __, result) => {
          if (result instanceof CmmnError) return;
          const { state } = result;
          for (const { id, planItems } of state.cases.slice(0, 1)) {
            expect(explain(state, id, environmentAt(99)).id).toBe(id);
            for (const item of planItems) {
              expect(explain(state, item.id, environmentAt(99)).state).toBe(item.state);
            }
          }
        });
      }),
      { numRuns: propertyRuns(20) },
    );
  });
});
