import type { ModdleElement } from 'cmmn-moddle';
import type { Expression } from '../expression/expression.ts';
import type { Stage } from '../model/plan-item-definition.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';
import { readItemControl } from './read-item-control.ts';
import { readLifecycleListeners } from './read-lifecycle-listeners.ts';

/** What every definition has (CMMN 1.1, 5.4). */
export function readBasics(
  element: ModdleElement,
  id: string,
  reader: ElementReader,
): Pick<Stage, 'id' | 'name' | 'documentation' | 'defaultControl' | 'lifecycleListeners'> {
  const control = elementIn(element, 'defaultControl');
  const listeners = readLifecycleListeners(element, reader);
  const documentation = elementsIn(element, 'documentation')
    .map(({ text }) => text)
    .filter(Boolean)
    .join('\n');
  return {
    id,
    name: reader.attribute(element, 'name'),
    documentation: documentation || undefined,
    defaultControl: control && readItemControl(control, reader),
    lifecycleListeners: listeners.length > 0 ? listeners : undefined,
  };
}

/** Handed to the readers of the single definitions. */
export type DefinitionBasics = ReturnType<typeof readBasics>;

/** Place in the stage overview (extension of Flowable). */
export function readOverview(
  element: ModdleElement,
  reader: ElementReader,
): { includeInStageOverview?: boolean; displayOrder?: number } {
  const order = Number(reader.attribute(element, 'displayOrder'));
  return {
    includeInStageOverview: reader.flag(element, 'includeInStageOverview'),
    displayOrder: Number.isInteger(order) ? order : undefined,
  };
}

/** The same for tasks, with whether they block (CMMN 1.1, 5.4). */
export interface TaskBasics extends DefinitionBasics {
  readonly isBlocking: boolean;
  readonly isBlockingExpression?: Expression;
}
