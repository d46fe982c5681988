import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import { type Layout, lineKey } from '../layout/layout.ts';
import {
  type Bordered,
  type Box,
  type CaseModel,
  caseAsBordered,
  linksOf,
  type Point,
} from '../model.ts';
import { criterionAt, shapeBoxOf } from './shapes.ts';

/** Most lines of a drawing: more only hide it. */
const MOST_LINES = 2_000;

/** The criteria on the borders of items, and the lines to them from what they wait for. */
export function drawLinks(
  model: CaseModel,
  layout: Layout,
  draw: PageTools['drawn'],
): PageElement[] {
  const bordered: readonly Bordered[] = [...layout.items, caseAsBordered(model)];
  const shapes = new Map(
    bordered.flatMap((item) => {
      const box = layout.boxes.get(item.id);
      return box ? [[item.id, shapeBoxOf(item, box)] as const] : [];
    }),
  );
  const places = new Map(
    bordered.flatMap((item) => placesOf(item, shapes.get(item.id), layout.places)),
  );
  const lines = linksOf(model)
    .slice(0, MOST_LINES)
    .flatMap(({ sourceId, criterionId, event }) => {
      const [source, target] = [shapes.get(sourceId), places.get(criterionId)];
      if (!source || !target) return [];
      const drawn = layout.lines?.get(lineKey(sourceId, criterionId));
      const line = draw('path', {
        class: 'link',
        d: drawn ? through(drawn) : curve(source, target),
      });
      line.append(draw('title', {}, event));
      return [line];
    });
  const diamonds = [...places.values()].map(({ at, kind }) => criterionAt(at, kind, draw));
  return [...lines, ...diamonds];
}

/** The way out of a box. */
type Side = readonly [across: -1 | 0 | 1, down: -1 | 0 | 1];

interface Place {
  readonly at: Point;
  readonly kind: 'entry' | 'exit';
  /** The border that it is on. */
  readonly side: Side;
  /** Whose border it is. */
  readonly box: Box;
}

/** As the document draws them; else entry criteria at the left, exit criteria at the lower border. */
function placesOf(
  { entryCriteria: entry, exitCriteria: exit }: Bordered,
  box: Box | undefined,
  drawn: Layout['places'],
): (readonly [string, Place])[] {
  if (!box) return [];
  const { x, y, width, height } = box;
  const placed = (kind: Place['kind'], at: Point): Place => ({
    ...{ at, kind, box },
    side: sideOf(box, at),
  });
  return [
    ...entry.map(({ id }, index) => {
      const own = { x, y: y + (height * (index + 1)) / (entry.length + 1) };
      return [id, placed('entry', drawn?.get(id) ?? own)] as const;
    }),
    ...exit.map(({ id }, index) => {
      const own = { x: x + (width * (index + 1)) / (exit.length + 1), y: y + height };
      return [id, placed('exit', drawn?.get(id) ?? own)] as const;
    }),
  ];
}

/** The border that a point is nearest to. */
function sideOf({ x, y, width, height }: Box, at: Point): Side {
  const sides: readonly (readonly [number, Side])[] = [
    [at.x - x, [-1, 0]],
    [x + width - at.x, [1, 0]],
    [at.y - y, [0, -1]],
    [y + height - at.y, [0, 1]],
  ];
  return sides.reduce((best, each) => (Math.abs(each[0]) < Math.abs(best[0]) ? each : best))[1];
}

const round = (value: number): number => Math.round(value);

const through = (points: readonly Point[]): string =>
  `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')}`;

const contains = (outer: Box, { x, y, width, height }: Box): boolean =>
  x >= outer.x &&
  y >= outer.y &&
  x + width <= outer.x + outer.width &&
  y + height <= outer.y + outer.height;

/** A curve that leaves its source on the side of the criterion, and comes to that from where its source is: outside of the border or inside. */
function curve(source: Box, { at: { x, y }, side: [across, down], box }: Place): string {
  const out = x < source.x ? -1 : 1;
  const from = {
    x: source.x + (out > 0 ? source.width : 0),
    y: source.y + source.height / 2,
  };
  const far = Math.max(Math.abs(x - from.x), Math.abs(y - from.y));
  const bend = Math.min(160, Math.max(24, far / 2));
  const outwards = contains(box, source) ? -1 : 1;
  const before = { x: x + outwards * across * bend, y: y + outwards * down * bend };
  const points = [{ x: from.x + out * bend, y: from.y }, before, { x, y }];
  const rest = points.map((point) => `${round(point.x)} ${round(point.y)}`).join(' ');
  return `M${round(from.x)} ${round(from.y)}C${rest}`;
}
