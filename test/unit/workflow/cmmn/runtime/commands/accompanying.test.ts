// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { aModel, aTask, compiled, startCase, TestCase } from '../../../../../helpers/cmmn/cmmn.ts';

const LISTENING = `<planItem id="piA" name="A" definitionRef="A"/><humanTask id="A" name="A" flowable:assignee="preset" flowable:owner="boss"><extensionElements><flowable:planItemLifecycleListener sourceState="active" targetState="completed" expression="\${caseInstance.setVariable('seen', task.assignee)}"/></extensionElements></humanTask>${aTask('B')}`;

describe('facts of tasks that come with a command', () => {
  it('are there before anything else is done: a listener sees who has claimed the task', async () => {
    const running = await startCase(aModel(LISTENING));
    const planItemInstanceId = running.id('A');

    running.give({
      type: 'completeTask',
      planItemInstanceId,
      tasks: { [planItemInstanceId]: { assignee: 'ann' } },
    });

    expect(running.variables.seen).toBe('ann');
  });

  it('stay, whichever command they come with; null takes away', async () => {
    const running = await startCase(aModel(LISTENING));
    const id = running.id('A');
    const dueDate = '2026-02-01T00:00:00.000Z';
    const task = () =>
      running.world.root.live.find(({ instance }) => instance.id === id)?.instance.task;

    running.give({ type: 'evaluate', tasks: { [id]: { assignee: 'ann', dueDate, priority: 7 } } });
    expect(task()).toMatchObject({ assignee: 'ann', owner: 'boss', dueDate, priority: 7 });

    running.give({ type: 'evaluate', tasks: { [id]: { assignee: null, owner: null } } });
    running.give({ type: 'setVariables', variables: { x: 1 } });
    expect(task()).toMatchObject({ dueDate, priority: 7 });
    expect([task()?.assignee, task()?.owner]).toEqual([undefined, undefined]);
  });

  it('of tasks that are no longer open are left out of account', async () => {
    const running = await startCase(aModel(LISTENING));
    const id = running.id('A');
    running.complete('A');

    running.give({ type: 'evaluate', tasks: { [id]: { assignee: 'ann' }, nobody: {} } });

    expect(running.states.A).toEqual(['completed']);
  });

  it.each([{ assignee: 5 }, { owner: '' }, { dueDate: 'tomorrow' }, { priority: 1.5 }])(
    'are refused when they are not facts of a task: %j',
    async (change) => {
      const running = await startCase(aModel(LISTENING));

      const refusal = running.refusal({
        type: 'evaluate',
        tasks: { [running.id('A')]: change as object },
      });

      expect(refusal.code).toBe('COMMAND_INVALID');
    },
  );
});

describe('what the model says as a constant text', () => {
  const texts =
    'flowable:formKey="form-1" flowable:category="claims" flowable:candidateGroups="clerks, bosses" flowable:priority="70"';
  const described = aModel(
    `<planItem id="piA" name="A" definitionRef="A"/><humanTask id="A" name="A" ${texts} flowable:assignee="\${who}"><documentation>How it is done.</documentation></humanTask>`,
  );

  it('is not stored with each task, but seen in every view', async () => {
    const running = await startCase(described, { variables: { who: 'ann' } });

    const [stored] = running.world.state?.cases[0]?.planItems ?? [];
    expect(stored?.task).toEqual({ assignee: 'ann' });
    expect(running.world.root.live[0]?.instance.task).toEqual({
      description: 'How it is done.',
      assignee: 'ann',
      candidateUsers: [],
      candidateGroups: ['clerks', 'bosses'],
      priority: 70,
      category: 'claims',
      formKey: 'form-1',
    });
  });
});

describe('a case', () => {
  it('is started in the version that is named', async () => {
    const [first, second] = await compiled(aModel(aTask('Old')), aModel(aTask('New')));
    if (!first || !second) throw new Error('two models are needed');
    const running = new TestCase([first]);
    const { definitions } = running.world;
    Object.assign(definitions, {
      latest: () => ({ id: 'v2', definition: second }),
      byId: (id: string) => ({ v1: { id, definition: first }, v2: { id, definition: second } })[id],
    });

    running.give({ type: 'start', definitionId: 'v1' });

    expect(running.world.state?.cases[0]).toMatchObject({
      definitionId: 'v1',
      planItems: [{ planItemId: 'piOld' }],
    });
  });

  it('is not started by nothing, by both, or by what is not there; the whole key is told', async () => {
    const key = 'k'.repeat(200);
    const running = new TestCase(await compiled(aModel(aTask('A'))));

    expect(running.refusal({ type: 'start' }).code).toBe('COMMAND_INVALID');
    expect(
      running.refusal({ type: 'start', definitionKey: 'theCase', definitionId: 'theCase' }).code,
    ).toBe('COMMAND_INVALID');
    for (const named of [{ definitionKey: key }, { definitionId: key }]) {
      expect(running.refusal({ type: 'start', tenantId: 't', ...named })).toMatchObject({
        code: 'CASE_DEFINITION_NOT_FOUND',
        details: { reference: key },
      });
    }
  });
});

describe('local variables', () => {
  it('are set and removed by commands of their own, and told of', async () => {
    const running = await startCase(
      aModel(
        `${aTask('A', '<exitCriterion id="x" sentryRef="s"/>')}${aTask('B')}<sentry id="s"><ifPart><condition><![CDATA[\${var:get('stop') == true}]]></condition></ifPart></sentry>`,
      ),
    );
    const planItemInstanceId = running.id('A');

    running.give({ type: 'setLocalVariables', planItemInstanceId, variables: { note: 1 } });
    running.give({ type: 'setLocalVariables', planItemInstanceId, variables: { note: 2 } });
    running.give({ type: 'removeLocalVariables', planItemInstanceId, names: ['note', 'none'] });

    const told = running.world.effects.filter(({ type }) => type === 'variableChanged');
    expect(told).toMatchObject([
      { change: 'create', value: 1, planItemInstanceId },
      { change: 'update', value: 2, oldValue: 1, planItemInstanceId },
      { change: 'delete', oldValue: 2, planItemInstanceId },
    ]);
    expect(running.variables).toEqual({});

    running.give({ type: 'setLocalVariables', planItemInstanceId, variables: { stop: true } });
    expect(running.states).toEqual({ A: ['terminated'], B: ['active'] });
  });
});
