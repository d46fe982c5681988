import { describe, expect, it } from 'vitest';
import {
  type CaseInstance,
  stageOverview,
  viewPlanItems,
} from '../../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aTask, compiled, startCase } from '../../../../../helpers/cmmn/cmmn.ts';

describe.each([
  ['viewPlanItems', viewPlanItems],
  ['stageOverview', stageOverview],
] as const)('%s', (_, view) => {
  it.each([
    ['another definition', aModel(aTask('A'), { key: 'other' })],
    ['another version', aModel(aTask('B'))],
    [
      'a version with another type',
      aModel('<planItem id="piA" definitionRef="A"/><stage id="A"/>'),
    ],
  ])('refuses %s than that of the case', async (__, xml) => {
    const running = await startCase(aModel(aTask('A')));
    const [other] = await compiled(xml);
    if (!other) throw new Error('a model is needed');

    expect(() => view(running.world.root.instance, other)).toThrow(
      expect.objectContaining({ code: 'STATE_INVALID' }),
    );
  });

  it.each(['planItems', 'endedCounts', 'state', 'formatVersion'])(
    'refuses a stored case without its %s',
    async (member) => {
      const [definition] = await compiled(aModel(aTask('A')));
      const running = await startCase(aModel(aTask('A')));
      if (!definition) throw new Error('a model is needed');
      const { [member]: _, ...rest } = { ...running.world.root.instance } as Record<
        string,
        unknown
      >;

      expect(() => view(rest as unknown as CaseInstance, definition)).toThrow(
        expect.objectContaining({ code: 'STATE_INVALID' }),
      );
    },
  );
});
