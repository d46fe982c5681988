// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, startCase, type TestCase } from '../../../../helpers/cmmn/cmmn.ts';

const ENTRY = '<entryCriterion id="e" sentryRef="s"/>';
const EXIT = '<exitCriterion id="x" sentryRef="s"/>';
const MANUAL = '<itemControl><manualActivationRule/></itemControl>';
const aStage = (inner: string, criteria = ''): string =>
  `<planItem id="pS" name="S" definitionRef="S">${criteria}</planItem><stage id="S">${inner}</stage>`;
const aListener = (type: string, inner = ''): string =>
  `<planItem id="pL" name="L" definitionRef="L"/><eventListener id="L" flowable:eventType="${type}" ${inner}/>`;

function told<Type extends Effect['type']>(
  { world }: TestCase,
  type: Type,
): Extract<Effect, { type: Type }>[] {
  return world.effects.filter(
    (effect): effect is Extract<Effect, { type: Type }> => effect.type === type,
  );
}

/** How the instances of a name have ended, and why. */
const endOf = (running: TestCase, name: string): unknown =>
  told(running, 'planItemTransition')
    .filter((effect) => effect.name === name)
    .map(({ transition, cause, criterionId }) => ({ transition, cause, criterionId }))
    .at(-1);

describe('effects', () => {
  it('say who gave the command', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B')));
    running.world.user = 'ann';

    running.complete('A');

    expect(endOf(running, 'A')).toMatchObject({ transition: 'complete', cause: 'command' });
    expect(told(running, 'taskCompleted')).toMatchObject([{ by: 'ann', completedBy: 'ann' }]);
    expect(told(running, 'caseStarted')[0]?.by).toBeUndefined();
  });

  it('tell the child of a stage that completes from one whose stage a criterion ends', async () => {
    const inner = aTask('A') + aTask('B');
    const completed = await startCase(aModel(aStage(inner) + aTask('C')));
    completed.give({ type: 'completeStage', planItemInstanceId: completed.id('S'), force: true });
    const exited = await startCase(
      aModel(aStage(aTask('A'), EXIT) + aTask('C') + aTask('D') + aSentry('s', 'piC')),
    );
    exited.complete('C');

    expect(endOf(completed, 'A')).toMatchObject({ transition: 'exit', cause: 'parentCompleted' });
    expect(told(completed, 'taskCancelled')[0]).toMatchObject({
      reason: 'exit',
      cause: 'parentCompleted',
    });
    expect(endOf(exited, 'S')).toMatchObject({ cause: 'criterion', criterionId: 'x' });
    expect(endOf(exited, 'A')).toMatchObject({ transition: 'exit', cause: 'parentExited' });
  });

  it('tell what is left of a case that completes from one that somebody terminates', async () => {
    const model = aModel(aTask('A') + aTask('B'));
    const completed = await startCase(model);
    completed.give({ type: 'completeCase', force: true });
    const terminated = await startCase(model);
    terminated.give({ type: 'terminate' });

    expect(endOf(completed, 'A')).toMatchObject({
      transition: 'terminate',
      cause: 'parentCompleted',
    });
    expect(endOf(terminated, 'A')).toMatchObject({
      transition: 'terminate',
      cause: 'parentTerminated',
    });
  });

  it('name the criterion that has started an instance', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B', ENTRY) + aSentry('s', 'piA')));

    running.complete('A');

    expect(endOf(running, 'B')).toEqual({
      transition: 'start',
      cause: 'criterion',
      criterionId: 'e',
    });
  });

  it('tell why a case has ended, with what names it', async () => {
    const child = aModel(aTask('Inner'), { key: 'child' });
    const parent = aModel(
      `<planItem id="pc" name="Call" definitionRef="C"/><caseTask id="C" caseRef="child" flowable:businessKey="K2"/>${aTask('Own')}`,
      { key: 'parent' },
    );
    const running = await startCase([parent, child], { businessKey: 'K1' });
    const [root, inner] = running.world.cases.map(({ instance }) => instance);

    running.complete('Inner');
    running.complete('Own');

    const link = { caseInstanceId: root?.id, isWaiting: true };
    expect(told(running, 'caseStarted')).toMatchObject([
      { definitionKey: 'parent', businessKey: 'K1', familyId: root?.id },
      { definitionKey: 'child', businessKey: 'K2', familyId: root?.id, parent: link },
    ]);
    expect(told(running, 'caseEnded')).toMatchObject([
      { caseInstanceId: inner?.id, cause: 'autoComplete', businessKey: 'K2', parent: link },
      { caseInstanceId: root?.id, cause: 'autoComplete', businessKey: 'K1' },
    ]);
    expect(endOf(running, 'Call')).toMatchObject({ transition: 'complete', cause: 'calledEnded' });
  });

  it('name the criterion by which a case ends', async () => {
    const running = await startCase(
      aModel(aTask('A') + aSentry('s', undefined, '', '${stop}')).replace(
        '</casePlanModel>',
        `${EXIT}</casePlanModel>`,
      ),
      { variables: { stop: false } },
    );

    running.give({ type: 'setVariables', variables: { stop: true } });

    expect(told(running, 'caseEnded')).toMatchObject([
      { state: 'terminated', cause: 'criterion', criterionId: 'x' },
    ]);
  });

  it('hold what a variable and the business status were before', async () => {
    const status = '<milestone id="M" name="M" flowable:businessStatus="late"/>';
    const running = await startCase(
      aModel(
        `${aTask('A')}<planItem id="pM" name="M" definitionRef="M">${ENTRY}</planItem>${status}${aTask('B')}${aSentry('s', 'piA')}`,
      ),
      { variables: { amount: 1 }, businessStatus: 'new' },
    );

    running.give({ type: 'setVariables', variables: { amount: 2 } });
    running.give({ type: 'removeVariables', names: ['amount'] });
    running.complete('A');

    expect(
      told(running, 'variableChanged').map(({ change, value, oldValue }) => [
        change,
        oldValue,
        value,
      ]),
    ).toEqual([
      ['create', undefined, 1],
      ['update', 1, 2],
      ['delete', 2, undefined],
    ]);
    expect(told(running, 'businessStatusChanged')).toMatchObject([
      { businessStatus: 'late', oldBusinessStatus: 'new' },
    ]);
  });
});

