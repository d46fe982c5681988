import type { ModdleElement } from 'cmmn-moddle';
import type { PlanItem } from '../model/plan-item.ts';
import {
  type Criterion,
  EXIT_EVENT_TYPES,
  EXIT_TYPES,
  type ExitEventType,
  type ExitType,
} from '../model/sentry.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import { readItemControl } from './read-item-control.ts';
import { refuseListeners } from './read-lifecycle-listeners.ts';

/** Reads a plan item, or a discretionary item as far as the two are alike (CMMN 1.1, 5.4). */
export function readPlanItem(element: ModdleElement, reader: ElementReader): PlanItem {
  const definitionRef = reader.reference(element, 'definitionRef');
  if (!definitionRef) {
    const message = 'The plan item does not say which definition it places.';
    reader.problem('PLAN_ITEM_DEFINITION_REF_MISSING', message, element);
  }
  refuseListeners(element, reader);
  const id = reader.idOf(element, `${definitionRef ?? 'planItem'}-item`);
  const control = elementIn(element, 'itemControl');
  return {
    id,
    name: reader.attribute(element, 'name'),
    definitionRef: definitionRef ?? '',
    itemControl: control && readItemControl(control, reader, element),
    entryCriteria: readCriteria(element, 'entryCriteria', id, reader),
    exitCriteria: readCriteria(element, 'exitCriteria', id, reader),
  };
}

/** Reads entry or exit criteria (CMMN 1.1, 5.4). */
export function readCriteria(
  element: ModdleElement,
  property: 'entryCriteria' | 'exitCriteria',
  ownerId: string,
  reader: ElementReader,
): Criterion[] {
  return elementsIn(element, property).map((criterion, index) => {
    const sentryRef = reader.reference(criterion, 'sentryRef');
    if (!sentryRef) {
      const message = `A criterion of "${ownerId}" names no sentry.`;
      reader.problem('CRITERION_SENTRY_REF_MISSING', message, criterion.id ? criterion : element);
    }
    return {
      id: reader.idOf(criterion, `${ownerId}-${property}${index + 1}`),
      name: reader.attribute(criterion, 'name'),
      sentryRef: sentryRef ?? '',
      exitType: readExitType(criterion, reader),
      exitEventType: readExitEventType(criterion, reader),
    };
  });
}

function readExitType(element: ModdleElement, reader: ElementReader): ExitType | undefined {
  const text = reader.attribute(element, 'exitType');
  if (text === undefined) return undefined;
  const known = EXIT_TYPES.find((type) => type === text);
  if (!known) reader.problem('EXIT_TYPE_UNKNOWN', `The exit type "${text}" is not known.`, element);
  return known;
}

function readExitEventType(
  element: ModdleElement,
  reader: ElementReader,
): ExitEventType | undefined {
  const text = reader.attribute(element, 'exitEventType');
  if (text === undefined) return undefined;
  const known = EXIT_EVENT_TYPES.find((type) => type === text);
  if (!known) {
    reader.problem(
      'EXIT_EVENT_TYPE_UNKNOWN',
      `The exit event type "${text}" is not known.`,
      element,
    );
  }
  return known;
}
