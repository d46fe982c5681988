// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { compileProcess } from '../../../../functions/workflow/domain/bpmn/index.ts';
import { bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { Played } from './process-world.ts';
import { ann, aProcessApi, PROCESSES } from './processes-api.ts';

const around = (id: string, body: string): string =>
  bpmnXml(`<startEvent id="s"/>${body}${chain('s', id)}`);
const extended = (elements: string): string => `<extensionElements>${elements}</extensionElements>`;

/** What is wrong with a document, by code and element, with the words of the message. */
async function told(xml: string): Promise<string[]> {
  const { problems } = await compileProcess(xml);
  return problems
    .filter(({ code }) => code !== 'USER_TASK_UNASSIGNABLE')
    .map(({ code, elementId, message }) => `${code} ${elementId}: ${message}`);
}

const LOOP = 'multiInstanceLoopCharacteristics';

describe('what dialects say about elements, and nobody would carry out', () => {
  it.each([
    ['userTask id="x" flowable:skipExpression="${true}"', '', 'flowable:skipExpression'],
    ['userTask id="x" camunda:followUpDate="P1D"', '', 'camunda:followUpDate'],
    ['userTask id="x" flowable:excludeCompleters="y"', '', 'flowable:excludeCompleters'],
    ['userTask id="x"', extended('<flowable:taskListener event="create"/>'), 'taskListener'],
    ['userTask id="x"', extended('<camunda:formData/>'), 'formData'],
    [
      'userTask id="x"',
      extended('<zeebe:assignmentDefinition xmlns:zeebe="urn:z"/>'),
      'assignmentD',
    ],
    [
      'userTask id="x"',
      `<${LOOP} flowable:collection="all" camunda:elementIndexVariable="i"/>`,
      'camunda:elementIndexVariable',
    ],
    [
      'serviceTask id="x" flowable:expression="${1}" flowable:skipExpression="${true}"',
      '',
      'flowable:skipExpression',
    ],
    [
      'serviceTask id="x" flowable:expression="${1}"',
      extended('<flowable:executionListener/>'),
      'executionListener',
    ],
    ['task id="x" flowable:assignee="ann"', '', 'flowable:assignee'],
    ['receiveTask id="x" messageRef="m"', extended('<flowable:out source="a" target="b"/>'), 'out'],
  ])('is refused and named: %s %s', async (start, inner, name) => {
    const xml = around('x', `<${start}>${inner}</${start.split(' ')[0]}>`);

    const found = await told(xml);

    expect(found.filter((each) => each.startsWith('EXTENSION_UNSUPPORTED x'))).toHaveLength(1);
    expect(found.join()).toContain(name);
  });

  it('is refused at flows, and of a start event', async () => {
    const listened = bpmnXml(
      `<startEvent id="s" flowable:initiator="who"/>${userTask('u')}
      <sequenceFlow id="f" sourceRef="s" targetRef="u">${extended('<flowable:executionListener/>')}</sequenceFlow>`,
    );

    expect((await told(listened)).map((each) => each.split(':')[0])).toEqual([
      'EXTENSION_UNSUPPORTED f',
      'EXTENSION_UNSUPPORTED s',
    ]);
  });

  it('is refused over HTTP with what the element may have', async () => {
    const { send } = await aProcessApi(around('u', userTask('u')));
    const xml = around('u', userTask('u', 'flowable:reviewer="ann"'));

    const { status, body } = await send('POST', `${PROCESSES}/definitions`, { code: 'x', xml });

    expect([status, body.code]).toEqual([422, 'MODEL_INVALID']);
    expect(body.errors).toMatchObject([
      {
        ...{ pointer: '/xml', code: 'EXTENSION_UNSUPPORTED', elementId: 'u', line: 5 },
        detail: expect.stringMatching(/flowable:reviewer; it may have assignee, .*excludeComp/),
      },
    ]);
  });

  it('is a warning where a process goes the same way without it', async () => {
    const xml = around('u', userTask('u', 'flowable:async="true" flowable:assignee="ann"'));

    expect(await told(xml)).toEqual(['EXTENSION_IGNORED u: flowable:async has no effect.']);
  });

  it('is understood whatever the prefix of the dialect is', async () => {
    const xml = around('u', '<userTask id="u" f:assignee="ann"/>').replace(
      'xmlns:flowable=',
      'xmlns:f=',
    );

    const played = await Played.start(xml);

    expect([...played.result.tasks.values()]).toMatchObject([{ assignee: 'ann' }]);
    expect(await told(xml.replace('f:assignee', 'f:boss'))).toMatchObject([
      expect.stringContaining('flowable:boss'),
    ]);
  });

  it('keeps no task apart from one that is not there', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('a', 'flowable:excludeCompletersOf="s, in nobody"')}
      <subProcess id="sub"><startEvent id="s2"/>${userTask('in')}${chain('s2', 'in')}</subProcess>${chain('s', 'a', 'sub')}`,
    );

    const found = (await told(xml)).map((each) => /\w+ a: .* names "(\w+)"/.exec(each)?.[1]);

    expect(found).toEqual(['s', 'nobody']);
  });
});

const sending = (more = '', attributes = 'flowable:topic="shipping"'): string =>
  `<serviceTask id="x" name="Ship" flowable:type="send-event" ${attributes}>${extended(more)}</serviceTask>`;

describe('a service task that sends a message', () => {
  const xml = bpmnXml(
    `<startEvent id="s"/>${sending(
      '<flowable:in source="address" target="to"/><flowable:in sourceExpression="${amount * 2}" target="sum"/>',
    )}${userTask('u')}${chain('s', 'x', 'u')}`,
  );

  it('sends it with its inputs in the transaction of the command, and goes on', async () => {
    const { start, events, waiting, send, context } = await aProcessApi(xml);
    const { id } = await start({ address: 'Huế', amount: 4 });

    expect(events('workflow.service.requested')).toMatchObject([
      {
        ...{ processInstanceId: id, planItemDefinitionKey: 'x', name: 'Ship', actor: 'op' },
        ...{ service: 'shipping', payload: { to: 'Huế', sum: 8 }, sequence: expect.any(Number) },
      },
    ]);
    expect(await waiting(id)).toEqual(['u']);
    const { body } = await send('GET', `${PROCESSES}/${id}/history`);
    const [entry] = body.content as { changes: object[] }[];
    expect(entry?.changes).toContainEqual({
      ...{ type: 'serviceRequested', activityId: 'x', service: 'shipping' },
    });
    context.bus.mode = 'down';
    await start({ address: 'Vinh', amount: 1 });
    const rows = context.db.items().filter(({ pk }) => String(pk).startsWith('message#'));
    expect(JSON.stringify(rows)).toContain('Vinh');
  });

  it('sends it whatever events are chosen, and not where its command is refused', async () => {
    const failing = bpmnXml(
      `<startEvent id="s"/>${userTask('u')}${sending()}${userTask('v', 'flowable:assignee="${nobody}"')}${chain('s', 'u', 'x', 'v')}`,
    );
    const chosen = { workflow: { 'bpmn-endpoints-enabled': true, events: '!*' } };
    const { start, send, events } = await aProcessApi(xml, {}, chosen);
    await start({ address: 'Huế', amount: 4 });
    await send('POST', `${PROCESSES}/definitions`, {
      code: 'two',
      xml: failing.replace('id="order"', 'id="two"'),
    });
    const begun = await send('POST', `${PROCESSES}/start`, { workflowCode: 'two' });
    const [{ taskId } = { taskId: '' }] = begun.body.activities as { taskId: string }[];

    const refused = await send('POST', `/api/v1/tasks/${taskId}/complete`, {}, ann);

    expect(refused.body.code).toBe('EXPRESSION_ERROR');
    expect(events('workflow.service.requested')).toHaveLength(1);
  });

  it.each([
    ['no topic', sending('', '')],
    ['a topic of other characters', sending('', 'flowable:topic="a b"')],
    ['a result', sending('', 'flowable:topic="a" flowable:resultVariable="r"')],
    ['an expression', sending('', 'flowable:topic="a" flowable:expression="${1}"')],
    ['a delegate', sending('', 'flowable:topic="a" flowable:class="a.B"')],
    ['an input without a target', sending('<flowable:in source="a"/>')],
    ['an input without a source', sending('<flowable:in target="a"/>')],
    [
      'an input with two sources',
      sending('<flowable:in source="a" sourceExpression="${b}" target="a"/>'),
    ],
    ['an input that cannot be called so', sending('<flowable:in source="a" target="__proto__"/>')],
    ['another type', sending().replace('send-event', 'mail')],
    ['work that waits for others', sending().replace('send-event', 'external-worker')],
    [
      'inputs of an expression',
      `<serviceTask id="x" flowable:expression="\${1}">${extended('<flowable:in source="a" target="b"/>')}</serviceTask>`,
    ],
  ])('is refused with %s', async (_, task) => {
    expect((await told(around('x', task))).map((each) => each.split(':')[0])).toContain(
      'SERVICE_TASK_UNSUPPORTED x',
    );
  });

  it('is refused where the expression of an input cannot be read', async () => {
    const task = sending('<flowable:in sourceExpression="${a +}" target="b"/>');

    expect((await told(around('x', task))).join()).toContain('EXPRESSION_SYNTAX x');
  });

  it('is refused where messages are switched off', async () => {
    const plain = around('u', userTask('u'));
    const { send } = await aProcessApi(plain, {}, { mq: { enabled: false } });

    const { status, body } = await send('POST', `${PROCESSES}/definitions`, { code: 'x', xml });

    expect([status, body.errors]).toEqual([
      422,
      [expect.objectContaining({ code: 'SERVICE_TASK_UNSUPPORTED', elementId: 'x' })],
    ]);
  });

  it('goes through when it is only played', async () => {
    const { send } = await aProcessApi(xml);
    const given = { xml, variables: { address: 'Huế', amount: 4 } };

    const { body } = await send('POST', '/api/v1/preview/simulate', given);

    expect(body.outcome).toBe('completed');
  });
});

describe('conditions of flows', () => {
  const choice = (condition: string, attributes = '', isDefaulted = true): string =>
    bpmnXml(
      `<startEvent id="s"/><exclusiveGateway id="g" ${isDefaulted ? 'default="g_b"' : ''}/>${userTask('a')}${userTask('b')}
      ${flow('s', 'g')}${flow('g', 'a', condition)}${flow('g', 'b', isDefaulted ? undefined : '${false}')}`,
    ).replace('tFormalExpression"', `tFormalExpression" ${attributes}`);

  it.each([
    ['${amount > 100}', '', { amount: 101 }, 'a'],
    ['${amount > 100}', '', { amount: 100 }, 'b'],
    ['#{amount gt 100 && tags.contains("x")}', '', { amount: 101, tags: ['x'] }, 'a'],
    ['${vars:getOrDefault("amount", 0) > 100}', '', {}, 'b'],
    ['= amount > 100 and city = "Huế"', '', { amount: 101, city: 'Huế' }, 'a'],
    ['= amount > 100 and city = "Huế"', '', { amount: 101, city: 'Vinh' }, 'b'],
    ['amount > 100', 'language="feel"', { amount: 101 }, 'a'],
    [
      'amount in [1..10]',
      'language="https://www.omg.org/spec/DMN/20191111/FEEL/"',
      { amount: 11 },
      'b',
    ],
    ['= missing > 100', '', {}, 'b'],
    ['${flag}', '', { flag: 'true' }, 'a'],
  ])('%s (%s) with %j lead to %s', async (condition, attributes, variables, way) => {
    const played = await Played.start(choice(condition, attributes), variables);

    expect(played.waiting).toEqual([way]);
  });

  it('lead nowhere where none holds and none is the default: nothing has changed then', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('ask')}<exclusiveGateway id="g"/>${userTask('a')}${userTask('b')}
      ${chain('s', 'ask', 'g')}${flow('g', 'a', '${amount > 100}')}${flow('g', 'b', '= amount > 200')}`,
    );
    const { start, send, waiting } = await aProcessApi(xml);
    const { id, activities } = await start({ amount: 1 });
    const path = `/api/v1/tasks/${activities[0]?.taskId}/complete`;

    const refused = await send('POST', path, { variables: { note: 'x' } }, ann);

    expect(refused.body).toMatchObject({ status: 422, code: 'PROCESS_FAILED', elementId: 'g' });
    expect(await waiting(id)).toEqual(['ask']);
    expect((await send('POST', path, { variables: { amount: 150 } }, ann)).status).toBe(200);
    expect(await waiting(id)).toEqual(['a']);
  });

  it.each([
    ['amount > 100', '', 'CONDITION_CONSTANT g_a'],
    ['${amount >}', '', 'EXPRESSION_SYNTAX g_a'],
    ['= amount >', '', 'EXPRESSION_SYNTAX g_a'],
    ['${amount > 100}', 'language="groovy"', 'EXPRESSION_LANGUAGE_UNSUPPORTED g_a'],
  ])('that nobody can tell are refused: %s (%s)', async (condition, attributes, problem) => {
    const found = (await told(choice(condition, attributes))).map((each) => each.split(':')[0]);

    expect(found).toEqual([problem]);
  });
});
