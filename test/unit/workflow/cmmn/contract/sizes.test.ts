// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  CmmnError,
  type Command,
  type EngineState,
  execute,
  type Limits,
  type Result,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

const LISTENER = '<planItem id="pL" name="L" definitionRef="L"/><userEventListener id="L"/>';
const ENTRY = '<entryCriterion id="e" sentryRef="s"/>';
const START = { type: 'start', definitionKey: 'theCase' } as const;

const over = (collection: string, inner = ''): string =>
  `<itemControl><repetitionRule flowable:collectionVariable="${collection}" flowable:elementVariable="e">${inner}</repetitionRule></itemControl>`;
const items = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function hostOf(planModel: string, limits: Partial<Limits> = {}) {
  const definitions = await compiled(aModel(aTask('Keep') + planModel));
  const [definition] = definitions;
  if (!definition) throw new Error('a model is needed');
  const deployed = { id: 'theCase', definition };
  let ids = 0;
  const environment = {
    definitions: { latest: () => deployed, byId: () => deployed },
    now: Date.UTC(2026, 0, 5),
    newId: () => `id-${++ids}`,
    limits,
  };
  const give = (state: EngineState | undefined, command: Command): Result =>
    execute(state, command, environment);
  const answer = (state: EngineState | undefined, command: Command): string => {
    try {
      give(state, command);
      return 'accepted';
    } catch (error) {
      if (error instanceof CmmnError) return error.code;
      throw error;
    }
  };
  return { give, answer, idsTaken: () => ids };
}

const idOf = ({ state }: Result, planItemId: string): string =>
  state.cases[0]?.planItems.find((item) => item.planItemId === planItemId)?.id ?? '';

describe('the values in the effects of one command', () => {
  const task = (attributes: string, inner = ''): string =>
    `<planItem id="pE" name="E" definitionRef="E">${over('list')}</planItem><task id="E" ${attributes}>${inner}</task>`;
  const MAPPED =
    '<extensionElements><flowable:in source="text" target="given"/></extensionElements>';

  it.each([
    [
      'variables that are set again and again',
      task('flowable:expression="${text}" flowable:resultVariableName="copy"'),
    ],
    [
      'what work outside is given',
      task('flowable:type="external-worker" flowable:topic="ship"', MAPPED),
    ],
    [
      'what processes are given',
      `<planItem id="pE" name="E" definitionRef="E">${over('list')}</planItem><processTask id="E" processRef="ship">${MAPPED}</processTask>`,
    ],
    [
      'local variables that are set again and again',
      `<planItem id="pE" name="E" definitionRef="E">${over('list')}</planItem><task id="E" flowable:expression="\${planItemInstance.setVariableLocal('copy', text)}"/>`,
    ],
  ])('are not more than the limit: %s', async (_, planModel) => {
    const { answer } = await hostOf(planModel, { maxEffectVariables: 10_000 });
    const variables = (count: number) => ({ list: items(count), text: 'x'.repeat(1_000) });

    expect(answer(undefined, { ...START, variables: variables(8) })).toBe('accepted');
    expect(answer(undefined, { ...START, variables: variables(10) })).toBe('VARIABLES_TOO_LARGE');
  });
});

describe('the variables of a case are not more than the limit', () => {
  it('when a command that brings none makes one instance for each element', async () => {
    const host = await hostOf(
      `${LISTENER}<planItem id="pE" name="E" definitionRef="E">${over('list')}${ENTRY}</planItem><humanTask id="E" name="E"/>${aSentry('s', 'pL', 'occur')}`,
      { maxVariables: 1_500 },
    );
    const begun = host.give(undefined, {
      ...START,
      variables: { list: items(10).map(() => 'x'.repeat(90)) },
    });

    expect(
      host.answer(begun.state, { type: 'trigger', planItemInstanceId: idOf(begun, 'pL') }),
    ).toBe('VARIABLES_TOO_LARGE');
  });

  const AGGREGATION = (attributes = ''): string =>
    `<extensionElements><flowable:variableAggregation target="all" ${attributes}><variable source="text" target="each"/></flowable:variableAggregation></extensionElements>`;
  const variables = { list: items(4), text: 'x'.repeat(400) };

  it('when commands that bring none collect what instances leave behind', async () => {
    const host = await hostOf(
      `<planItem id="pE" name="E" definitionRef="E">${over('list', AGGREGATION())}</planItem><humanTask id="E" name="E"/>`,
      { maxVariables: 1_300 },
    );
    const done = (result: Result): Command => ({
      type: 'completeTask',
      planItemInstanceId: idOf(result, 'pE'),
    });
    const begun = host.give(undefined, { ...START, variables });
    const second = host.give(begun.state, done(begun));

    expect(host.answer(second.state, done(second))).toBe('VARIABLES_TOO_LARGE');
  });

  it('when an overview shows what all instances hold', async () => {
    const host = await hostOf(
      `<planItem id="pE" name="E" definitionRef="E">${over('list', AGGREGATION('createOverviewVariable="true"'))}</planItem><humanTask id="E" name="E"/>`,
      { maxVariables: 1_300 },
    );

    expect(host.answer(undefined, { ...START, variables })).toBe('VARIABLES_TOO_LARGE');
  });
});

it('a command that plans more than it may do is refused before it has made it all', async () => {
  const inner = `<planItem id="pA" name="A" definitionRef="A">${over('list')}</planItem><humanTask id="A" name="A"/>`;
  const nested = [3, 2, 1].reduce(
    (within, depth) =>
      `<planItem id="p${depth}" name="S" definitionRef="S${depth}">${over('list')}</planItem><stage id="S${depth}">${within}</stage>`,
    inner,
  );
  const host = await hostOf(nested, { maxOperations: 10_000, operationsPerPlanItem: 0 });

  expect(host.answer(undefined, { ...START, variables: { list: items(150) } })).toBe('ENGINE_LOOP');
  expect(host.idsTaken()).toBeLessThan(10_000);
});
