// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { aModel, aSentry, aTask, startCase } from '../../../../helpers/cmmn/cmmn.ts';

const MANUAL = '<itemControl><manualActivationRule/></itemControl>';
const ENTRY = '<entryCriterion id="e" sentryRef="s"/>';
const onceIsEnough =
  '<itemControl><extensionElements><flowable:parentCompletionRule type="ignoreAfterFirstCompletion"/></extensionElements><repetitionRule/></itemControl>';
const child = aModel(aTask('Inner'), { key: 'child' });
const calling = (inner = ''): string =>
  `<planItem id="pc" name="Call" definitionRef="C">${inner}</planItem><caseTask id="C" caseRef="child"><extensionElements><flowable:out source="result" target="taken"/></extensionElements></caseTask>`;

describe('where the engine differs from Flowable', () => {
  it('ends every child of a stage that is terminated', async () => {
    const inside = aTask('A') + aTask('B', MANUAL) + aTask('C', ENTRY) + aSentry('s', 'piA');
    const running = await startCase(
      aModel(
        `<planItem id="pS" name="S" definitionRef="S"/><stage id="S">${inside}</stage>${aTask('D')}`,
      ),
    );

    running.give({ type: 'terminatePlanItem', planItemInstanceId: running.id('S') });

    expect(running.states).toEqual({
      S: ['terminated'],
      A: ['terminated'],
      B: ['terminated'],
      C: ['terminated'],
      D: ['active'],
    });
  });

  it('completes a case task that is triggered, once', async () => {
    const running = await startCase([aModel(calling() + aTask('After'), { key: 'parent' }), child]);

    running.trigger('Call');

    const ends = running.world.effects.filter(
      (effect) =>
        effect.type === 'planItemTransition' && effect.name === 'Call' && effect.from === 'active',
    );
    expect(running.states.Call).toEqual(['completed']);
    expect(ends).toHaveLength(1);
    expect(running.world.cases[1]?.instance.state).toBe('terminated');
  });

  it('remembers in later commands that an item has been completed once', async () => {
    const running = await startCase(aModel(aTask('A', onceIsEnough) + aTask('B')));

    running.complete('A');
    expect(running.states).toEqual({ A: ['completed', 'active'], B: ['active'] });
    running.complete('B');

    expect(running.state).toBe('completed');
  });

  it('answers cmmn:isPlanItemCompleted() from earlier commands', async () => {
    const again =
      '<itemControl><repetitionRule/><manualActivationRule><condition>${cmmn:isPlanItemCompleted()}</condition></manualActivationRule></itemControl>';
    const running = await startCase(aModel(aTask('A', again) + aTask('B')));

    expect(running.states.A).toEqual(['active']);
    running.complete('A');

    expect(running.states.A).toEqual(['completed', 'enabled']);
  });

  it('brings a case back only while its reactivation listener is available', async () => {
    const listener =
      '<planItem id="pr" name="Back" definitionRef="R"/><eventListener id="R" flowable:eventType="reactivate" flowable:availableCondition="${open}"/>';
    const running = await startCase(aModel(listener + aTask('A')), { variables: { open: false } });
    running.give({ type: 'terminate' });

    expect(running.refusal({ type: 'reactivate' }).code).toBe('CASE_NOT_REACTIVATABLE');
    running.give({ type: 'reactivate', variables: { open: true } });

    expect(running.state).toBe('active');
    expect(running.states.A).toEqual(['terminated', 'active']);
  });
});
