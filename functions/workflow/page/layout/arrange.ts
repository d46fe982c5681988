import { Graph, layout } from '@dagrejs/dagre';
import type { Box } from '../model.ts';

/** Something of a size that is to be placed. */
export interface Sized {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** Where the things of one container are, from its upper left corner. */
export interface Arrangement {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly width: number;
  readonly height: number;
}

type Pair = readonly [sourceId: string, targetId: string];

const GAP = 32;
/** Between what follows each other. */
const RANK_GAP = 64;
/** Of drawings: wider than high. */
const ASPECT = 1.6;

/** Places what follows each other from left to right, and below that what stands alone. */
export function arrange(
  things: readonly Sized[],
  links: readonly Pair[],
  ranks: boolean,
): Arrangement {
  const linked = new Set(ranks ? links.flat() : []);
  const upper = ranked(
    things.filter(({ id }) => linked.has(id)),
    links,
  );
  const alone = things.filter(({ id }) => !linked.has(id));
  const lower = inRows(alone, upper.width);
  const top = upper.boxes.size > 0 && alone.length > 0 ? upper.height + GAP : upper.height;
  const moved = [...lower.boxes].map(([id, box]) => [id, { ...box, y: box.y + top }] as const);
  return {
    boxes: new Map([...upper.boxes, ...moved]),
    width: Math.max(upper.width, lower.width),
    height: top + lower.height,
  };
}

const NOTHING: Arrangement = { boxes: new Map(), width: 0, height: 0 };

function ranked(things: readonly Sized[], links: readonly Pair[]): Arrangement {
  if (things.length === 0) return NOTHING;
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: RANK_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  // The library keeps names as members of objects: ids may be any text.
  const names = new Map(things.map(({ id }, at) => [id, `n${at}`]));
  const nameOf = (id: string): string => names.get(id) ?? '';
  for (const { id, width, height } of things) graph.setNode(nameOf(id), { width, height });
  for (const [source, target] of links) graph.setEdge(nameOf(source), nameOf(target));
  layout(graph);
  const boxes = things.map(({ id, width, height }): readonly [string, Box] => {
    const { x = 0, y = 0 } = graph.node(nameOf(id)) as { readonly x?: number; readonly y?: number };
    return [id, { x: x - width / 2, y: y - height / 2, width, height }];
  });
  return fromCorner(boxes);
}

function fromCorner(boxes: readonly (readonly [string, Box])[]): Arrangement {
  const left = Math.min(...boxes.map(([, { x }]) => x));
  const top = Math.min(...boxes.map(([, { y }]) => y));
  const moved = boxes.map(
    ([id, box]) => [id, { ...box, x: box.x - left, y: box.y - top }] as const,
  );
  return {
    boxes: new Map(moved),
    width: Math.max(...moved.map(([, { x, width }]) => x + width)),
    height: Math.max(...moved.map(([, { y, height }]) => y + height)),
  };
}

/** Rows in the order of the list, about as wide as a drawing of that area is. */
function inRows(things: readonly Sized[], atLeast: number): Arrangement {
  const area = things.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const limit = Math.max(atLeast, Math.sqrt(area * ASPECT), ...things.map(({ width }) => width));
  const boxes = new Map<string, Box>();
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  for (const { id, width, height } of things) {
    if (x > 0 && x + width > limit) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0];
    boxes.set(id, { x, y, width, height });
    right = Math.max(right, x + width);
    rowHeight = Math.max(rowHeight, height);
    x += width + GAP;
  }
  return { boxes, width: right, height: y + rowHeight };
}
