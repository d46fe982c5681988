import { describe, expect, it } from 'vitest';
import { compile } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled, problemsOf, startCase } from '../../../../helpers/cmmn/cmmn.ts';
import { countSteps } from '../../../../helpers/cmmn/count-steps.ts';
import { HOSTILE_MODELS } from '../../../../helpers/cmmn/hostile-models.ts';

const SIZE = 400;
/** Steps of a document of a few elements. */
const FLOOR = 5_000;

describe('compiling a document', () => {
  it.each(Object.entries(HOSTILE_MODELS))(
    'with %s takes twice as long for twice the size',
    async (_, make) => {
      const [once, twice] = [make(SIZE), make(2 * SIZE)];
      await compile(once);

      const steps = await countSteps(() => compile(once));
      const stepsOfTwice = await countSteps(() => compile(twice));

      expect(stepsOfTwice).toBeLessThanOrEqual(2.3 * Math.max(steps, FLOOR));
    },
  );

  it('with more problems than a call has arguments answers with all of them', async () => {
    const { problems } = await compile(aModel('<humanTask/>'.repeat(50_000)));

    expect(problems.length).toBeGreaterThan(150_000);
  });
});

describe('ids that objects of the language have by nature', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '"%s" is refused',
    async (id) => {
      const item = await compile(aModel(`<planItem id="${id}" definitionRef="A"/>${aTask('A')}`));
      const key = await compile(aModel(aTask('A'), { key: id }));

      expect(item.isValid).toBe(false);
      expect(problemsOf(item)).toMatchObject([{ code: 'ID_INVALID', elementId: id, line: 3 }]);
      expect(problemsOf(key)).toMatchObject([{ code: 'CASE_KEY_INVALID', elementId: id }]);
    },
  );

  it('written with entities is refused, and not dropped when it is used twice', async () => {
    const result = await compile(aModel(`${aTask('A')}<humanTask id="&#65;" name="B"/>`));

    expect(result.isValid).toBe(false);
    expect(problemsOf(result).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['ID_INVALID', 'DUPLICATE_ID']),
    );
  });
});

describe('a plan fragment', () => {
  const fragment = (inner: string): string => `<planFragment id="F">${inner}</planFragment>`;
  const place = (id: string): string => `<planItem id="${id}" definitionRef="F"/>`;

  it('placed twice is refused at the second place', async () => {
    const result = await compile(aModel(place('one') + place('two') + fragment(aTask('A'))));

    expect(problemsOf(result, 'PLAN_FRAGMENT_PLANNED_TWICE')).toMatchObject([
      { severity: 'ERROR', elementId: 'two' },
    ]);
  });

  it('that contains itself is refused', async () => {
    const result = await compile(aModel(place('one') + fragment(place('two'))));

    expect(problemsOf(result, 'STAGE_RECURSION')).toMatchObject([{ elementId: 'F' }]);
  });

  it('is out of reach of items beside its stage', async () => {
    const stage = `<planItem id="ps" definitionRef="S"/><stage id="S">${fragment('')}</stage>`;
    const result = await compile(aModel(stage + place('one')));

    expect(problemsOf(result, 'PLAN_ITEM_DEFINITION_OUT_OF_SCOPE')).toMatchObject([
      { elementId: 'one' },
    ]);
  });
});

describe('a planning table', () => {
  it('of a task that plans the task again is linked once', async () => {
    const model = aModel(
      `<planItem id="pi" name="A" definitionRef="A"/><humanTask id="A" name="A"><planningTable id="t"><discretionaryItem id="d" name="Again" definitionRef="A"/></planningTable></humanTask>`,
    );

    const running = await startCase(model);
    running.give({ type: 'plan', discretionaryItemId: 'd' });

    expect(running.states).toEqual({ A: ['active'], Again: ['active'] });
  });
});

describe('stages', () => {
  const chain = (length: number): string =>
    Array.from({ length }, (_, n) => length - n)
      .map(
        (n) =>
          `<planItem id="i${n}" definitionRef="s${n}"/><stage id="s${n}">${n < length ? `<planItem id="j${n}" definitionRef="s${n + 1}"/>` : aTask('A')}</stage>`,
      )
      .join('');

  it('may place each other 100 deep, in whatever order', async () => {
    expect(await compiled(aModel(chain(99)))).toHaveLength(1);
  });

  it('are refused beyond that', async () => {
    expect(problemsOf(await compile(aModel(chain(150))), 'STAGE_RECURSION')).not.toEqual([]);
  });
});

describe('cases that start each other', () => {
  const starting = (key: string, ...others: readonly string[]): string =>
    `<case id="${key}"><casePlanModel id="${key}Plan">${others
      .map(
        (other) =>
          `<planItem id="${key}${other}Item" definitionRef="${key}${other}"/><caseTask id="${key}${other}" caseRef="${other}"/>`,
      )
      .join('')}</casePlanModel></case>`;
  const recursive = async (...cases: readonly string[]): Promise<(string | undefined)[]> => {
    const xml = aModel('').replace(/<case .*<\/case>/s, cases.join(''));
    return problemsOf(await compile(xml), 'CASE_TASK_RECURSION').map(({ elementId }) => elementId);
  };

  it('are named when they lead back to themselves, and only those', async () => {
    expect(
      await recursive(
        starting('before', 'a'),
        starting('a', 'b', 'after'),
        starting('b', 'c'),
        starting('c', 'a', 'self'),
        starting('self', 'self'),
        starting('after', 'end'),
        starting('end'),
      ),
    ).toEqual(['a', 'b', 'c', 'self']);
  });

  it('in two circles that touch are all named', async () => {
    expect(
      await recursive(
        starting('a', 'b'),
        starting('b', 'a', 'c'),
        starting('c', 'b'),
        starting('d', 'c'),
      ),
    ).toEqual(['a', 'b', 'c']);
  });
});
