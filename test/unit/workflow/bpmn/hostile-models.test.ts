// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { compileProcess } from '../../../../functions/workflow/domain/bpmn/index.ts';
import { bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { Played } from './process-world.ts';

/** Codes and elements of what is wrong with a document. */
async function told(xml: string): Promise<string[]> {
  const { model, problems } = await compileProcess(xml);
  if (model) return ['accepted'];
  return problems
    .filter(({ severity }) => severity === 'ERROR')
    .map(({ code, elementId = '-' }) => `${code} ${elementId}`);
}

/** A process of a start, one element and what else is given. */
const around = (id: string, body: string, beside = ''): string =>
  bpmnXml(`<startEvent id="s"/>${body}${chain('s', id)}`, { beside });

const prefixed = (xml: string): string =>
  xml
    .replace('xmlns="', 'xmlns:bpmn="')
    .replaceAll(/<(\/?)(?=[a-z])(?!bpmn)/g, '<$1bpmn:')
    .replaceAll('tFormalExpression', 'bpmn:tFormalExpression');

const many = (count: number, piece: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => piece(at)).join('');

describe('hostile documents', () => {
  it.each([
    ['a document type', '<!DOCTYPE d [<!ENTITY a "b">]>'],
    ['one of another case', '<!docType d SYSTEM "file:///etc/passwd">'],
  ])('are refused with %s', async (_, doctype) => {
    const xml = around('u', userTask('u')).replace('<definitions', `${doctype}<definitions`);

    expect(await told(xml)).toEqual(['XML_DTD_FORBIDDEN -']);
  });

  it('are refused with entities that XML does not have', async () => {
    const xml = around('u', userTask('u')).replace('name="u"', 'name="&lol;"');

    expect(await told(xml)).toEqual(['XML_MALFORMED -']);
  });

  it.each([
    ['', 'NOT_BPMN -'],
    ['no XML', 'NOT_BPMN -'],
    ['<definitions', 'NOT_BPMN -'],
    ['<definitions xmlns="urn:x"/>', 'NOT_BPMN -'],
    [bpmnXml('<startEvent id="s">'), 'XML_MALFORMED -'],
    [`${bpmnXml('<startEvent id="s"/>')}<more/>`, 'XML_MALFORMED -'],
  ])('are refused when they are no model: %s', async (xml, problem) => {
    expect(await told(xml)).toEqual([problem]);
  });

  it('are refused above 1 MiB and below 200 levels', async () => {
    const long = around('u', `${userTask('u')}<!--${'x'.repeat(1_048_576)}-->`);
    const deep = around(
      'u',
      `${userTask('u')}<extensionElements>${'<a>'.repeat(300)}${'</a>'.repeat(300)}</extensionElements>`,
    );

    expect(await told(long)).toEqual(['XML_TOO_LARGE -']);
    expect(await told(deep)).toEqual(['XML_TOO_LARGE -']);
  });

  it('are refused with too many elements, however they are nested, before those are compared', async () => {
    const flat = many(5_000, (at) => `<task id="t${at}"/>`);
    const gateways = many(9_000, (at) => `<exclusiveGateway id="g${at}"/>`);

    expect(await told(around('t0', flat))).toEqual(['PROCESS_TOO_LARGE order']);
    expect(await told(around('sub', `<subProcess id="sub">${flat}</subProcess>`))).toEqual([
      'PROCESS_TOO_LARGE order',
    ]);
    const flows = many(9_000, () => '<sequenceFlow sourceRef="a" targetRef="b"/>');
    expect(await told(bpmnXml(gateways + flows))).toEqual(['PROCESS_TOO_LARGE order']);
  });

  it('are refused with sub-processes that are nested deeper than ten', async () => {
    const open = (at: number) => `<subProcess id="p${at}"><startEvent id="s${at}"/>`;
    const xml = around('p0', many(12, open) + '</subProcess>'.repeat(12));

    expect(await told(xml)).toContain('NESTED_TOO_DEEP p9');
  });

  it('tell of at most 200 problems', async () => {
    const xml = around(
      'x0',
      many(1_500, (at) => `<scriptTask id="x${at}"/>`),
    );

    const { model, problems } = await compileProcess(xml);

    expect(model).toBeUndefined();
    expect(problems).toHaveLength(200);
  });

  it('stay refused when warnings come first', async () => {
    const tasks = many(300, (at) => userTask(`u${at}`, ''));
    const xml = around('u0', `${tasks}<scriptTask id="evil"/>`);

    expect(await told(xml)).toContain('ELEMENT_UNSUPPORTED evil');
  });
});

describe('ids', () => {
  const twice = around('u', userTask('u') + userTask('u'));
  it.each([
    ['twice', twice, 'DUPLICATE_ID u'],
    ['twice, with prefixes', prefixed(twice), 'DUPLICATE_ID u'],
    ['__proto__', around('__proto__', userTask('__proto__')), 'ID_INVALID __proto__'],
    [
      '__proto__, with prefixes',
      prefixed(around('__proto__', userTask('__proto__'))),
      'ID_INVALID __proto__',
    ],
    ['constructor', around('constructor', userTask('constructor')), 'ID_INVALID constructor'],
    ['toString', around('toString', userTask('toString')), 'ID_INVALID toString'],
    ['a.b', around('a.b', userTask('a.b')), 'ID_INVALID a.b'],
    ['#', around('#', userTask('#')), 'ID_INVALID #'],
  ])('are refused: %s', async (_, xml, problem) => {
    expect(await told(xml)).toContain(problem);
  });

  it('are refused when their prefix has meant an extension before', async () => {
    const trick = `<extensionElements><z:q xmlns:z="urn:x"/></extensionElements>
      <z:userTask xmlns:z="http://www.omg.org/spec/BPMN/20100524/MODEL" id="a.b"/>`;

    const xml = around('a.b', trick).replace('s_a.b', 'flow');

    expect(await told(xml)).toEqual(['ID_INVALID a.b']);
    const twice = trick.replace('a.b', 'u') + trick.replace('a.b', 'u');
    expect(await told(around('u', twice))).toEqual(['DUPLICATE_ID u']);
  });

  it('lead to their line, also with prefixes', async () => {
    const xml = prefixed(around('evil', '\n<scriptTask id="evil"/>'));

    const { problems } = await compileProcess(xml);

    expect(problems).toMatchObject([{ elementId: 'evil', elementType: 'scriptTask', line: 6 }]);
  });
});

const catching = (definition: string): string =>
  `<intermediateCatchEvent id="x">${definition}</intermediateCatchEvent>`;
const loop = (inner: string): string => `<userTask id="x">${inner}</userTask>`;

describe('elements that are refused, by id and reason', () => {
  it.each([
    ['scriptTask', '<scriptTask id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['callActivity', '<callActivity id="x" calledElement="y"/>', 'ELEMENT_UNSUPPORTED x'],
    ['businessRuleTask', '<businessRuleTask id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['sendTask', '<sendTask id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['transaction', '<transaction id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['adHocSubProcess', '<adHocSubProcess id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['complexGateway', '<complexGateway id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['an unknown element', '<banana id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    ['__proto__', '<__proto__ id="x"/>', 'ELEMENT_UNSUPPORTED x'],
    [
      'an event sub-process',
      '<subProcess id="x" triggeredByEvent="true"><startEvent id="i"/></subProcess>',
      'ELEMENT_UNSUPPORTED x',
    ],
    ['compensation', '<task id="x" isForCompensation="true"/>', 'ELEMENT_UNSUPPORTED x'],
    [
      'a compensating event',
      '<endEvent id="x"><compensateEventDefinition/></endEvent>',
      'EVENT_DEFINITION_UNSUPPORTED x',
    ],
    ['data of a task', loop('<ioSpecification id="io"/>'), 'ELEMENT_UNSUPPORTED x'],
    ['a delegate', '<serviceTask id="x" flowable:class="a.B"/>', 'SERVICE_TASK_UNSUPPORTED x'],
    ['a service without work', '<serviceTask id="x"/>', 'SERVICE_TASK_UNSUPPORTED x'],
    [
      'a cycle of time',
      catching('<timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition>'),
      'TIMER_CYCLE_UNSUPPORTED x',
    ],
    ['no time', catching('<timerEventDefinition/>'), 'TIMER_EXPRESSION_MISSING x'],
    [
      'no time at all',
      catching('<timerEventDefinition><timeDuration>soon</timeDuration></timerEventDefinition>'),
      'TIMER_EXPRESSION_INVALID x',
    ],
    ['nothing to wait for', catching(''), 'EVENT_DEFINITION_MISSING x'],
    [
      'a condition as event',
      catching('<conditionalEventDefinition/>'),
      'EVENT_DEFINITION_UNSUPPORTED x',
    ],
    [
      'two definitions',
      catching('<signalEventDefinition/><timerEventDefinition/>'),
      'EVENT_DEFINITION_UNSUPPORTED x',
    ],
    [
      'an unknown message',
      catching('<messageEventDefinition messageRef="no"/>'),
      'EVENT_REF_UNRESOLVED x',
    ],
    [
      'a definition elsewhere',
      '<endEvent id="x"><eventDefinitionRef>d</eventDefinitionRef></endEvent>',
      'EVENT_DEFINITION_UNSUPPORTED x',
    ],
    ['a loop', loop('<standardLoopCharacteristics/>'), 'LOOP_UNSUPPORTED x'],
    ['a loop over nothing', loop('<multiInstanceLoopCharacteristics/>'), 'LOOP_UNSUPPORTED x'],
    [
      'an element called __proto__',
      loop(
        '<multiInstanceLoopCharacteristics flowable:collection="${all}" flowable:elementVariable="__proto__"/>',
      ),
      'VARIABLE_INVALID x',
    ],
    [
      'a result called __proto__',
      '<serviceTask id="x" flowable:expression="${1}" flowable:resultVariable="__proto__"/>',
      'VARIABLE_INVALID x',
    ],
    ['a default that leads elsewhere', '<task id="x" default="no"/>', 'DEFAULT_FLOW_UNRESOLVED x'],
    ['a gateway without exit', '<exclusiveGateway id="x"/>', 'GATEWAY_WITHOUT_EXIT x'],
    [
      'an event at nothing',
      '<boundaryEvent id="b" attachedToRef="no"/><task id="x"/>',
      'ATTACHMENT_UNRESOLVED b',
    ],
  ])('%s', async (_, element, problem) => {
    expect(await told(around('x', element))).toContain(problem);
  });

  it('an inclusive gateway that joins', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/><parallelGateway id="f"/><inclusiveGateway id="j"/>${userTask('a')}${userTask('b')}${userTask('c')}
      ${chain('s', 'f', 'a', 'j', 'c')}${chain('f', 'b', 'j')}`,
    );

    expect(await told(xml)).toEqual(['INCLUSIVE_JOIN_UNSUPPORTED j']);
  });

  it('an error that nothing catches', async () => {
    const end = '<endEvent id="x"><errorEventDefinition errorRef="e"/></endEvent>';
    const inner = `<subProcess id="sub"><startEvent id="i"/>${end}${chain('i', 'x')}</subProcess>`;
    const beside = '<error id="e" errorCode="E1"/>';
    const caught = `<boundaryEvent id="b" attachedToRef="sub"><errorEventDefinition/></boundaryEvent>${userTask('u')}${flow('b', 'u')}`;

    expect(await told(around('x', end, beside))).toEqual(['ERROR_NOT_CAUGHT x']);
    expect(await told(around('sub', inner, beside))).toEqual(['ERROR_NOT_CAUGHT x']);
    expect(await told(around('sub', inner + caught, beside))).toEqual(['accepted']);
  });

  it('an element of another namespace that is called like one of BPMN', async () => {
    const xml = around('x', '<z:userTask xmlns:z="urn:x" id="x"/>');

    expect(await told(xml)).toEqual(['ELEMENT_UNSUPPORTED x']);
  });
});

describe('what is not checked', () => {
  it('never reaches the engine: other processes, and messages to them', async () => {
    const other =
      '<process id="other" isExecutable="false"><scriptTask id="evil" scriptFormat="js"><script>1</script></scriptTask></process>';
    const meeting =
      '<collaboration id="c"><participant id="p1" processRef="order"/><participant id="p2" processRef="other"/><messageFlow id="m" sourceRef="u" targetRef="evil"/></collaboration>';
    const xml = around('u', userTask('u'), other + meeting);

    const { model } = await compileProcess(xml);

    expect(model?.context).not.toContain('evil');
    expect((await Played.start(xml)).go('u').result.hasEnded).toBe(true);
  });
});

describe('names of elements of a collection', () => {
  it.each(['executionId', 'id', 'index', 'isMultiInstance', 'parent', 'message'])(
    'may be those that the engine uses itself: %s',
    async (name) => {
      const task = `<userTask id="u" flowable:assignee="\${${name}}"><multiInstanceLoopCharacteristics flowable:collection="\${all}" flowable:elementVariable="${name}"/></userTask>`;
      const played = await Played.start(around('u', task), { all: ['ann', 'bob'] });

      const assignees = [...played.result.tasks.values()].map(({ assignee }) => assignee);

      expect(assignees).toEqual(['ann', 'bob']);
      expect(played.go('u').go('u').result.hasEnded).toBe(true);
    },
  );
});

describe('ways that never wait', () => {
  it.each([
    ['through a gateway', `<exclusiveGateway id="g"/><task id="t"/>${chain('s', 't', 'g', 't')}`],
    [
      'that grow',
      `<task id="t"/><task id="u"/><task id="v"/>${chain('s', 't', 'u', 't')}${chain('t', 'v', 't')}`,
    ],
    [
      'through a sub-process',
      `<subProcess id="p"><startEvent id="i"/></subProcess>${chain('s', 'p', 'p')}`,
    ],
    [
      'of an expression',
      `<serviceTask id="t" flowable:expression="\${1}"/>${chain('s', 't', 't')}`,
    ],
  ])('are ended: %s', async (_, body) => {
    const started = Played.start(bpmnXml(`<startEvent id="s"/>${body}`));

    await expect(started).rejects.toMatchObject({ code: 'ENGINE_LOOP' });
  });
});
