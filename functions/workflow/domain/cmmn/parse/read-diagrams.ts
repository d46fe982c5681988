import type { ModdleElement } from 'cmmn-moddle';
import type { Bounds, Diagram, DiagramEdge, DiagramShape } from '../model/diagram.ts';
import { type ElementReader, elementIn, elementsIn } from './element-reader.ts';

/** Reads the diagram interchange of a document (CMMN 1.1, 6.2); what has no place in a drawing is left out. */
export function readDiagrams(root: ModdleElement, reader: ElementReader): readonly Diagram[] {
  const interchange = elementIn(root, 'CMMNDI');
  if (!interchange) return [];
  return elementsIn(interchange, 'diagrams').map((diagram) => {
    const elements = elementsIn(diagram, 'diagramElements');
    return {
      id: reader.attribute(diagram, 'id'),
      name: reader.attribute(diagram, 'name'),
      shapes: elements.flatMap((element) => readShape(element, reader) ?? []),
      edges: elements.flatMap((element) => readEdge(element, reader) ?? []),
    };
  });
}

function readShape(element: ModdleElement, reader: ElementReader): DiagramShape | undefined {
  if (!element.$type.endsWith(':CMMNShape')) return undefined;
  const elementId = reader.reference(element, 'cmmnElementRef');
  const bounds = readBounds(elementIn(element, 'bounds'));
  if (elementId === undefined || !bounds) return undefined;
  const isCollapsed = reader.flag(element, 'isCollapsed');
  return { elementId, bounds, isCollapsed, label: readLabel(element) };
}

function readEdge(element: ModdleElement, reader: ElementReader): DiagramEdge | undefined {
  if (!element.$type.endsWith(':CMMNEdge')) return undefined;
  return {
    elementId: reader.reference(element, 'cmmnElementRef'),
    sourceId: reader.reference(element, 'sourceCMMNElementRef'),
    targetId: reader.reference(element, 'targetCMMNElementRef'),
    waypoints: elementsIn(element, 'waypoint').flatMap(({ x, y }) =>
      isNumber(x) && isNumber(y) ? [{ x, y }] : [],
    ),
    label: readLabel(element),
  };
}

function readLabel(element: ModdleElement): Bounds | undefined {
  const label = elementIn(element, 'label');
  return label && readBounds(elementIn(label, 'bounds'));
}

function readBounds(element: ModdleElement | undefined): Bounds | undefined {
  if (!element) return undefined;
  const { x, y, width, height } = element;
  if (!isNumber(x) || !isNumber(y) || !isNumber(width) || !isNumber(height)) return undefined;
  return { x, y, width, height };
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
