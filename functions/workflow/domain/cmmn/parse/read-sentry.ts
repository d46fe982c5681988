import type { ModdleElement } from 'cmmn-moddle';
import type { OnPart, Sentry, TriggerMode } from '../model/sentry.ts';
import {
  CASE_FILE_ITEM_TRANSITIONS,
  type CaseFileItemTransition,
  PLAN_ITEM_TRANSITIONS,
  type PlanItemTransition,
} from '../model/transition.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';

/** Names of the case file items by id. */
export type CaseFile = ReadonlyMap<string, string>;

/** Names that the engine never fires under, and the transition that is fired instead. */
const ALIASES: Readonly<Record<string, PlanItemTransition>> = {
  manualStart: 'start',
  reenable: 'enable',
};

/** Reads a sentry (CMMN 1.1, 5.4). */
export function readSentry(
  element: ModdleElement,
  reader: ElementReader,
  caseFile: CaseFile,
): Sentry {
  const id = reader.idOf(element, 'sentry');
  const ifPart = elementIn(element, 'ifPart');
  const onParts = elementsIn(element, 'onParts');
  const condition = ifPart && reader.expressionElement(elementIn(ifPart, 'condition'), element);
  if (ifPart && !condition)
    reader.problem('IF_PART_EMPTY', 'The if-part has no condition.', element);
  if (reader.extensions(element, 'variableOnPart').length > 0) {
    const message = 'On-parts of variables are not supported: use a case file item or an if-part.';
    reader.problem('CASE_FILE_ON_PART_UNSUPPORTED', message, element);
  }
  if (!ifPart && onParts.length === 0) {
    reader.problem(
      'SENTRY_EMPTY',
      'The sentry has neither on-part nor if-part: it is satisfied at once.',
      element,
    );
  }
  return {
    id,
    name: reader.attribute(element, 'name'),
    triggerMode: readTriggerMode(element, reader),
    onParts: onParts.flatMap(
      (part, index) => readOnPart(part, element, `${id}-on${index + 1}`, reader, caseFile) ?? [],
    ),
    ifPart: ifPart && condition && { id: reader.idOf(ifPart, `${id}-if`), condition },
  };
}

function readTriggerMode(element: ModdleElement, reader: ElementReader): TriggerMode {
  const mode = reader.attribute(element, 'triggerMode') ?? 'default';
  if (mode === 'default' || mode === 'onEvent') return mode;
  reader.problem('TRIGGER_MODE_UNKNOWN', `The trigger mode "${mode}" is not known.`, element);
  return 'default';
}

/** Reads an on-part (CMMN 1.1, 5.4). */
function readOnPart(
  element: ModdleElement,
  sentry: ModdleElement,
  hint: string,
  reader: ElementReader,
  caseFile: CaseFile,
): OnPart | undefined {
  const id = reader.idOf(element, hint);
  const sourceRef = reader.reference(element, 'sourceRef');
  if (!sourceRef) {
    reader.problem('ON_PART_SOURCE_MISSING', 'The on-part has no source.', sentry);
    return undefined;
  }
  const event = (element.standardEvent as string | undefined)?.trim();
  if (!event) {
    reader.problem('ON_PART_EVENT_MISSING', 'The on-part has no standard event.', sentry);
    return undefined;
  }
  if (element.$type === 'cmmn:CaseFileItemOnPart') {
    return readCaseFileItemOnPart(id, sourceRef, event, sentry, reader, caseFile);
  }
  const standardEvent = readStandardEvent(event, sentry, reader);
  const exitCriterionRef = reader.reference(element, 'exitCriterionRef');
  return standardEvent && { kind: 'planItem', id, sourceRef, standardEvent, exitCriterionRef };
}

/** Reads a transition of a plan item (CMMN 1.1, 5.4). */
export function readStandardEvent(
  event: string,
  element: ModdleElement,
  reader: ElementReader,
): PlanItemTransition | undefined {
  const alias = ALIASES[event];
  if (alias) {
    reader.problem('ON_PART_EVENT_ALIAS', `"${event}" is understood as "${alias}".`, element);
    return alias;
  }
  const known = PLAN_ITEM_TRANSITIONS.find((transition) => transition === event);
  if (!known)
    reader.problem('ON_PART_EVENT_UNKNOWN', `The event "${event}" is not known.`, element);
  return known;
}

function readCaseFileItemOnPart(
  id: string,
  sourceRef: string,
  event: string,
  sentry: ModdleElement,
  reader: ElementReader,
  caseFile: CaseFile,
): OnPart | undefined {
  const variableName = caseFile.get(sourceRef);
  if (variableName === undefined) {
    const message = `The case file has no item "${sourceRef}".`;
    reader.problem('ON_PART_SOURCE_UNRESOLVED', message, sentry);
    return undefined;
  }
  const standardEvent = CASE_FILE_ITEM_TRANSITIONS.find(
    (transition): transition is CaseFileItemTransition => transition === event,
  );
  if (!standardEvent) {
    const message = `A variable has no event "${event}": the on-part can never be satisfied.`;
    reader.problem('CASE_FILE_ON_PART_UNSUPPORTED', message, sentry);
    return undefined;
  }
  return { kind: 'caseFileItem', id, sourceRef, variableName, standardEvent };
}
