import { describe, expect, it } from 'vitest';
import {
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
});
