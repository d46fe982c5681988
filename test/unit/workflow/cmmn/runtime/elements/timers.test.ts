// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { addDuration } from '../../../../../../functions/workflow/domain/cmmn/index.ts';
import {
  aModel,
  aSentry,
  aTask,
  startCase,
  type TestCase,
} from '../../../../../helpers/cmmn/cmmn.ts';

const aTimer = (expression: string, attributes = ''): string =>
  `<planItem id="pT" name="T" definitionRef="T"/><timerEventListener id="T" ${attributes}><timerExpression>${expression}</timerExpression></timerEventListener>`;
const repeating = `${aTask('A', '<itemControl><repetitionRule/></itemControl><entryCriterion id="e" sentryRef="s"/>')}${aSentry('s', 'pT', 'occur')}`;

function dueAt({ world }: TestCase): string | undefined {
  return world.root.live.find(({ instance }) => instance.timer)?.instance.timer?.dueAt;
}

/** Fires the timer when it is due. @returns how often, until it was used up */
function exhaust(running: TestCase, limit = 10): number {
  let firings = 0;
  for (let due = dueAt(running); due && firings < limit; due = dueAt(running)) {
    running.world.now = Math.max(running.world.now, Date.parse(due));
    running.give({ type: 'fireTimer', planItemInstanceId: running.id('T') });
    firings++;
  }
  return firings;
}

describe('a timer', () => {
  it('does not fire before it is due', async () => {
    const running = await startCase(aModel(aTimer('PT1H') + repeating + aTask('B')));
    running.world.now = addDuration(running.world.now, 'PT59M');

    const refusal = running.refusal({ type: 'fireTimer', planItemInstanceId: running.id('T') });

    expect(refusal.code).toBe('PLAN_ITEM_ILLEGAL_STATE');
  });

  it('fires as often as its expression says', async () => {
    const running = await startCase(aModel(aTimer('R4/PT1H') + repeating + aTask('B')));

    expect(exhaust(running)).toBe(4);
    expect(running.states.A?.filter((state) => state === 'active')).toHaveLength(4);
  });

  it('counts from when it was due, however late it fires', async () => {
    const running = await startCase(aModel(aTimer('R/PT1H') + repeating + aTask('B')));
    running.world.now = addDuration(running.world.now, 'PT1H40M');

    running.give({ type: 'fireTimer', planItemInstanceId: running.id('T') });

    expect(dueAt(running)).toBe('2026-01-05T11:00:00.000Z');
  });

  it('starts anew when it becomes available again', async () => {
    const running = await startCase(
      aModel(aTimer('R4/PT1H', 'flowable:availableCondition="${open}"') + repeating + aTask('B')),
      { variables: { open: true } },
    );

    expect(exhaust(running, 2)).toBe(2);
    running.give({ type: 'setVariables', variables: { open: false } });
    expect(dueAt(running)).toBeUndefined();
    running.give({ type: 'setVariables', variables: { open: true } });

    expect(exhaust(running)).toBe(4);
  });

  it('is refused when its expression gives no time', async () => {
    const model = aModel(aTimer('${when}') + repeating);

    await expect(startCase(model, { variables: { when: 'soon' } })).rejects.toMatchObject({
      code: 'TIMER_EXPRESSION_INVALID',
    });
    await expect(startCase(model, { variables: { when: null } })).rejects.toMatchObject({
      code: 'TIMER_EXPRESSION_INVALID',
    });
  });

  it('tells when it is scheduled, fired and cancelled', async () => {
    const running = await startCase(aModel(aTimer('R2/PT1H') + repeating + aTask('B')));

    exhaust(running, 1);
    running.give({ type: 'terminate' });

    const told = running.world.effects
      .map(({ type }) => type)
      .filter((type) => type.startsWith('timer'));
    expect(told).toEqual(['timerScheduled', 'timerFired', 'timerScheduled', 'timerCancelled']);
  });
});
