// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  CmmnError,
  type Command,
  type EngineState,
  execute,
  type Limits,
  type Result,
  readState,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

/** What a host has that stores all it is told; the code of a refusal instead of a result. */
async function hostOf(models: string | readonly string[], limits: Partial<Limits> = {}) {
  const definitions = await compiled(...[models].flat());
  const find = (key: string) => {
    const definition = definitions.find((one) => one.key === key);
    return definition && { id: key, definition };
  };
  let next = 1;
  const environment = (now: number) => ({
    definitions: { latest: find, byId: find },
    now,
    newId: () => `id-${next++}`,
    limits,
  });
  const give = (state: EngineState | undefined, command: Command, now = Date.UTC(2026, 0, 5)) =>
    execute(state, command, environment(now));
  const refusal = (state: EngineState | undefined, command: unknown): string => {
    try {
      give(state, command as Command);
      return 'accepted';
    } catch (error) {
      if (error instanceof CmmnError) return error.code;
      throw error;
    }
  };
  return { give, refusal };
}

const START = { type: 'start', definitionKey: 'theCase' } as const;

const stored = ({ state }: Result): EngineState => JSON.parse(JSON.stringify(state)) as EngineState;

describe('a command that is none', () => {
  it.each([
    null,
    undefined,
    5,
    { ...START, name: 5 },
    { ...START, tenantId: {} },
    { ...START, businessKey: [] },
    { ...START, businessStatus: {} },
    { ...START, caseInstanceId: '' },
    { ...START, caseInstanceId: 7 },
  ])('is not started with: %j', async (command) => {
    const { refusal } = await hostOf(aModel(aTask('A')));

    expect(refusal(undefined, command)).toBe('COMMAND_INVALID');
  });

  it.each([
    { type: 'removeVariables' },
    { type: 'removeVariables', names: 'abc' },
    { type: 'removeLocalVariables', names: [1] },
    { type: 'setLocalVariables' },
    { type: 'signal' },
    { type: 'signal', name: {} },
    { type: 'endProcess', outcome: 'constructor' },
    { type: 'evaluate', tasks: 'abc' },
  ])('changes nothing: %j', async (command) => {
    const { give, refusal } = await hostOf(aModel(aTask('A')));
    const state = stored(give(undefined, START));
    const planItemInstanceId = state.cases[0]?.planItems[0]?.id;

    expect(refusal(state, { planItemInstanceId, ...command })).toBe('COMMAND_INVALID');
  });

  it('brings no endless texts', async () => {
    const { give, refusal } = await hostOf(aModel(aTask('A')));
    const { state } = give(undefined, START);
    const name = 'x'.repeat(4_001);

    expect(refusal(undefined, { ...START, name })).toBe('COMMAND_INVALID');
    expect(refusal(state, { type: 'signal', name })).toBe('COMMAND_INVALID');
    expect(refusal(state, { type: 'evaluate', caseInstanceId: name })).toBe('COMMAND_INVALID');
  });

  it('brings no endless facts of tasks', async () => {
    const { give, refusal } = await hostOf(aModel(aTask('A')));
    const state = stored(give(undefined, START));
    const id = state.cases[0]?.planItems[0]?.id ?? '';
    const facts = [{ assignee: 'x'.repeat(5_000) }, { dueDate: '+011026-01-05T00:00:00.000Z' }];

    for (const change of facts) {
      expect(refusal(state, { type: 'evaluate', tasks: { [id]: change } })).toBe('COMMAND_INVALID');
    }
  });
});

