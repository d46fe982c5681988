import { shown } from '../../cmmn/basics/cmmn-error.ts';
import { parseTimer } from '../../cmmn/time/timer-expression.ts';
import { childrenNamed, type XmlElement } from '../../cmmn/xml/xml-tree.ts';
import { checkExtensions, extensionOf } from './dialects.ts';
import { ATTACHABLE, REFUSED, REPEATABLE } from './elements.ts';
import type { ProcessReport } from './report.ts';
import { definitionOf, isPossible, type Scope } from './scope.ts';
import { checkService, checkVariable } from './service-rules.ts';
import { checkUserTask } from './user-task-rules.ts';

type Check = (element: XmlElement, scope: Scope, report: ProcessReport) => void;

/** Checks an element that tokens come by, without what is in it. */
export const checkActivity: Check = (element, scope, report) => {
  if (/Event$/.test(element.name)) checkEvent(element, scope, report);
  if (element.name === 'boundaryEvent') checkAttachment(element, scope, report);
  if (/Gateway$/.test(element.name)) checkGateway(element, scope, report);
  if (element.name === 'serviceTask') checkService(element, report);
  if (element.name === 'receiveTask') checkReference(element, element, scope, report);
  if (element.name === 'userTask') checkUserTask(element, scope, report);
  if (element.attributes.triggeredByEvent === 'true') {
    report.add('ELEMENT_UNSUPPORTED', 'Event sub-processes are not supported.', element);
  }
  if (element.attributes.isForCompensation === 'true') {
    report.add('ELEMENT_UNSUPPORTED', 'Compensation is not supported.', element);
  }
  for (const { name } of element.children) {
    if (name !== 'ioSpecification' && name !== 'property') continue;
    report.add('ELEMENT_UNSUPPORTED', `Its ${name} is refused: ${REFUSED[name]}.`, element);
  }
  checkExtensions(element, report);
  checkDefault(element, scope, report);
  checkLoop(element, report);
};

const checkEvent: Check = (element, scope, report) => {
  const definitions = element.children.filter(({ name }) => /ventDefinition/.test(name));
  const [definition] = definitions;
  if (definitions.length > 1) {
    report.add('EVENT_DEFINITION_UNSUPPORTED', 'An event has one definition.', element);
    return;
  }
  if (!definition) {
    if (element.name === 'boundaryEvent' || element.name === 'intermediateCatchEvent') {
      report.add('EVENT_DEFINITION_MISSING', 'The event does not say what it waits for.', element);
    }
    return;
  }
  if (!isPossible(element, definition)) {
    const message = `A ${element.name} with ${shown(definition.name)} is not supported.`;
    report.add('EVENT_DEFINITION_UNSUPPORTED', message, element);
    return;
  }
  if (definition.name === 'timerEventDefinition') checkTimer(definition, element, report);
  else if (definition.name === 'errorEventDefinition') {
    if (element.name === 'endEvent') checkError(definition, element, scope, report);
  } else if (definition.name !== 'terminateEventDefinition') {
    checkReference(definition, element, scope, report);
  }
};

