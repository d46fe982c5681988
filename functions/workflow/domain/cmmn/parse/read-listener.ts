import type { ModdleElement } from 'cmmn-moddle';
import { fitsKey, MAX_KEY_BYTES } from '../basics/key-text.ts';
import { constantText } from '../expression/expression.ts';
import {
  type EventListener,
  VARIABLE_CHANGE_TYPES,
  type VariableChangeType,
} from '../model/event-listener.ts';
import type { PlanItemOnPart } from '../model/sentry.ts';
import { type ElementReader, elementIn } from './element-reader.ts';
import type { DefinitionBasics } from './read-basics.ts';
import { readReactivationRule } from './read-item-control.ts';
import { readStandardEvent } from './read-sentry.ts';

/** Listener types of Flowable that have no counterpart here. */
const UNSUPPORTED_TYPES = ['intent', 'event', 'eventRegistry', 'sendEvent', 'casePageEvent'];

interface ListenerBasics extends DefinitionBasics {
  readonly availableCondition: EventListener['availableCondition'];
}

/** Reads an event listener (CMMN 1.1, 5.4) of the standard or, by its event type, of Flowable. */
export function readListener(
  element: ModdleElement,
  definition: DefinitionBasics,
  reader: ElementReader,
): EventListener {
  const basics: ListenerBasics = {
    ...definition,
    availableCondition: reader.expressionAttribute(element, 'availableCondition'),
  };
  if (element.$type === 'cmmn:TimerEventListener') return readTimer(element, basics, reader);
  if (element.$type === 'cmmn:UserEventListener') {
    const roles = reader.references(element, 'authorizedRoleRefs');
    const authorizedRoleRefs = roles.length > 0 ? roles : undefined;
    return { type: 'userEventListener', ...basics, authorizedRoleRefs };
  }
  const eventType = reader.attribute(element, 'eventType');
  switch (eventType) {
    case 'signal':
      return readSignal(element, basics, reader);
    case 'variable':
      return readVariable(element, basics, reader);
    case 'reactivate':
      return {
        type: 'reactivateEventListener',
        ...basics,
        defaultReactivationRule: readReactivationRule(element, 'defaultReactivationRule', reader),
      };
    default:
      return readGeneric(element, eventType, basics, reader);
  }
}

function readGeneric(
  element: ModdleElement,
  eventType: string | undefined,
  basics: ListenerBasics,
  reader: ElementReader,
): EventListener {
  const isFromRegistry = reader.extensions(element, 'eventType').length > 0;
  if (isFromRegistry || UNSUPPORTED_TYPES.includes(eventType ?? '')) {
    const what = isFromRegistry ? 'an event of an event registry' : `the event type "${eventType}"`;
    reader.problem('EVENT_TYPE_UNSUPPORTED', `Listeners for ${what} are not supported.`, element);
  } else if (eventType && eventType !== 'generic' && eventType !== 'user') {
    const message = `The event type "${eventType}" is not known: treated as a generic listener.`;
    reader.problem('EVENT_TYPE_UNKNOWN', message, element);
  }
  return { type: 'eventListener', ...basics };
}

/** Timer event listener (CMMN 1.1, 5.4). */
function readTimer(
  element: ModdleElement,
  basics: ListenerBasics,
  reader: ElementReader,
): EventListener {
  const timerExpression = reader.expressionElement(elementIn(element, 'timerExpression'), element);
  if (!timerExpression) {
    reader.problem('TIMER_EXPRESSION_MISSING', 'The timer has no expression.', element);
  }
  return {
    type: 'timerEventListener',
    ...basics,
    timerExpression: timerExpression ?? reader.expression(''),
    startTrigger: readStartTrigger(element, basics.id, reader),
  };
}

function readStartTrigger(
  element: ModdleElement,
  id: string,
  reader: ElementReader,
): PlanItemOnPart | undefined {
  const trigger = elementIn(element, 'timerStart');
  if (!trigger) return undefined;
  const sourceRef = reader.reference(trigger, 'sourceRef');
  const event = (trigger.standardEvent as string | undefined)?.trim();
  const isPlanItem = trigger.$type === 'cmmn:PlanItemStartTrigger';
  const standardEvent = event && isPlanItem ? readStandardEvent(event, element, reader) : undefined;
  if (!sourceRef || !standardEvent) {
    const message = 'The start trigger must name a plan item and one of its events.';
    reader.problem('TIMER_START_TRIGGER_UNRESOLVED', message, element);
    return undefined;
  }
  return { kind: 'planItem', id: reader.idOf(trigger, `${id}-start`), sourceRef, standardEvent };
}

function readSignal(
  element: ModdleElement,
  basics: ListenerBasics,
  reader: ElementReader,
): EventListener {
  const signalRef = reader.expressionAttribute(element, 'signalRef');
  if (!signalRef) reader.problem('SIGNAL_REF_MISSING', 'The listener names no signal.', element);
  else if (!fitsKey(constantText(signalRef) ?? '')) {
    const message = `The name of a signal has at most ${MAX_KEY_BYTES} bytes.`;
    reader.problem('SIGNAL_REF_TOO_LONG', message, element);
  }
  return { type: 'signalEventListener', ...basics, signalRef: signalRef ?? reader.expression('') };
}

function readVariable(
  element: ModdleElement,
  basics: ListenerBasics,
  reader: ElementReader,
): EventListener {
  const variableName = reader.attribute(element, 'variableName');
  if (!variableName) {
    reader.problem('VARIABLE_NAME_MISSING', 'The listener names no variable.', element);
  }
  return {
    type: 'variableEventListener',
    ...basics,
    variableName: variableName ?? '',
    variableChangeType: readChangeType(element, reader),
  };
}

function readChangeType(element: ModdleElement, reader: ElementReader): VariableChangeType {
  const text = reader.attribute(element, 'variableChangeType') ?? 'all';
  const known = VARIABLE_CHANGE_TYPES.find((type) => type === text);
  if (!known) {
    reader.problem('VARIABLE_CHANGE_TYPE_UNKNOWN', `The change "${text}" is not known.`, element);
  }
  return known ?? 'all';
}
