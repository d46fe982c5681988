import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import { type Layout, lineKey } from '../layout/layout.ts';
import { type Box, type CaseModel, linksOf, type ModelItem, type Point } from '../model.ts';
import { criterionAt, shapeBoxOf } from './shapes.ts';

/** Most lines of a drawing: more only hide it. */
const MOST_LINES = 2_000;

/** The criteria on the borders of items, and the lines to them from what they wait for. */
export function drawLinks(
  model: CaseModel,
  layout: Layout,
  draw: PageTools['drawn'],
): PageElement[] {
  const shapes = new Map(
    layout.items.flatMap((item) => {
      const box = layout.boxes.get(item.id);
      return box ? [[item.id, shapeBoxOf(item, box)] as const] : [];
    }),
  );
  const places = new Map(
    layout.items.flatMap((item) => placesOf(item, shapes.get(item.id), layout.places)),
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

interface Place {
  readonly at: Point;
  readonly kind: 'entry' | 'exit';
}

/** As the document draws them; else entry criteria at the left, exit criteria at the lower border. */
function placesOf(
  { entryCriteria: entry, exitCriteria: exit }: ModelItem,
  box: Box | undefined,
  drawn: Layout['places'],
): (readonly [string, Place])[] {
  if (!box) return [];
  const { x, y, width, height } = box;
  return [
    ...entry.map(({ id }, index) => {
      const own = { x, y: y + (height * (index + 1)) / (entry.length + 1) };
      return [id, { at: drawn?.get(id) ?? own, kind: 'entry' }] as const;
    }),
    ...exit.map(({ id }, index) => {
      const own = { x: x + (width * (index + 1)) / (exit.length + 1), y: y + height };
      return [id, { at: drawn?.get(id) ?? own, kind: 'exit' }] as const;
    }),
  ];
}

const round = (value: number): number => Math.round(value);

const through = (points: readonly Point[]): string =>
  `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')}`;

/** A curve that leaves its source to the right, and comes to an entry from the left, to an exit from below. */
function curve(source: Box, { at: { x, y }, kind }: Place): string {
  const from = { x: source.x + source.width, y: source.y + source.height / 2 };
  const bend = Math.min(160, Math.max(32, Math.abs(x - from.x) / 2));
  const before = kind === 'entry' ? { x: x - bend, y } : { x, y: y + bend };
  const points = [{ x: from.x + bend, y: from.y }, before, { x, y }];
  const rest = points.map((point) => `${round(point.x)} ${round(point.y)}`).join(' ');
  return `M${round(from.x)} ${round(from.y)}C${rest}`;
}