describe('texts of expressions', () => {
  const list = Array.from({ length: 100 }, (_, index) => index);
  const repeated = (attributes: string, name = 'A') =>
    aModel(
      `<planItem id="piA" name="${name}" definitionRef="A"><itemControl><repetitionRule flowable:collectionVariable="list" flowable:elementVariable="e"/></itemControl></planItem><humanTask id="A" ${attributes}/>`,
    );

  it.each([
    ['category', 4_000],
    ['formKey', 4_000],
    ['assignee', 255],
    ['candidateUsers', 255],
    ['candidateGroups', 255],
  ])('of a task are as long as the limit: %s', async (fact, most) => {
    const { refusal } = await hostOf(repeated(`flowable:${fact}="\${text}"`));
    const startWith = (length: number) => ({
      ...START,
      variables: { list, text: 'x'.repeat(length) },
    });

    expect(refusal(undefined, startWith(most))).toBe('accepted');
    expect(refusal(undefined, startWith(most + 1))).toBe('EXPRESSION_ERROR');
  });

  it('of all tasks together too', async () => {
    const model = repeated('flowable:category="${text}"', 'Task ${text}');
    const { refusal } = await hostOf(model, { maxTexts: 100_000 });
    const start = { ...START, variables: { list, text: 'x'.repeat(1_000) } };

    expect(refusal(undefined, start)).toBe('CASE_TOO_LARGE');
  });

  it('name no signal that is too long for a key', async () => {
    const { refusal } = await hostOf(
      aModel(
        `${aTask('A')}<planItem id="piL" definitionRef="L"/><eventListener id="L" flowable:eventType="signal" flowable:signalRef="\${text}"/>`,
      ),
    );

    expect(refusal(undefined, { ...START, variables: { text: 'x'.repeat(5_000) } })).toBe(
      'EXPRESSION_ERROR',
    );
  });
});

describe('times beyond the year 9999', () => {
  const timer = (text: string) =>
    aModel(
      `${aTask('A')}<planItem id="piT" definitionRef="T"/><timerEventListener id="T"><timerExpression>${text}</timerExpression></timerEventListener>`,
    );

  it('are no times of timers and tasks, whose rows would be in no order', async () => {
    const due = await hostOf(aModel(aTask('A', '', 'flowable:dueDate="${due}"')));
    const clock = await hostOf(timer('${due}'));
    const start = { ...START, variables: { due: 'P9000Y' } };

    expect(due.refusal(undefined, start)).toBe('EXPRESSION_ERROR');
    expect(clock.refusal(undefined, start)).toBe('TIMER_EXPRESSION_INVALID');
  });

  it.each(['R/2026-02-01T00:00:00Z/P9000Y', 'R/2026-02-01T00:00:00Z/P273780Y'])(
    'end a repetition: %s',
    async (text) => {
      const { give } = await hostOf(timer(text));
      const state = stored(give(undefined, START));
      const { id = '', timer: set } =
        state.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'piT') ?? {};

      const fired = give(
        state,
        { type: 'fireTimer', planItemInstanceId: id, dueAt: set?.dueAt },
        Date.UTC(2026, 1, 2),
      );

      expect(fired.effects.map(({ type }) => type)).toContain('timerFired');
      expect(fired.state.cases[0]?.planItems.map(({ planItemId }) => planItemId)).toEqual(['piA']);
    },
  );
});

describe('the head of a case', () => {
  it('is told the business status that the case starts with', async () => {
    const { give } = await hostOf(aModel(aTask('A')));

    const { effects } = give(undefined, { ...START, businessStatus: 'new' });

    expect(effects[0]).toMatchObject({ type: 'caseStarted', businessStatus: 'new' });
  });

  it('is told the family of a child that is brought back without its parent', async () => {
    const { give } = await hostOf([
      aModel(
        `<planItem id="piC" definitionRef="C"/><caseTask id="C" caseRef="child"/>${aTask('Own')}`,
      ),
      aModel(
        `${aTask('B')}<planItem id="piR" definitionRef="R"/><eventListener id="R" flowable:eventType="reactivate"/>`,
        { key: 'child' },
      ),
    ]);
    const started = give(undefined, START);
    const [root, child] = started.state.cases;
    const ended = give(started.state, { type: 'terminate', caseInstanceId: child?.id });
    const last = ended.state.cases.find(({ id }) => id === child?.id);

    const { state, effects } = give(
      { formatVersion: 1, cases: last ? [last] : [] },
      { type: 'reactivate', caseInstanceId: child?.id },
    );

    const told = effects.find(({ type }) => type === 'caseReactivated');
    expect([child?.familyId, state.cases[0]?.familyId]).toEqual([root?.id, child?.id]);
    expect(told).toMatchObject({
      familyId: state.cases[0]?.familyId,
      parent: state.cases[0]?.parent,
    });
    expect(readState(stored({ state, effects, parted: [] }))).toEqual(
      stored({ state, effects, parted: [] }),
    );
  });
});
