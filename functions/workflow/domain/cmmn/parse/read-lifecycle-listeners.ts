import type { ModdleElement } from 'cmmn-moddle';
import type { LifecycleListener } from '../model/definition.ts';
import type { PlanItemState } from '../model/transition.ts';
import { type ElementReader, tagOf } from './element-reader.ts';

/** Extension elements that run something of the host; only expressions are understood. */
const UNSUPPORTED = [
  'taskListener',
  'caseExecutionListener',
  'caseLifecycleListener',
  'variableListener',
];

const SUPPORTED = 'planItemLifecycleListener';

/** Refuses listeners where none can be: on a case, and on a plan item, whose definition has them. */
export function refuseListeners(
  element: ModdleElement,
  reader: ElementReader,
  names: readonly string[] = [...UNSUPPORTED, SUPPORTED],
): void {
  for (const name of names) {
    for (const listener of reader.extensions(element, name)) {
      const message = `A ${tagOf(listener)} is not supported here.`;
      reader.problem('LISTENER_UNSUPPORTED', message, element);
    }
  }
}

/** Reads the lifecycle listeners of a definition (extension of Flowable). */
export function readLifecycleListeners(
  element: ModdleElement,
  reader: ElementReader,
): LifecycleListener[] {
  refuseListeners(element, reader, UNSUPPORTED);
  return reader.extensions(element, SUPPORTED).flatMap((listener) => {
    const expression = reader.expressionAttribute(listener, 'expression');
    if (!expression) {
      const message =
        'A lifecycle listener needs an expression; class and delegate do not work here.';
      reader.problem('LISTENER_UNSUPPORTED', message, element);
      return [];
    }
    return {
      expression,
      sourceState: reader.attribute(listener, 'sourceState') as PlanItemState | undefined,
      targetState: reader.attribute(listener, 'targetState') as PlanItemState | undefined,
    };
  });
}