/** A time that does not depend on anything is checked at once. */
function checkTimer(definition: XmlElement, event: XmlElement, report: ProcessReport): void {
  const times = definition.children.filter(({ name }) => /^time/.test(name));
  const [time] = times;
  const text = time?.text.trim() ?? '';
  if (times.length !== 1 || text === '') {
    report.add('TIMER_EXPRESSION_MISSING', 'The timer needs one duration or date.', event);
    return;
  }
  if (time?.name === 'timeCycle') {
    report.add('TIMER_CYCLE_UNSUPPORTED', 'Timers that repeat are not supported.', event);
    return;
  }
  const expression = report.expression(text, event);
  if (expression.language === 'feel' || /[$#]\{/.test(text)) return;
  const timer = parseTimer(text, 0);
  if (timer && timer.every === undefined) return;
  report.add('TIMER_EXPRESSION_INVALID', `"${shown(text)}" is no duration and no date.`, event);
}

/** The message or signal that an element is about. */
function checkReference(
  holder: XmlElement,
  element: XmlElement,
  { references }: Scope,
  report: ProcessReport,
): void {
  const kind = holder.name === 'signalEventDefinition' ? 'signal' : 'message';
  const ref = holder.attributes[`${kind}Ref`];
  const known = kind === 'signal' ? references.signals : references.messages;
  const name = ref === undefined ? undefined : known.get(ref);
  if (name) return;
  const message =
    ref === undefined
      ? `It does not say which ${kind} it is about.`
      : `There is no ${kind} "${shown(ref)}" with a name.`;
  report.add('EVENT_REF_UNRESOLVED', message, element);
}

/** An error that nothing catches would end its process as if nothing had happened. */
function checkError(
  definition: XmlElement,
  event: XmlElement,
  scope: Scope,
  report: ProcessReport,
): void {
  const ref = definition.attributes.errorRef;
  if (ref === undefined || !scope.references.errors.has(ref)) {
    report.add('EVENT_REF_UNRESOLVED', `There is no error "${shown(ref ?? '')}".`, event);
    return;
  }
  const around = scope.parent?.activities.values() ?? [];
  const catches = (candidate: XmlElement): boolean => {
    const caught = definitionOf(candidate);
    const isAttached = candidate.attributes.attachedToRef === scope.element.attributes.id;
    const own = caught?.attributes.errorRef;
    return isAttached && caught?.name === definition.name && (own === undefined || own === ref);
  };
  if ([...around].some(catches)) return;
  const message = 'No event at the sub-process around it catches the error.';
  report.add('ERROR_NOT_CAUGHT', message, event);
}

const checkAttachment: Check = (event, { activities }, report) => {
  const { attachedToRef = '' } = event.attributes;
  const host = activities.get(attachedToRef);
  if (host && ATTACHABLE.has(host.name)) return;
  const message = `It is attached to "${shown(attachedToRef)}", which is no task or sub-process beside it.`;
  report.add('ATTACHMENT_UNRESOLVED', message, event);
};

const checkGateway: Check = (gateway, { flows, activities }, report) => {
  const { id } = gateway.attributes;
  const incoming = flows.filter(({ attributes }) => attributes.targetRef === id);
  const outgoing = flows.filter(({ attributes }) => attributes.sourceRef === id);
  if (gateway.name === 'inclusiveGateway' && incoming.length > 1) {
    const message =
      'Inclusive gateways that join are not supported: join by a parallel gateway, which waits for those that were taken.';
    report.add('INCLUSIVE_JOIN_UNSUPPORTED', message, gateway);
  }
  if (outgoing.length === 0) {
    report.add('GATEWAY_WITHOUT_EXIT', 'No flow leads from the gateway.', gateway);
  }
  if (gateway.name !== 'eventBasedGateway') return;
  for (const { attributes } of outgoing) {
    const target = activities.get(attributes.targetRef ?? '');
    if (!target || ['intermediateCatchEvent', 'receiveTask'].includes(target.name)) continue;
    const message = `A ${target.name} cannot follow an event-based gateway.`;
    report.add('FLOW_NOT_POSSIBLE', message, target);
  }
};

const checkDefault: Check = (element, { flows }, report) => {
  const { default: flowId, id } = element.attributes;
  if (flowId === undefined) return;
  const flow = flows.find(({ attributes }) => attributes.id === flowId);
  if (flow?.attributes.sourceRef === id) return;
  const message = `The default flow "${shown(flowId)}" does not lead from it.`;
  report.add('DEFAULT_FLOW_UNRESOLVED', message, element);
};

function checkLoop(element: XmlElement, report: ProcessReport): void {
  const [loop, ...more] = element.children.filter(({ name }) =>
    name.endsWith('LoopCharacteristics'),
  );
  if (!loop) return;
  if (loop.name !== 'multiInstanceLoopCharacteristics' || more.length > 0) {
    report.add('LOOP_UNSUPPORTED', 'Only multi-instance characteristics are supported.', element);
    return;
  }
  if (!REPEATABLE.has(element.name)) {
    report.add('LOOP_UNSUPPORTED', `A ${element.name} cannot repeat.`, element);
  }
  const [cardinality] = childrenNamed(loop, 'loopCardinality');
  const collection = extensionOf(loop, 'collection');
  if ((cardinality === undefined) === (collection === undefined)) {
    const message = 'A multi-instance activity needs a cardinality or a collection.';
    report.add('LOOP_UNSUPPORTED', message, element);
  }
  const [condition] = childrenNamed(loop, 'completionCondition');
  for (const part of [cardinality, condition]) {
    if (part) report.expression(part.text.trim(), element);
  }
  if (collection) report.expression(collection, element);
  checkExtensions(loop, report, element);
  checkVariable(extensionOf(loop, 'elementVariable'), element, report);
}
