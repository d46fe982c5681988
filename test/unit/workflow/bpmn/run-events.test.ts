// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { Played } from './process-world.ts';

const timer = (text: string, kind = 'timeDuration'): string =>
  `<timerEventDefinition><${kind}>${text}</${kind}></timerEventDefinition>`;
const errors = '<error id="rejected" errorCode="E1"/>';
const messages = '<message id="paid" name="Paid"/><signal id="stop" name="Stop"/>';

const withBoundary = (isInterrupting: boolean): string =>
  bpmnXml(
    `<startEvent id="s"/>${userTask('work')}
    <boundaryEvent id="late" attachedToRef="work" cancelActivity="${isInterrupting}">${timer('${limit}')}</boundaryEvent>
    ${userTask('remind')}<endEvent id="end"/>${chain('s', 'work', 'end')}${flow('late', 'remind')}`,
  );

describe('runProcess with events', () => {
  it('tells when a timer is due, by the time of the command', async () => {
    const played = await Played.start(withBoundary(true), { limit: 'PT2H' });

    expect(played.waiting).toEqual(['late', 'work']);
    expect(played.wait('late')).toMatchObject({ kind: 'timer', dueAt: '2026-03-01T11:00:00.000Z' });
  });

  it('keeps the due time of a timer through other commands', async () => {
    const played = await Played.start(withBoundary(true), { limit: 'PT2H' });
    const before = played.wait('late');

    played.give({ type: 'setVariables', variables: { limit: 'PT1S' } });

    expect(played.wait('late')).toEqual(before);
  });

  it('ends the task of a boundary timer that interrupts', async () => {
    const played = await Played.start(withBoundary(true), { limit: 'PT2H' });

    played.go('late');

    expect(played.waiting).toEqual(['remind']);
    expect(played.result.over.map(({ activityId }) => activityId).sort()).toEqual(['late', 'work']);
  });

  it('leaves the task of a boundary timer that does not interrupt', async () => {
    const played = await Played.start(withBoundary(false), { limit: 'PT2H' });

    expect(played.go('late').waiting).toEqual(['remind', 'work']);
    expect(played.go('work').waiting).toEqual(['remind']);
    expect(played.go('remind').result.hasEnded).toBe(true);
  });

  it('withdraws the timer of a task that is done', async () => {
    const played = await Played.start(withBoundary(true), { limit: '2026-03-05T00:00:00Z' });

    played.go('work');

    expect(played.result.hasEnded).toBe(true);
    expect(played.result.over.map(({ activityId }) => activityId).sort()).toEqual(['late', 'work']);
  });

  it('takes the event that comes first after an event-based gateway', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><eventBasedGateway id="g"/>
      <intermediateCatchEvent id="m"><messageEventDefinition messageRef="paid"/></intermediateCatchEvent>
      <intermediateCatchEvent id="t">${timer('P1D')}</intermediateCatchEvent>
      ${userTask('ship')}${userTask('cancel')}${chain('s', 'g', 'm', 'ship')}${chain('g', 't', 'cancel')}`,
      { beside: messages },
    );

    const paid = await Played.start(xml);
    const late = await Played.start(xml);

    expect(paid.wait('m')).toMatchObject({ kind: 'message', name: 'Paid' });
    expect(paid.go('m').waiting).toEqual(['ship']);
    expect(late.go('t').waiting).toEqual(['cancel']);
  });

  it('waits for signals and in receive tasks', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><receiveTask id="r" messageRef="paid"/>
      <intermediateCatchEvent id="c"><signalEventDefinition signalRef="stop"/></intermediateCatchEvent>
      ${userTask('u')}${chain('s', 'r', 'c', 'u')}`,
      { beside: messages },
    );
    const played = await Played.start(xml);

    expect(played.wait('r')).toMatchObject({ kind: 'message', name: 'Paid' });
    expect(played.go('r').wait('c')).toMatchObject({ kind: 'signal', name: 'Stop' });
    expect(played.go('c').waiting).toEqual(['u']);
  });

  it.each([
    ['timer', timer('PT1H')],
    ['signal', '<signalEventDefinition signalRef="stop"/>'],
    ['message', '<messageEventDefinition messageRef="paid"/>'],
  ])('knows what it waits for after a boundary event of a %s', async (_, definition) => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('u')}<boundaryEvent id="b" attachedToRef="u">${definition}</boundaryEvent>
      <parallelGateway id="g"/><receiveTask id="r" messageRef="paid"/>
      <intermediateCatchEvent id="c"><signalEventDefinition signalRef="stop"/></intermediateCatchEvent>
      <intermediateCatchEvent id="m"><messageEventDefinition messageRef="paid"/></intermediateCatchEvent>
      ${chain('s', 'u')}${chain('b', 'g', 'c')}${chain('g', 'm')}${chain('g', 'r')}`,
      { beside: messages },
    );

    const played = (await Played.start(xml)).go('b');

    expect(played.wait('c')).toMatchObject({ kind: 'signal', name: 'Stop' });
    expect(played.wait('m')).toMatchObject({ kind: 'message', name: 'Paid' });
    expect(played.wait('r')).toMatchObject({ kind: 'message', name: 'Paid' });
  });

  it('leaves a sub-process by the error that its end throws', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><subProcess id="sub"><startEvent id="s2"/>${userTask('check')}
        <endEvent id="bad"><errorEventDefinition errorRef="rejected"/></endEvent>${chain('s2', 'check', 'bad')}</subProcess>
      <boundaryEvent id="caught" attachedToRef="sub"><errorEventDefinition errorRef="rejected"/></boundaryEvent>
      ${userTask('repair')}<endEvent id="end"/>${chain('s', 'sub', 'end')}${flow('caught', 'repair')}`,
      { beside: errors },
    );
    const played = await Played.start(xml);

    expect(played.waiting).toEqual(['check']);
    expect(played.go('check').waiting).toEqual(['repair']);
  });

  it('ends everything at a terminating end', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><parallelGateway id="g"/>${userTask('a')}${userTask('b')}
      <endEvent id="stop"><terminateEventDefinition/></endEvent>${chain('s', 'g', 'a', 'stop')}${flow('g', 'b')}`,
    );

    const played = (await Played.start(xml)).go('a');

    expect(played.result.hasEnded).toBe(true);
    expect(played.result.over.map(({ activityId }) => activityId).sort()).toEqual(['a', 'b']);
  });

  describe('of several instances', () => {
    const each = (isSequential: boolean, more = ''): string =>
      bpmnXml(
        `<startEvent id="s"/><userTask id="vote" name="Vote of \${who}" flowable:assignee="\${who}">
          <multiInstanceLoopCharacteristics isSequential="${isSequential}" flowable:collection="people" flowable:elementVariable="who">${more}</multiInstanceLoopCharacteristics>
        </userTask>${userTask('count')}${chain('s', 'vote', 'count')}`,
      );
    const people = ['ann', 'bob', 'cy'];

    it('opens a task for each element at once', async () => {
      const played = await Played.start(each(false), { people });
      const assignees = [...played.result.tasks.values()].map(({ assignee, name }) => [
        assignee,
        name,
      ]);

      expect(assignees).toEqual(people.map((name) => [name, `Vote of ${name}`]));
      expect(played.go('vote', {}, 1).waiting).toEqual(['vote', 'vote']);
      expect(played.go('vote').go('vote').waiting).toEqual(['count']);
    });

    it('opens a task for one element after another', async () => {
      const played = await Played.start(each(true), { people });

      expect([...played.result.tasks.values()].map(({ assignee }) => assignee)).toEqual(['ann']);
      played.go('vote');
      expect([...played.result.tasks.values()].map(({ assignee }) => assignee)).toEqual(['bob']);
      expect(played.go('vote').go('vote').waiting).toEqual(['count']);
    });

    it('ends early when its condition holds', async () => {
      const condition = '<completionCondition>${enough}</completionCondition>';
      const played = await Played.start(each(false, condition), { people, enough: false });

      expect(played.go('vote', { enough: true }).waiting).toEqual(['count']);
    });

    it('passes by when the collection is empty', async () => {
      expect((await Played.start(each(false), { people: [] })).waiting).toEqual(['count']);
    });

    it('opens more than fifty at once, and refuses more than two hundred', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`);

      expect((await Played.start(each(false), { people: many(60) })).waiting).toHaveLength(60);
      await expect(Played.start(each(false), { people: many(201) })).rejects.toMatchObject({
        code: 'COLLECTION_TOO_LARGE',
      });
    });

    it('keeps sub-processes apart', async () => {
      const xml = bpmnXml(
        `<startEvent id="s"/><subProcess id="sub"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>
          <startEvent id="s2"/>${userTask('in')}${chain('s2', 'in')}</subProcess>${userTask('out')}${chain('s', 'sub', 'out')}`,
      );
      const played = await Played.start(xml);

      expect(played.waiting).toEqual(['in', 'in']);
      expect(played.go('in').waiting).toEqual(['in']);
      expect(played.go('in').waiting).toEqual(['out']);
    });
  });
});