describe('effects of what can be completed', () => {
  const changes = (running: TestCase): unknown[] =>
    running.world.effects.flatMap((effect) =>
      effect.type === 'caseCompletableChanged'
        ? [['case', effect.isCompletable]]
        : effect.type === 'stageCompletableChanged'
          ? [[effect.name, effect.isCompletable]]
          : [],
    );

  it('tell when a person may complete a stage or case, and when no longer', async () => {
    const running = await startCase(
      aModel(aStage(aTask('A') + aTask('O', MANUAL)) + aTask('P', MANUAL)),
    );
    expect(changes(running)).toEqual([]);

    running.complete('A');
    expect(changes(running)).toEqual([['S', true]]);
    running.give({ type: 'startPlanItem', planItemInstanceId: running.id('O') });
    expect(changes(running)).toEqual([
      ['S', true],
      ['S', false],
    ]);
  });

  it('come once, last, and not of what has ended', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B', MANUAL)));
    running.complete('A');
    const before = running.world.effects.length;
    running.give({ type: 'completeCase' });

    expect(running.world.effects[before - 1]).toMatchObject({
      type: 'caseCompletableChanged',
      isCompletable: true,
    });
    expect(changes(running)).toEqual([['case', true]]);
  });
});

describe('effects of timers', () => {
  const timer = aModel(
    `<planItem id="pT" name="T" definitionRef="T"/><timerEventListener id="T"><timerExpression>R2/PT1H</timerExpression></timerEventListener>${aTask('A', ENTRY)}${aSentry('s', 'pT', 'occur')}${aTask('B')}`,
  );

  it('name the instant at which the timer is, or was, due', async () => {
    const running = await startCase(timer);
    const [first, second] = ['2026-01-05T10:00:00.000Z', '2026-01-05T11:00:00.000Z'];
    running.world.now += 3_600_000;

    running.give({ type: 'fireTimer', planItemInstanceId: running.id('T') });
    running.give({ type: 'terminate' });

    expect(told(running, 'timerScheduled').map(({ dueAt }) => dueAt)).toEqual([first, second]);
    expect(told(running, 'timerFired').map(({ dueAt }) => dueAt)).toEqual([first]);
    expect(told(running, 'timerCancelled').map(({ dueAt }) => dueAt)).toEqual([second]);
  });

  it('come of the firing that is meant only', async () => {
    const running = await startCase(timer);
    running.world.now += 3_600_000;
    const planItemInstanceId = running.id('T');

    const dueAt = '2026-01-05T11:00:00.000Z';
    expect(running.refusal({ type: 'fireTimer', planItemInstanceId, dueAt }).code).toBe(
      'PLAN_ITEM_ILLEGAL_STATE',
    );
    running.give({ type: 'fireTimer', planItemInstanceId, dueAt: '2026-01-05T10:00:00.000Z' });

    expect(
      told(running, 'planItemTransition').find(({ transition }) => transition === 'occur'),
    ).toMatchObject({ cause: 'timer' });
  });
});

