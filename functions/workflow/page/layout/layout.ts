import {
  type Box,
  type CaseModel,
  kindOf,
  linksOf,
  type ModelItem,
  type Point,
  type ShapeKind,
} from '../model.ts';
import { type Arrangement, arrange, type Sized } from './arrange.ts';
import { type ItemTree, treeOf } from './tree.ts';

/** Where the plan items of a case are drawn. */
export interface Layout {
  /** Of each plan item that is drawn, and of the case itself by the id of its plan model. */
  readonly boxes: ReadonlyMap<string, Box>;
  /** The plan items that are drawn, stages before what is in them. */
  readonly items: readonly ModelItem[];
  /** Where the drawing of a document has criteria. */
  readonly places?: ReadonlyMap<string, Point>;
  /** Lines that it has, by `lineKey`. */
  readonly lines?: ReadonlyMap<string, readonly Point[]>;
}

/** A line from a plan item to a criterion. */
export const lineKey = (sourceId: string, criterionId: string): string =>
  JSON.stringify([sourceId, criterionId]);

const SIZES: Readonly<Record<Exclude<ShapeKind, 'stage'>, readonly [number, number]>> = {
  task: [140, 76],
  milestone: [140, 44],
  listener: [104, 84],
};
const PADDING = 28;
/** Of a stage: for its name. */
const HEADER = 40;
const EMPTY = { width: 140, height: 40 };

/** The layout library takes longer than in proportion: what is larger comes in rows. */
const MOST_RANKED = 120;
/** Items and links of all stages of a case together. */
const MOST_IN_ALL = 600;

/** Places the plan items of a model without drawing, in bounded time whatever the model. */
export function layOut(model: CaseModel): Layout {
  const tree = treeOf(model.planItems);
  const links = linksByContainer(model, tree);
  const sizes = new Map<string, Sized>();
  const inside = new Map<string | undefined, Arrangement>();
  let budget = MOST_IN_ALL;
  for (const container of tree.containers) {
    const children = tree.childrenOf.get(container) ?? [];
    const things = children.map((item) => sizes.get(item.id) ?? sizeOf(item));
    const pairs = links.get(container) ?? [];
    const count = new Set(pairs.flat()).size;
    const isRanked = count <= MOST_RANKED && count + pairs.length <= budget;
    if (isRanked) budget -= count + pairs.length;
    const arranged = arrange(things, pairs, isRanked);
    inside.set(container, arranged);
    if (container !== undefined) sizes.set(container, { id: container, ...around(arranged) });
  }
  return { boxes: placed(model.planModelId, tree, inside), items: model.planItems };
}

const around = ({ width, height }: Pick<Arrangement, 'width' | 'height'>) => ({
  width: Math.max(width, EMPTY.width) + 2 * PADDING,
  height: Math.max(height, EMPTY.height) + 2 * PADDING + HEADER,
});

function sizeOf({ id, type }: ModelItem): Sized {
  const kind = kindOf(type);
  if (kind === 'stage') return { id, ...around({ width: 0, height: 0 }) };
  const [width, height] = SIZES[kind];
  return { id, width, height };
}

/** Links between the direct children of one container: those between what is deeper stand for their stages. */
function linksByContainer(model: CaseModel, tree: ItemTree) {
  const found = new Map<string | undefined, Map<string, readonly [string, string]>>();
  for (const { sourceId, targetId } of linksOf(model)) {
    if (targetId === model.planModelId) continue;
    const [source, target] = [[...tree.pathOf(sourceId)], [...tree.pathOf(targetId)]];
    let container: string | undefined;
    while (source.length > 1 && target.length > 1 && source.at(-1) === target.at(-1)) {
      container = source.pop();
      target.pop();
    }
    const [from = '', to = ''] = [source.at(-1), target.at(-1)];
    if (from === to) continue;
    const pairs = found.get(container) ?? new Map();
    found.set(container, pairs.set(JSON.stringify([from, to]), [from, to]));
  }
  return new Map([...found].map(([container, pairs]) => [container, [...pairs.values()]]));
}

function placed(
  planModelId: string,
  tree: ItemTree,
  inside: ReadonlyMap<string | undefined, Arrangement>,
): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>();
  const whole = around(inside.get(undefined) ?? EMPTY);
  boxes.set(planModelId, { x: 0, y: 0, ...whole });
  // Containers from the outside in.
  for (const container of tree.containers.toReversed()) {
    const { x, y } = boxes.get(container ?? planModelId) ?? { x: 0, y: 0 };
    for (const [id, box] of inside.get(container)?.boxes ?? []) {
      boxes.set(id, { ...box, x: x + PADDING + box.x, y: y + PADDING + HEADER + box.y });
    }
  }
  return boxes;
}
