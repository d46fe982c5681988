// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CmmnError,
  type EngineState,
  execute,
  readState,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

type Path = readonly (string | number)[];

const AGGREGATED =
  '<itemControl><repetitionRule flowable:collectionVariable="list" flowable:elementVariable="one"><extensionElements><flowable:variableAggregation target="all"><variable source="one" target="who"/></flowable:variableAggregation></extensionElements></repetitionRule></itemControl>';
const MODEL = aModel(
  `${aTask('A', '', 'flowable:assignee="ann"')}<planItem id="pS" name="S" definitionRef="S"/><stage id="S">${aTask('B')}${aTask('C', '<entryCriterion id="e" sentryRef="s"/>')}${aSentry('s', 'piB', 'complete', '${ready}')}</stage><planItem id="pT" name="T" definitionRef="T"/><timerEventListener id="T"><timerExpression>R3/PT1H</timerExpression></timerEventListener><planItem id="pCall" name="Call" definitionRef="Call"/><caseTask id="Call" caseRef="child"/>${aTask('Each', AGGREGATED)}`,
  { key: 'parent' },
);

const pathsIn = (value: unknown, path: Path = []): Path[] =>
  value === null || typeof value !== 'object'
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))];

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

function removed(value: unknown, path: Path): unknown {
  const parent = path.slice(0, -1);
  const holder = parent.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
  const key = path.at(-1) ?? '';
  const left = Array.isArray(holder)
    ? holder.filter((_, index) => String(index) !== key)
    : Object.fromEntries(Object.entries(holder as object).filter(([name]) => name !== key));
  return replaced(value, parent, left);
}

describe('a stored state that somebody has changed', () => {
  let own: EngineState;
  let state: EngineState;
  let attempt: (tampered: unknown) => unknown;

  beforeAll(async () => {
    const definitions = await compiled(MODEL, aModel(aTask('Inner'), { key: 'child' }));
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
    const variables = { list: ['a', 'b'], ready: false };
    const start = { type: 'start', definitionKey: 'parent', variables } as const;
    const started = execute(undefined, start, environment).state;
    const each = started.cases[0]?.planItems.find(({ planItemId }) => planItemId === 'piEach');
    const done = { type: 'completeTask', planItemInstanceId: each?.id ?? '' } as const;
    own = execute(started, done, environment).state;
    state = JSON.parse(JSON.stringify(own)) as EngineState;
    attempt = (tampered) => {
      try {
        for (const type of ['evaluate', 'suspend', 'terminate'] as const) {
          execute(tampered as EngineState, { type }, environment);
        }
        return undefined;
      } catch (error) {
        return error;
      }
    };
  });

  it('works on as long as it is as it was', () => {
    expect(attempt(state)).toBeUndefined();
    expect(readState(state)).toEqual(state);
  });

  it('cannot be one that a command of this process has left: only its copies can be changed', () => {
    const loose = pathsIn(own).filter(
      (path) => !path.includes('variables') && !path.includes('value'),
    );
    const parts = loose.map((path) => path.reduce<unknown>((at, key) => (at as never)[key], own));

    expect(parts.every(Object.isFrozen)).toBe(true);
    expect(attempt(own)).toBeUndefined();
    expect(attempt(replaced(own, ['cases', 0, 'planItems', 0, 'planItemId'], 'piZ'))).toMatchObject(
      {
        code: 'STATE_INVALID',
      },
    );
    expect(attempt(replaced(own, ['cases'], own.cases.slice(0, 1)))).toMatchObject({
      code: 'FAMILY_INCOMPLETE',
    });
  });

  it.each([
    ['null', null],
    ['a number', -1],
    ['a text', 'bogus'],
    ['an object', { bogus: true }],
    ['a list', [{}]],
  ])('is refused or harmless, wherever %s stands', (_, value) => {
    for (const path of pathsIn(state)) {
      const failure = attempt(replaced(state, path, value));
      if (failure !== undefined) expect(failure, path.join('.')).toBeInstanceOf(CmmnError);
    }
  });

  it('is refused or harmless, whatever is missing', () => {
    for (const path of pathsIn(state).slice(1)) {
      const failure = attempt(removed(state, path));
      if (failure !== undefined) expect(failure, path.join('.')).toBeInstanceOf(CmmnError);
    }
  });

  it.each<[string, Path, unknown]>([
    ['variables that are null', ['cases', 0, 'variables'], null],
    ['a variable that no command could set', ['cases', 0, 'variables', 'task'], 1],
    ['a state that ends', ['cases', 0, 'planItems', 0, 'state'], 'completed'],
    ['a state that nobody knows', ['cases', 0, 'planItems', 0, 'state'], 'asleep'],
    ['a task that only listens', ['cases', 0, 'planItems', 0, 'state'], 'unavailable'],
    ['a plan item of no model', ['cases', 0, 'planItems', 0, 'planItemId'], 'piZ'],
    ['a stage that is none', ['cases', 0, 'planItems', 0, 'stageInstanceId'], 'id-2'],
    ['a time that is none', ['cases', 0, 'startedAt'], 'yesterday'],
    ['an end that has not come', ['cases', 0, 'state'], 'completed'],
    ['a count below one', ['cases', 0, 'endedCounts', 'piEach', 'completed'], 0],
    ['another definition', ['cases', 1, 'definitionId'], 'parent'],
    ['a member nobody knows', ['cases', 0, 'extra'], true],
    ['no version', ['cases', 0, 'formatVersion'], undefined],
  ])('is refused: %s', (_, path, value) => {
    expect(attempt(replaced(state, path, value))).toMatchObject({ code: 'STATE_INVALID' });
  });

  it('is refused when a later version has written one of its cases', () => {
    const later = replaced(state, ['cases', 1, 'formatVersion'], 2);

    expect(attempt(later)).toMatchObject({ code: 'STATE_VERSION_UNKNOWN' });
  });
});