describe('effects of signal listeners', () => {
  const subscriptions = (running: TestCase): string[] =>
    running.world.effects.flatMap((effect) =>
      'signalName' in effect ? `${effect.type} ${effect.signalName}` : [],
    );

  it('say from when until when they wait for which name', async () => {
    const running = await startCase(
      aModel(
        `${aListener('signal', 'flowable:signalRef="${name}"')}${aTask('A', ENTRY)}${aSentry('s', 'pL', 'occur')}${aTask('B')}`,
      ),
      { variables: { name: 'paid' } },
    );

    running.give({ type: 'setVariables', variables: { name: 'other' } });
    running.give({ type: 'signal', name: 'other' });
    expect(running.states.A).toEqual(['available']);
    running.give({ type: 'signal', name: 'paid' });

    expect(running.states.A).toEqual(['active']);
    expect(subscriptions(running)).toEqual(['signalSubscribed paid', 'signalUnsubscribed paid']);
  });

  it('follow suspension, and end with the case once', async () => {
    const running = await startCase(
      aModel(aListener('signal', 'flowable:signalRef="go"') + aTask('A')),
    );

    running.give({ type: 'suspend' });
    running.give({ type: 'resume' });
    running.give({ type: 'suspend' });
    running.give({ type: 'terminate' });

    expect(subscriptions(running)).toEqual([
      'signalSubscribed go',
      'signalUnsubscribed go',
      'signalSubscribed go',
      'signalUnsubscribed go',
    ]);
  });

  it('stay as they are while a listener repeats', async () => {
    const repeating = aListener('signal', 'flowable:signalRef="go"').replace(
      'definitionRef="L"/>',
      'definitionRef="L"><itemControl><repetitionRule/></itemControl></planItem>',
    );
    const running = await startCase(aModel(repeating + aTask('A')));

    running.give({ type: 'signal', name: 'go' });
    running.give({ type: 'signal', name: 'go' });

    expect(running.states.L).toEqual(['completed', 'completed', 'available']);
    expect(subscriptions(running)).toEqual(['signalSubscribed go']);
  });
});

describe('effects of work outside', () => {
  const worker = (parameters = ''): string =>
    aModel(
      `<planItem id="pW" name="W" definitionRef="W"/><task id="W" flowable:type="external-worker" flowable:topic="ship"><extensionElements>${parameters}</extensionElements></task>${aTask('A')}`,
    );
  const MAPPED =
    '<flowable:in source="a" target="weight"/><flowable:out sourceExpression="${price * 2}" target="cost"/>';

  it('carry what the task maps, nothing else', async () => {
    const variables = { a: 1, secret: 'no' };
    const mapped = await startCase(worker(MAPPED), { variables });
    const bare = await startCase(worker(), { variables });

    expect(told(mapped, 'externalWorkCreated')).toMatchObject([
      { topic: 'ship', variables: { weight: 1 } },
    ]);
    expect(told(bare, 'externalWorkCreated')[0]?.variables).toEqual({});
  });

  it('bring back what the task maps', async () => {
    const running = await startCase(worker(MAPPED), { variables: { a: 1 } });

    running.give({
      type: 'completeExternalWork',
      planItemInstanceId: running.id('W'),
      variables: { price: 21 },
    });

    expect(running.variables).toEqual({ a: 1, cost: 42 });
  });

  it('tell why the work has failed', async () => {
    const running = await startCase(worker(), {});

    running.give({
      type: 'failExternalWork',
      planItemInstanceId: running.id('W'),
      reason: 'no ship',
    });

    expect(told(running, 'externalWorkFailed')).toMatchObject([{ name: 'W', reason: 'no ship' }]);
    expect(running.states.W).toEqual(['failed']);
  });

  it('cancel the very process, also while it is suspended, and not one that has ended', async () => {
    const model = aModel(
      `<planItem id="pp" name="Run" definitionRef="P"/><processTask id="P" processRef="ship"><extensionElements><flowable:out sourceExpression="\${c + 1}" target="d"/></extensionElements></processTask>${aTask('A')}`,
    );
    const cancelled = await startCase(model);
    cancelled.give({ type: 'suspend' }).give({ type: 'terminate' });
    const ended = await startCase(model, { variables: { c: 100 } });
    ended.give({
      type: 'endProcess',
      planItemInstanceId: ended.id('Run'),
      outcome: 'completed',
      processVariables: { c: 5 },
    });
    ended.give({ type: 'terminate' });

    const [asked] = told(cancelled, 'processRequested');
    expect(told(cancelled, 'processCancelled')).toMatchObject([
      { processInstanceId: asked?.processInstanceId },
    ]);
    expect(ended.variables).toEqual({ c: 100, d: 6 });
    expect(told(ended, 'processCancelled')).toEqual([]);
  });
});
