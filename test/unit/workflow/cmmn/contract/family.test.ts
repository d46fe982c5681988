import { describe, expect, it } from 'vitest';
import {
  type CaseInstance,
  CmmnError,
  type Command,
  type EngineState,
  execute,
  linkedCases,
  type Result,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

const call = (id: string, callee: string, attributes = ''): string =>
  `<planItem id="pi${id}" name="${id}" definitionRef="${id}"/><caseTask id="${id}" caseRef="${callee}" ${attributes}/>`;

/** A parent that waits for a child, which waits for a grandchild; and one that waits for nobody. */
async function models(isBlocking: boolean) {
  const definitions = await compiled(
    aModel(call('Call', 'child', `isBlocking="${isBlocking}"`) + aTask('Own'), { key: 'parent' }),
    aModel(call('Deeper', 'grandchild') + aTask('Inner'), { key: 'child' }),
    aModel(aTask('Innermost'), { key: 'grandchild' }),
  );
  const find = (id: string) => {
    const definition = definitions.find(({ key }) => key === id);
    return definition && { id, definition };
  };
  let next = 1;
  const environment = {
    definitions: { latest: find, byId: find },
    now: Date.UTC(2026, 0, 5),
    newId: () => `id-${next++}`,
  };
  return (state: EngineState | undefined, command: Command): Result =>
    execute(state, command, environment);
}

const stateOf = (...cases: readonly (CaseInstance | undefined)[]): EngineState => ({
  formatVersion: 1,
  cases: cases.flatMap((one) => one ?? []),
});

function refusal(act: () => unknown): CmmnError {
  try {
    act();
  } catch (error) {
    if (error instanceof CmmnError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const itemNamed = ({ cases }: EngineState, name: string): string =>
  cases.flatMap(({ planItems }) => planItems).find((item) => item.planItemId === `pi${name}`)?.id ??
  '';

describe('the family of a case', () => {
  const START = { type: 'start', definitionKey: 'parent' } as const;

  it('is the case and all that it waits for, under the id of its root', async () => {
    const give = await models(true);

    const { state, parted } = give(undefined, START);

    const [parent, child, grandchild] = state.cases;
    expect(parted).toEqual([]);
    expect(state.cases.map(({ familyId }) => familyId)).toEqual(Array(3).fill(parent?.id));
    expect(state.cases.map(({ parent: link }) => link?.isWaiting)).toEqual([undefined, true, true]);
    expect(parent && linkedCases(parent)).toEqual([child?.id]);
    expect(child && linkedCases(child)).toEqual([parent?.id, grandchild?.id]);
  });

  it('is refused when a case is missing, from below and from above', async () => {
    const give = await models(true);
    const { state } = give(undefined, START);
    const [parent, child, grandchild] = state.cases;

    const withoutChildren = refusal(() => give(stateOf(parent), { type: 'evaluate' }));
    const withoutParent = refusal(() => give(stateOf(child, grandchild), { type: 'evaluate' }));
    const withGap = refusal(() => give(stateOf(parent, grandchild), { type: 'evaluate' }));

    expect(withoutChildren).toMatchObject({
      code: 'FAMILY_INCOMPLETE',
      details: { caseInstanceId: child?.id, reference: parent?.id },
    });
    expect(withoutParent).toMatchObject({
      code: 'FAMILY_INCOMPLETE',
      details: { caseInstanceId: parent?.id },
    });
    expect(withGap.details.caseInstanceId).toBe(child?.id);
  });

  it('may come in any order', async () => {
    const give = await models(true);
    const { state } = give(undefined, START);
    const shuffled = stateOf(...state.cases.toReversed());

    const { state: after } = give(shuffled, { type: 'setVariables', variables: { of: 'root' } });

    const root = after.cases.find(({ id }) => id === state.cases[0]?.id);
    expect(root?.variables).toEqual({ of: 'root' });
  });

  it('refuses cases that are not of it, or are there twice', async () => {
    const give = await models(true);
    const [mine, other] = [give(undefined, START), give(undefined, START)];
    const twice = [...mine.state.cases, mine.state.cases[1]];

    for (const cases of [[...mine.state.cases, ...other.state.cases], twice, []]) {
      expect(refusal(() => give(stateOf(...cases), { type: 'evaluate' })).code).toBe(
        'STATE_INVALID',
      );
    }
  });

  it('is left by a child that nobody waits for, which keeps its parent', async () => {
    const give = await models(false);

    const { state, parted } = give(undefined, START);

    const [parent] = state.cases;
    const [child, grandchild] = parted[0]?.cases ?? [];
    expect(state.cases).toHaveLength(1);
    expect(parted).toHaveLength(1);
    expect([child?.familyId, grandchild?.familyId]).toEqual([child?.id, child?.id]);
    expect(child?.parent).toEqual({
      caseInstanceId: parent?.id,
      planItemInstanceId: expect.any(String),
      isWaiting: false,
    });
  });

  it('of such a child works without the parent, and the parent without it', async () => {
    const give = await models(false);
    const { state, parted } = give(undefined, START);
    const [child] = parted;
    if (!child) throw new Error('no family has parted');

    const afterParent = give(state, { type: 'terminate' });
    const afterChild = give(child, {
      type: 'completeTask',
      planItemInstanceId: itemNamed(child, 'Inner'),
    });

    expect(afterParent.state.cases[0]?.state).toBe('terminated');
    expect(afterChild.state.cases[0]?.state).toBe('active');
  });

  it('holds children that a command has ended until the next one', async () => {
    const give = await models(true);
    const { state } = give(undefined, START);
    const [parent, child] = state.cases;

    const ended = give(state, { type: 'terminate', caseInstanceId: child?.id });
    const next = give(ended.state, { type: 'evaluate' });

    expect(ended.state.cases.map((one) => one.state)).toEqual([
      'active',
      'terminated',
      'terminated',
    ]);
    expect(next.state.cases.map(({ id }) => id)).toEqual([parent?.id]);
  });
});

describe('a started case', () => {
  it('is not started within a state', async () => {
    const give = await models(true);
    const { state } = give(undefined, { type: 'start', definitionKey: 'parent' });

    const again = refusal(() => give(state, { type: 'start', definitionKey: 'parent' }));

    expect(again.code).toBe('COMMAND_INVALID');
  });
});
