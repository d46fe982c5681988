// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { amountXml, bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { Played } from './process-world.ts';

const fork = (join: string): string =>
  bpmnXml(
    `<startEvent id="s"/><parallelGateway id="fork"/>${userTask('a')}${userTask('b')}
    <parallelGateway id="${join}"/>${userTask('last')}
    ${chain('s', 'fork', 'a', join, 'last')}${chain('fork', 'b', join)}`,
  );

describe('runProcess', () => {
  it('takes the flow whose condition holds', async () => {
    const played = await Played.start(amountXml(), { amount: 200 });

    expect(played.waiting).toEqual(['big']);
  });

  it('takes the default flow when no condition holds', async () => {
    const played = await Played.start(amountXml(), { amount: 100 });

    expect(played.waiting).toEqual(['small']);
  });

  it('ends when its last task is done, and keeps the variables', async () => {
    const played = await Played.start(amountXml(), { amount: 1 });

    played.go('small', { approved: true });

    expect(played.result.hasEnded).toBe(true);
    expect(played.variables).toEqual({ amount: 1, approved: true });
  });

  it('waits for every branch at a parallel gateway', async () => {
    const played = await Played.start(fork('join'));

    expect(played.waiting).toEqual(['a', 'b']);
    expect(played.go('b').waiting).toEqual(['a']);
    expect(played.go('a').waiting).toEqual(['last']);
  });

  it('takes every flow of an inclusive gateway whose condition holds', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><inclusiveGateway id="g" default="g_c"/>${userTask('a')}${userTask('b')}${userTask('c')}
      ${flow('s', 'g')}${flow('g', 'a', '${x > 1}')}${flow('g', 'b', '${x > 2}')}${flow('g', 'c')}`,
    );

    expect((await Played.start(xml, { x: 2 })).waiting).toEqual(['a']);
    expect((await Played.start(xml, { x: 3 })).waiting).toEqual(['a', 'b']);
    expect((await Played.start(xml, { x: 0 })).waiting).toEqual(['c']);
  });

  it('does a task again as often as a flow leads back', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('work')}<exclusiveGateway id="g" default="g_end"/><endEvent id="end"/>
      ${chain('s', 'work', 'g')}${flow('g', 'work', '${again}')}${flow('g', 'end')}`,
    );
    const played = await Played.start(xml);
    const first = played.wait('work').id;

    played.go('work', { again: true });

    expect(played.waiting).toEqual(['work']);
    expect(played.wait('work').id).not.toBe(first);
    expect(played.go('work', { again: false }).result.hasEnded).toBe(true);
  });

  it('refuses a process that never waits', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><task id="t"/><task id="u"/>${chain('s', 't', 'u', 't')}`,
    );

    await expect(Played.start(xml)).rejects.toMatchObject({ code: 'ENGINE_LOOP' });
  });

  it('goes a long way without a deep stack', async () => {
    const ids = Array.from({ length: 400 }, (_, at) => `t${at}`);
    const tasks = ids.map((id) => `<task id="${id}"/>`).join('');
    const xml = bpmnXml(`<startEvent id="s"/>${tasks}${userTask('u')}${chain('s', ...ids, 'u')}`);

    expect((await Played.start(xml)).waiting).toEqual(['u']);
  });

  it('refuses what a condition cannot tell', async () => {
    await expect(Played.start(amountXml(), {})).rejects.toMatchObject({
      code: 'EXPRESSION_ERROR',
      details: { elementId: 'choice', expression: '${amount > 100}' },
    });
  });

  it('refuses a gateway of which no flow can be taken', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><exclusiveGateway id="g"/>${userTask('a')}${flow('s', 'g')}${flow('g', 'a', '${false}')}`,
    );

    await expect(Played.start(xml)).rejects.toMatchObject({
      code: 'PROCESS_FAILED',
      details: { elementId: 'g' },
    });
  });

  it('gives a user task its people from variables', async () => {
    const attributes =
      'flowable:assignee="${boss}" flowable:candidateUsers="${helpers}" flowable:candidateGroups="a, b" flowable:dueDate="P1D" flowable:priority="${2 + 3}"';
    const xml = bpmnXml(`<startEvent id="s"/>${userTask('u', attributes)}${chain('s', 'u')}`);

    const played = await Played.start(xml, { boss: 'ann', helpers: ['bob', 'cy'] });

    expect([...played.result.tasks.values()]).toEqual([
      expect.objectContaining({
        ...{ name: 'u', assignee: 'ann', candidateUsers: ['bob', 'cy'] },
        ...{ candidateGroups: ['a', 'b'], priority: 5, dueDate: '2026-03-02T09:00:00.000Z' },
      }),
    ]);
  });

  it('evaluates a service task into a variable', async () => {
    const service =
      '<serviceTask id="calc" flowable:expression="${amount * 2}" flowable:resultVariable="twice"/>';
    const xml = bpmnXml(`<startEvent id="s"/>${service}${userTask('u')}${chain('s', 'calc', 'u')}`);

    expect((await Played.start(xml, { amount: 4 })).variables).toEqual({ amount: 4, twice: 8 });
  });

  it('never runs what an expression or a variable holds as a program', async () => {
    const played = await Played.start(amountXml(), {
      amount: 5,
      code: '${execution.setVariable("amount", 500)}',
    });

    expect(played.waiting).toEqual(['small']);
    for (const text of [
      '${constructor.constructor("return 1")()}',
      '${this}',
      '${process.exit()}',
    ]) {
      const xml = bpmnXml(
        `<startEvent id="s"/><exclusiveGateway id="g"/>${userTask('a')}${flow('s', 'g')}${flow('g', 'a', text)}`,
      );
      await expect(Played.start(xml)).rejects.toThrow(/EXPRESSION|expression/);
    }
  });

  it('goes on after a command that only sets variables', async () => {
    const played = await Played.start(amountXml(), { amount: 1 });

    played.give({ type: 'setVariables', variables: { amount: 300 } });

    expect(played.waiting).toEqual(['small']);
    expect(played.variables.amount).toBe(300);
  });

  it('refuses to let go on what waits no more', async () => {
    const played = await Played.start(fork('join'));
    const { id } = played.wait('a');
    played.go('a');

    expect(() => played.give({ type: 'continue', waitId: id })).toThrow(
      expect.objectContaining({ code: 'ACTIVITY_NOT_WAITING' }),
    );
  });
});
