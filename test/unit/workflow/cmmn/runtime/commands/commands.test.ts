// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { aModel, aSentry, aTask, startCase } from '../../../../../helpers/cmmn/cmmn.ts';

const aStage = (id: string, inside: string, attributes = '', inner = ''): string =>
  `<planItem id="pi${id}" name="${id}" definitionRef="${id}">${inner}</planItem><stage id="${id}" name="${id}" ${attributes}>${inside}</stage>`;
const MANUAL = '<itemControl><manualActivationRule/></itemControl>';
const REQUIRED = '<itemControl><requiredRule/></itemControl>';

describe('a refused command', () => {
  it('names the plan item that keeps a stage open', async () => {
    const running = await startCase(aModel(aStage('S', aTask('A') + aTask('B', MANUAL))));

    const refusal = running.refusal({
      type: 'completeStage',
      planItemInstanceId: running.id('S'),
    });

    expect(refusal.code).toBe('STAGE_NOT_COMPLETABLE');
    expect(refusal.details.blockingPlanItem).toEqual({
      id: running.id('A'),
      name: 'A',
      definitionKey: 'A',
      state: 'active',
    });
  });

  it('names the plan item that keeps the case open', async () => {
    const required = aTask('B', `${REQUIRED}<entryCriterion id="e" sentryRef="s"/>`);
    const running = await startCase(aModel(required + aTask('A') + aSentry('s', 'piA')));

    const refusal = running.refusal({ type: 'completeCase' });

    expect(refusal.code).toBe('CASE_NOT_COMPLETABLE');
    expect(refusal.details.blockingPlanItem?.name).toBe('B');
  });

  it('completes a stage by force, and only by force', async () => {
    const running = await startCase(aModel(aStage('S', aTask('A')) + aTask('B')));
    const planItemInstanceId = running.id('S');

    expect(running.refusal({ type: 'completeStage', planItemInstanceId, force: false }).code).toBe(
      'STAGE_NOT_COMPLETABLE',
    );
    running.give({ type: 'completeStage', planItemInstanceId, force: true });

    expect(running.states).toMatchObject({ S: ['completed'], A: ['terminated'] });
  });

  it.each([
    ['completeTask', 'A', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['trigger', 'A', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['disable', 'B', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['startPlanItem', 'B', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['enable', 'A', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['resumePlanItem', 'B', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['fireTimer', 'B', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['completeExternalWork', 'B', 'PLAN_ITEM_ILLEGAL_STATE'],
    ['enable', 'Go', 'PLAN_ITEM_ILLEGAL_STATE'],
  ] as const)('%s of %s says %s', async (type, name, code) => {
    const running = await startCase(
      aModel(
        `${aTask('A', MANUAL)}${aTask('B')}<planItem id="pg" name="Go" definitionRef="go"/><userEventListener id="go"/>`,
      ),
    );

    expect(running.refusal({ type, planItemInstanceId: running.id(name) }).code).toBe(code);
  });

  it('knows neither cases nor plan items that are not there', async () => {
    const running = await startCase(aModel(aTask('A')));
    const ended = running.id('A');
    running.complete('A');

    expect(running.refusal({ type: 'trigger', planItemInstanceId: 'nobody' }).code).toBe(
      'PLAN_ITEM_NOT_FOUND',
    );
    expect(running.refusal({ type: 'trigger', planItemInstanceId: ended }).code).toBe(
      'PLAN_ITEM_NOT_FOUND',
    );
    expect(running.refusal({ type: 'terminate', caseInstanceId: 'nobody' }).code).toBe(
      'CASE_NOT_FOUND',
    );
    expect(running.refusal({ type: 'terminate' }).code).toBe('CASE_NOT_ACTIVE');
    expect(running.refusal({ type: 'reactivate' }).code).toBe('CASE_NOT_REACTIVATABLE');
  });

  it('names the case definition that is missing', async () => {
    const model = aModel('<planItem id="pc" definitionRef="C"/><caseTask id="C" caseRef="gone"/>');

    await expect(startCase(model)).rejects.toMatchObject({
      code: 'CASE_DEFINITION_NOT_FOUND',
      details: { reference: 'gone' },
    });
  });
});

describe('a human task', () => {
  const facts = async (attributes: string, variables = {}) => {
    const running = await startCase(aModel(aTask('A', '', attributes)), { variables });
    return running.world.root.live[0]?.instance.task;
  };

  it('has a priority of 50, or its own', async () => {
    expect((await facts(''))?.priority).toBe(50);
    expect((await facts('flowable:priority="${urgency + 1}"', { urgency: 79 }))?.priority).toBe(80);
  });

  it('is due at an instant, on a date or after a duration', async () => {
    expect((await facts('flowable:dueDate="P1D"'))?.dueDate).toBe('2026-01-06T09:00:00.000Z');
    expect((await facts('flowable:dueDate="2026-02-01"'))?.dueDate).toBe(
      '2026-02-01T00:00:00.000Z',
    );
    expect(
      (await facts('flowable:dueDate="${due}"', { due: '2026-02-01T08:00:00Z' }))?.dueDate,
    ).toBe('2026-02-01T08:00:00.000Z');
  });

  it('is due in UTC when the time names no zone, wherever it runs', async () => {
    const dueDate = async (due: string) =>
      (await facts('flowable:dueDate="${due}"', { due }))?.dueDate;

    expect(await dueDate('2026-02-01T08:00:00')).toBe('2026-02-01T08:00:00.000Z');
  });

  it.each(['soon', 'Feb 1 2026', 'R3/PT1H', 'P999999999Y'])(
    'refuses the due date %j',
    async (due) => {
      await expect(facts('flowable:dueDate="${due}"', { due })).rejects.toMatchObject({
        code: 'EXPRESSION_ERROR',
      });
    },
  );

  it('collects candidates from names, lists and expressions', async () => {
    const task = await facts(
      'flowable:candidateUsers="ann, ${who}" flowable:candidateGroups="${groups}"',
      { who: 'bob', groups: ['clerks', 'managers'] },
    );

    expect(task?.candidateUsers).toEqual(['ann', 'bob']);
    expect(task?.candidateGroups).toEqual(['clerks', 'managers']);
  });

  it('reads the attributes of Camunda as well', async () => {
    const model = aModel(aTask('A', '', 'camunda:assignee="ann"')).replace(
      '<definitions ',
      '<definitions xmlns:camunda="http://camunda.org/schema/1.0/cmmn" ',
    );

    const running = await startCase(model);

    expect(running.world.root.live[0]?.instance.task?.assignee).toBe('ann');
  });

  it('leaves its id and its completer in variables', async () => {
    const running = await startCase(
      aModel(
        aTask('A', '', 'flowable:taskIdVariableName="id" flowable:taskCompleterVariableName="by"') +
          aTask('B'),
      ),
    );
    const id = running.id('A');
    running.world.user = 'ann';

    running.complete('A');

    expect(running.variables).toMatchObject({ id, by: 'ann' });
  });

  it('tells when it is created, completed and cancelled', async () => {
    const running = await startCase(aModel(aTask('A') + aTask('B')));

    running.complete('A').give({ type: 'terminate' });

    const told = running.world.effects.filter(({ type }) => type.startsWith('task'));
    expect(told.map((effect) => [effect.type, 'name' in effect && effect.name])).toEqual([
      ['taskCreated', 'A'],
      ['taskCreated', 'B'],
      ['taskCompleted', 'A'],
      ['taskCancelled', 'B'],
    ]);
  });
});

describe('a case task', () => {
  const child = aModel(aTask('Inner') + aTask('Other', MANUAL), { key: 'child' });
  const parent = aModel(
    `<planItem id="pc" name="Call" definitionRef="C"/><caseTask id="C" caseRef="child" flowable:inheritBusinessKey="true" flowable:idVariableName="childId"><extensionElements><flowable:in source="a" target="b"/><flowable:out sourceExpression="\${result * 2}" target="twice"/></extensionElements></caseTask>${aTask('After', '<entryCriterion id="e" sentryRef="s"/>')}${aSentry('s', 'pc')}`,
    { key: 'parent' },
  );

  it('hands values in and out, and its business key down', async () => {
    const running = await startCase([parent, child], { variables: { a: 1 }, businessKey: 'K1' });

    const [, inner] = running.world.cases;
    expect(inner?.instance).toMatchObject({ businessKey: 'K1', variables: { b: 1 } });
    expect(running.variables.childId).toBe(inner?.instance.id);

    running.give({
      type: 'completeTask',
      planItemInstanceId: running.id('Inner'),
      variables: { result: 21 },
    });
    running.give({ type: 'completeCase', caseInstanceId: inner?.instance.id });

    expect(running.variables.twice).toBe(42);
    expect(running.states).toMatchObject({ Call: ['completed'], After: ['active'] });
  });

  it('terminates when its case is terminated', async () => {
    const running = await startCase([parent, child], { variables: { a: 1 } });
    const [, inner] = running.world.cases;

    running.give({ type: 'terminate', caseInstanceId: inner?.instance.id });

    expect(running.states.Call).toEqual(['terminated']);
  });

  it('is suspended together with its case', async () => {
    const running = await startCase([parent, child], { variables: { a: 1 } });
    const inner = running.id('Inner');

    running.give({ type: 'suspend' });

    expect(running.world.cases.map(({ instance }) => instance.state)).toEqual([
      'suspended',
      'suspended',
    ]);
    expect(running.refusal({ type: 'completeTask', planItemInstanceId: inner }).code).toBe(
      'CASE_SUSPENDED',
    );

    running.give({ type: 'resume' });

    expect(running.world.cases.map(({ instance }) => instance.state)).toEqual(['active', 'active']);
  });

  it('leaves ended cases behind', async () => {
    const running = await startCase([parent, child], { variables: { a: 1 } });
    const [, inner] = running.world.cases;

    running.give({ type: 'terminate', caseInstanceId: inner?.instance.id });
    expect(running.world.state?.cases).toHaveLength(2);
    running.give({ type: 'setVariables', variables: { x: 1 } });

    expect(running.world.state?.cases).toHaveLength(1);
  });
});

describe('a process task', () => {
  const model = aModel(
    `<planItem id="pp" name="Run" definitionRef="P"/><processTask id="P" processRef="ship" flowable:idVariableName="process" flowable:sameDeployment="true"><extensionElements><flowable:in source="a" target="b"/><flowable:out source="c" target="d"/></extensionElements></processTask>${aTask('Work')}`,
  );

  it('asks for a process and takes over its results', async () => {
    const running = await startCase(model, { variables: { a: 1 } });

    expect(running.world.effects).toContainEqual(
      expect.objectContaining({
        type: 'processRequested',
        processRef: 'ship',
        variables: { b: 1 },
        processInstanceId: String(running.variables.process),
        sameDeploymentAs: 'theCase',
      }),
    );
    expect(running.variables.process).toEqual(expect.any(String));
    running.give({
      type: 'endProcess',
      planItemInstanceId: running.id('Run'),
      outcome: 'completed',
      processVariables: { c: 5 },
    });

    expect(running.states.Run).toEqual(['completed']);
    expect(running.variables.d).toBe(5);
  });

  it.each([
    ['terminated', 'terminated'],
    ['failed', 'failed'],
  ] as const)('ends as %s with the process', async (outcome, state) => {
    const running = await startCase(model);

    running.give({ type: 'endProcess', planItemInstanceId: running.id('Run'), outcome });

    expect(running.states.Run).toEqual([state]);
  });

  it('cancels the process when it is left', async () => {
    const running = await startCase(model);

    running.give({ type: 'terminate' });

    expect(running.world.effects).toContainEqual(
      expect.objectContaining({ type: 'processCancelled' }),
    );
  });
});

describe('on-parts with an exit criterion', () => {
  it('hear an exit through that criterion only', async () => {
    const exits = '<exitCriterion id="x1" sentryRef="s1"/><exitCriterion id="x2" sentryRef="s2"/>';
    const running = await startCase(
      aModel(
        aTask('A', exits) +
          aTask('B', '<entryCriterion id="e" sentryRef="s3"/>') +
          aTask('Keep') +
          aSentry('s1', undefined, '', '${way == 1}') +
          aSentry('s2', undefined, '', '${way == 2}') +
          '<sentry id="s3"><planItemOnPart id="on" sourceRef="piA" exitCriterionRef="x2"><standardEvent>exit</standardEvent></planItemOnPart></sentry>',
      ),
      { variables: { way: 0 } },
    );

    running.give({ type: 'setVariables', variables: { way: 1 } });

    expect(running.states).toMatchObject({ A: ['terminated'], B: ['available'] });
  });
});
