// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  CmmnError,
  type Command,
  type EngineState,
  execute,
  type Limits,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

/** Gives commands to a model under limits of its own; the code of a refusal instead of a state. */
async function under(limits: Partial<Limits>, model: string) {
  const [definition] = await compiled(model);
  if (!definition) throw new Error('a model is needed');
  const deployed = { id: definition.key, definition };
  let next = 1;
  const environment = {
    definitions: { latest: () => deployed, byId: () => deployed },
    now: Date.UTC(2026, 0, 5),
    newId: () => `id-${next++}`,
    limits,
  };
  return (state: EngineState | undefined, command: Command): EngineState | string => {
    try {
      return execute(state, command, environment).state;
    } catch (error) {
      if (error instanceof CmmnError) return error.code;
      throw error;
    }
  };
}

const start = (variables = {}): Command => ({ type: 'start', definitionKey: 'theCase', variables });
const evaluate: Command = { type: 'evaluate' };

describe('limits', () => {
  const model = aModel(aTask('A') + aTask('B') + aTask('C'));

  it('hold for open plan items', async () => {
    expect((await under({ maxPlanItems: 2 }, model))(undefined, start())).toBe('CASE_TOO_LARGE');
    expect((await under({ maxPlanItems: 3 }, model))(undefined, start())).not.toBe(
      'CASE_TOO_LARGE',
    );
  });

  it('hold for names of variables', async () => {
    const give = await under({ maxVariableNameLength: 4 }, model);

    expect(give(undefined, start({ abcde: 1 }))).toBe('VARIABLE_NAME_TOO_LONG');
    expect(give(undefined, start({ abcd: 1 }))).toMatchObject({ formatVersion: 1 });
  });

  it('hold for what comes with a command, of every kind together', async () => {
    const give = await under({ maxCommandVariables: 100 }, model);
    const state = give(undefined, start({ text: 'x'.repeat(80) })) as EngineState;
    const planItemInstanceId = state.cases[0]?.planItems[0]?.id ?? '';
    const half = { text: 'x'.repeat(50) };

    expect(give(undefined, start({ text: 'x'.repeat(100) }))).toBe('VARIABLES_TOO_LARGE');
    expect(
      give(state, {
        type: 'completeTask',
        planItemInstanceId,
        variables: half,
        transientVariables: half,
      }),
    ).toBe('VARIABLES_TOO_LARGE');
  });

  it('hold for all variables of a case, local ones too', async () => {
    const give = await under({ maxVariables: 100 }, model);
    const state = give(undefined, start({ text: 'x'.repeat(60) })) as EngineState;
    const planItemInstanceId = state.cases[0]?.planItems[0]?.id ?? '';
    const variables = { more: 'x'.repeat(60) };

    expect(give(state, { type: 'setVariables', variables })).toBe('VARIABLES_TOO_LARGE');
    expect(give(state, { type: 'setLocalVariables', planItemInstanceId, variables })).toBe(
      'VARIABLES_TOO_LARGE',
    );
    expect(give(state, evaluate)).toMatchObject({ formatVersion: 1 });
  });

  it('refuse values that JSON cannot hold', async () => {
    const give = await under({}, model);
    const noJson: readonly unknown[] = [Number.NaN, undefined, () => 1, new Date(0), 1n];

    for (const value of noJson.slice(0, 4)) {
      expect(give(undefined, start({ value }))).toBe('VARIABLE_INVALID');
    }
  });

  it('of work end what never comes to rest', async () => {
    const endless = aModel(
      `<planItem id="pX" name="X" definitionRef="X"><itemControl><repetitionRule/></itemControl></planItem><task id="X" flowable:expression="\${1}" flowable:type="java"/>${aTask('A')}`,
    );

    expect((await under({ maxOperations: 500 }, endless))(undefined, start())).toBe('ENGINE_LOOP');
  });
});
