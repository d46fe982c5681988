// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../../functions/workflow/domain/cmmn/contract/limits.ts';
import {
  CmmnError,
  type Command,
  type EngineState,
  execute,
  type Limits,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

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

  it('hold for all texts that a case keeps, not for those of one command alone', async () => {
    const growing = aModel(
      aTask(
        'A',
        '<itemControl><repetitionRule/></itemControl><entryCriterion id="e" sentryRef="s"/>',
        'flowable:category="${text}"',
      ) +
        '<planItem id="pL" name="L" definitionRef="L"><itemControl><repetitionRule/></itemControl></planItem><userEventListener id="L"/>' +
        aSentry('s', 'pL', 'occur'),
    );
    const give = await under({ maxCaseTexts: 350 }, growing);
    const begun = give(undefined, start({ text: 'x'.repeat(100) })) as EngineState;
    const more = (state: EngineState): EngineState | string => {
      const listener = state.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'pL');
      return give(state, { type: 'trigger', planItemInstanceId: listener?.id ?? '' });
    };

    const third = more(more(more(begun) as EngineState) as EngineState) as EngineState;

    expect(third).toMatchObject({ formatVersion: 1 });
    expect(more(third)).toBe('CASE_TOO_LARGE');
    expect(give(third, evaluate)).toMatchObject({ formatVersion: 1 });
  });

  it('hold for what hosts say about tasks, and not for what the model says', async () => {
    const assigned = aModel(
      aTask(
        'A',
        '',
        `flowable:assignee="${'m'.repeat(200)}" flowable:category="${'c'.repeat(200)}"`,
      ),
    );
    const give = await under({ maxCaseTexts: 100 }, assigned);
    const begun = give(undefined, start()) as EngineState;
    const id = begun.cases[0]?.planItems[0]?.id ?? '';
    const claimedBy = (assignee: string): Command => ({
      type: 'evaluate',
      tasks: { [id]: { assignee } },
    });

    expect(begun).toMatchObject({ formatVersion: 1 });
    expect(give(begun, claimedBy('a'.repeat(100)))).toMatchObject({ formatVersion: 1 });
    expect(give(begun, claimedBy('a'.repeat(101)))).toBe('CASE_TOO_LARGE');
  });

  it('are as by default where a host says nothing', async () => {
    const limits = { maxOperations: undefined, maxPlanItems: undefined } as Partial<Limits>;

    expect((await under(limits, model))(undefined, start())).toMatchObject({ formatVersion: 1 });
  });

  it.each([
    ['operations', { maxOperations: 2, operationsPerPlanItem: 0 }, { operationsPerPlanItem: 50 }],
    ['visits', { maxVisits: 2, visitsPerPair: 0 }, { visitsPerPair: 10 }],
    ['visits of the largest case', { maxVisits: 2, maxVisitsInAll: 3 }, { maxVisitsInAll: 500 }],
    ['rounds', { maxRounds: 0, roundsPerPlanItem: 0 }, { roundsPerPlanItem: 4 }],
  ])('of %s grow with the case as the host says', async (_, small, more) => {
    expect((await under(small, model))(undefined, start())).toBe('ENGINE_LOOP');
    expect((await under({ ...small, ...more }, model))(undefined, start())).toMatchObject({
      formatVersion: 1,
    });
  });

  it('of work end what never comes to rest', async () => {
    const endless = aModel(
      `<planItem id="pX" name="X" definitionRef="X"><itemControl><repetitionRule/></itemControl></planItem><task id="X" flowable:expression="\${1}" flowable:type="java"/>${aTask('A')}`,
    );

    expect((await under({ maxOperations: 500 }, endless))(undefined, start())).toBe('ENGINE_LOOP');
  });
});

it('the README names every limit with its default', async () => {
  const readme = await readFile(
    new URL('../../../../../functions/workflow/domain/cmmn/README.md', import.meta.url),
    'utf8',
  );
  const rows = readme.split('\n').filter((line) => line.startsWith('| `max'));

  for (const [name, value] of Object.entries(DEFAULT_LIMITS)) {
    const shown = String(value).replace(/\B(?=(?:\d{3})+$)/g, ' ');
    const row = rows.find((line) => line.includes(`\`${name}\``)) ?? '';
    expect([name, ` ${row} `]).toEqual([name, expect.stringMatching(`[ ]${shown}[ ,]`)]);
  }
});
