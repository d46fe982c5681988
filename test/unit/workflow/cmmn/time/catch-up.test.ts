import { describe, expect, it } from 'vitest';
import {
  capCatchUp,
  parseTimer,
} from '../../../../../functions/workflow/domain/cmmn/time/timer-expression.ts';
import { aModel, aSentry, aTask, startCase } from '../../../../helpers/cmmn/cmmn.ts';

const NOW = Date.UTC(2026, 0, 5);
const DAY = 86_400_000;
const iso = (time: number): string => new Date(time).toISOString();

describe('a repetition that began long ago', () => {
  it.each([
    ['R/2000-01-01T00:00:00Z/PT1S', iso(NOW + 1_000), undefined],
    ['R/2000-01-01T00:00:00Z/P1M', '2026-02-01T00:00:00.000Z', undefined],
    ['R/0001-01-01T00:00:00Z/PT0.001S', iso(NOW + 1), undefined],
    ['R3/2026-01-04T22:30:00Z/PT1H', '2026-01-05T00:30:00.000Z', 0],
    ['R2/2000-01-01T00:00:00Z/PT1S', '2000-01-01T00:00:01.000Z', 0],
  ])('%s is next due at %s', (text, dueAt, remaining) => {
    expect(parseTimer(text, NOW)).toMatchObject({ dueAt, remaining });
  });
});

describe('overdue firings', () => {
  it('are caught up with as long as they are few', () => {
    const timer = { dueAt: iso(NOW - 99_000), every: 'PT1S' };

    expect(capCatchUp(timer, NOW, 100)).toBeUndefined();
  });

  it('are left out, the oldest first, when they are many', () => {
    const timer = { dueAt: iso(NOW - DAY), every: 'PT1S' };

    expect(capCatchUp(timer, NOW, 100)).toEqual({
      timer: { dueAt: iso(NOW - 99_000), every: 'PT1S', remaining: undefined },
      skipped: 86_301,
    });
  });

  it('count against a limited repetition and end with it', () => {
    const timer = { dueAt: iso(NOW - DAY), every: 'PT1S', remaining: 1_000 };
    const ending = { dueAt: iso(NOW - DAY), every: 'PT1S', until: iso(NOW - DAY + 50_000) };

    expect(capCatchUp(timer, NOW, 100)?.timer.remaining).toBe(99);
    expect(capCatchUp(ending, NOW, 100)).toBeUndefined();
  });

  it('of a cron expression are left out too', () => {
    const timer = { dueAt: iso(NOW - DAY), every: '* * * * * ?' };

    const capped = capCatchUp(timer, NOW, 100)?.timer.dueAt ?? '';

    expect((NOW - Date.parse(capped)) / 1_000).toBeGreaterThanOrEqual(98);
    expect((NOW - Date.parse(capped)) / 1_000).toBeLessThanOrEqual(100);
  });

  it.each([
    ['a repetition, after a day', 'R/PT1S', DAY, 86_299],
    ['a repetition, after ten years', 'R/PT1H', 3_652 * DAY, 3_652 * 24 - 101],
    ['a cron expression, after ten years', '0 0 * * * ?', 3_652 * DAY, undefined],
    ['a rare cron expression, after 900 years', '0 0 0 1 1 ?', 900 * 365.2425 * DAY, undefined],
  ])(
    'cost a host that fires every one of them 101 commands and a warning: %s',
    async (_, text, late, skipped) => {
      const running = await startCase(
        aModel(
          `<planItem id="pT" name="T" definitionRef="T"/><timerEventListener id="T"><timerExpression>${text}</timerExpression></timerEventListener>${aTask('A', '<itemControl><repetitionRule/></itemControl><entryCriterion id="e" sentryRef="s"/>')}${aSentry('s', 'pT', 'occur')}${aTask('Keep')}`,
        ),
      );
      running.world.now += late;
      const dueAt = (): string | undefined =>
        running.world.root.live.find(({ instance }) => instance.timer)?.instance.timer?.dueAt;
      const isDue = (): boolean => Date.parse(dueAt() ?? '') <= running.world.now;

      const fired: string[] = [];
      while (isDue() && fired.length < 1_000) {
        fired.push(dueAt() ?? '');
        running.give({ type: 'fireTimer', planItemInstanceId: running.id('T'), dueAt: dueAt() });
      }

      expect(fired).toHaveLength(101);
      expect(fired).toEqual([...new Set(fired)].sort());
      const warnings = running.world.effects.filter(({ type }) => type === 'timerCatchUpCapped');
      expect(warnings).toMatchObject([{ skipped, name: 'T', dueAt: fired[1] }]);
    },
  );
});
