import { describe, expect, it } from 'vitest';
import { aModel, startCase } from '../../../../../helpers/cmmn/cmmn.ts';

const PROCESS =
  '<planItem id="pp" name="Work" definitionRef="P"/><processTask id="P" processRef="ship"/>';
const EXTERNAL =
  '<planItem id="pe" name="Work" definitionRef="E"/><task id="E" flowable:type="external-worker" flowable:topic="t"/>';

describe('work outside of the engine that is suspended', () => {
  it.each([
    ['processCancelled', PROCESS],
    ['externalWorkCancelled', EXTERNAL],
  ])('is cancelled when its case is terminated: %s', async (type, model) => {
    const running = await startCase(aModel(model));

    running.give({ type: 'suspend' });
    running.give({ type: 'terminate' });

    expect(running.state).toBe('terminated');
    expect(running.world.effects.filter((effect) => effect.type === type)).toHaveLength(1);
  });

  it.each([
    ['processCancelled', PROCESS],
    ['externalWorkCancelled', EXTERNAL],
  ])('is cancelled when it is terminated alone: %s', async (type, model) => {
    const running = await startCase(aModel(model));

    running.give({ type: 'suspendPlanItem', planItemInstanceId: running.id('Work') });
    running.give({ type: 'terminatePlanItem', planItemInstanceId: running.id('Work') });

    expect(running.world.effects.filter((effect) => effect.type === type)).toHaveLength(1);
  });
});
