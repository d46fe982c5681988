import {
  type Box,
  type CaseModel,
  linksOf,
  type ModelDiagram,
  type ModelItem,
  type Point,
} from '../model.ts';
import { type Layout, lineKey } from './layout.ts';

/** Limit of coordinates of a shape: larger ones are errors of the document. */
const FURTHEST = 100_000;
const MOST_CORNERS = 50;

/** The layout of a drawing that shows all of the model but what is in collapsed stages; `undefined`: there is none. */
export function drawnLayout(model: CaseModel): Layout | undefined {
  for (const diagram of model.diagrams) {
    const found = layoutOf(diagram, model);
    if (found) return found;
  }
  return undefined;
}

function layoutOf(diagram: ModelDiagram, model: CaseModel): Layout | undefined {
  const shapes = new Map(diagram.shapes.map((shape) => [shape.elementId, shape]));
  const hidden = new Set<string>();
  const items: ModelItem[] = [];
  const boxes = new Map<string, Box>();
  for (const item of model.planItems) {
    const { id, parentPlanItemId: parent = '' } = item;
    const shape = shapes.get(id);
    if (hidden.has(parent) || shapes.get(parent)?.isCollapsed) hidden.add(id);
    else if (shape && isSound(shape.bounds)) {
      items.push(item);
      boxes.set(id, shape.bounds);
    } else if (!item.isDiscretionary) return undefined;
  }
  if (items.length === 0) return undefined;
  const whole = shapes.get(model.planModelId)?.bounds;
  boxes.set(model.planModelId, whole && isSound(whole) ? whole : aroundAll([...boxes.values()]));
  return { boxes, items, places: placesIn(diagram), lines: linesIn(diagram, model, boxes) };
}

const placesIn = ({ shapes }: ModelDiagram): ReadonlyMap<string, Point> =>
  new Map(
    shapes
      .filter(({ bounds }) => isSound(bounds))
      .map(({ elementId, bounds: { x, y, width, height } }) => [
        elementId,
        { x: x + width / 2, y: y + height / 2 },
      ]),
  );

function linesIn(
  { edges }: ModelDiagram,
  model: CaseModel,
  boxes: ReadonlyMap<string, Box>,
): ReadonlyMap<string, readonly Point[]> {
  const items = new Set(model.planItems.map(({ id }) => id));
  const sources = sourcesOf(model);
  return new Map(
    edges.flatMap(({ elementId, sourceId = elementId, targetId, waypoints }) => {
      const [start] = waypoints;
      const isDrawn = waypoints.length > 1 && waypoints.length <= MOST_CORNERS;
      if (!start || !isDrawn || !waypoints.every(isNear)) return [];
      if (sourceId === undefined || targetId === undefined) return [];
      // A line stands for its on-part, which the model does not name, or for the plan item that it begins at.
      const source = items.has(sourceId)
        ? sourceId
        : nearest(sources.get(targetId) ?? [], start, boxes);
      return source === undefined ? [] : [[lineKey(source, targetId), waypoints]];
    }),
  );
}

/** The plan items that each criterion waits for. */
function sourcesOf(model: CaseModel): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  for (const { criterionId, sourceId } of linksOf(model)) {
    const known = sources.get(criterionId);
    if (known) known.push(sourceId);
    else sources.set(criterionId, [sourceId]);
  }
  return sources;
}

function nearest(
  ids: readonly string[],
  point: Point,
  boxes: ReadonlyMap<string, Box>,
): string | undefined {
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const box = boxes.get(id);
    const distance = box ? distanceTo(box, point) : least;
    if (distance < least) [found, least] = [id, distance];
  }
  return found;
}

function distanceTo({ x, y, width, height }: Box, point: Point): number {
  const across = Math.max(x - point.x, 0, point.x - x - width);
  const down = Math.max(y - point.y, 0, point.y - y - height);
  return Math.hypot(across, down);
}

const isNear = ({ x, y }: Point): boolean => Math.max(Math.abs(x), Math.abs(y)) <= FURTHEST;

const isSound = ({ x, y, width, height }: Box): boolean =>
  [x, y, width, height].every((value) => Math.abs(value) <= FURTHEST) && width >= 1 && height >= 1;

function aroundAll(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x)) - 20;
  const y = Math.min(...boxes.map((box) => box.y)) - 40;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + 20;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 20;
  return { x, y, width: right - x, height: bottom - y };
}
