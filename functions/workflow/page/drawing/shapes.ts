import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import { type Box, kindOf, type ModelItem } from '../model.ts';
import { linesOf } from './lines.ts';

type Draw = PageTools['drawn'];

const text = (value: number): string => String(Math.round(value * 10) / 10);
const boxOf = ({ x, y, width, height }: Box) => ({
  x: text(x),
  y: text(y),
  width: text(width),
  height: text(height),
});
const LINE = 15;
const CHARACTER = 6.6;
/** A stage has its corners cut (CMMN 1.1, 6.7). */
const CORNER = 14;

/** The outline of a plan item (CMMN 1.1, 6). */
export function outlineOf(item: Pick<ModelItem, 'type'>, box: Box, draw: Draw): PageElement[] {
  const { x, y, width, height } = box;
  switch (kindOf(item.type)) {
    case 'stage': {
      const cut = Math.min(CORNER, width / 3, height / 3);
      const points = [
        ...[
          [x + cut, y],
          [x + width - cut, y],
          [x + width, y + cut],
        ],
        ...[
          [x + width, y + height - cut],
          [x + width - cut, y + height],
        ],
        ...[
          [x + cut, y + height],
          [x, y + height - cut],
          [x, y + cut],
        ],
      ];
      return [
        draw('polygon', {
          points: points.map((pair) => pair.map(Number).map(text).join()).join(' '),
        }),
      ];
    }
    case 'milestone':
      return [draw('rect', { ...boxOf(box), rx: text(height / 2) })];
    case 'listener': {
      const { cx, cy, radius } = circleOf(box);
      const at = { cx: text(cx), cy: text(cy) };
      return [
        draw('circle', { ...at, r: text(radius) }),
        draw('circle', { ...at, r: text(radius - 4) }),
      ];
    }
    default:
      return [draw('rect', { ...boxOf(box), rx: '8' })];
  }
}

function circleOf({ x, y, width, height }: Box) {
  // A drawing of the document has circles as large as their boxes; ours leave room for the name.
  const isRound = Math.abs(width - height) < 4;
  const radius = isRound ? width / 2 : Math.min(width, height) / 4;
  return { cx: x + width / 2, cy: isRound ? y + height / 2 : y + radius + 1, radius };
}

/** Space of an item without its name: for a listener its circle. */
export function shapeBoxOf({ type }: Pick<ModelItem, 'type'>, box: Box): Box {
  if (kindOf(type) !== 'listener') return box;
  const { cx, cy, radius } = circleOf(box);
  return { x: cx - radius, y: cy - radius, width: 2 * radius, height: 2 * radius };
}

/** The name of a plan item, in as many lines as there is room for. */
export function nameOf(
  item: Pick<ModelItem, 'type'>,
  name: string,
  box: Box,
  draw: Draw,
): PageElement {
  const kind = kindOf(item.type);
  const room = { width: box.width - 12, lines: Math.max(1, Math.floor((box.height - 22) / LINE)) };
  if (kind === 'stage') {
    const lines = linesOf(name, Math.floor((box.width - 40) / CHARACTER), 1);
    return textAt(lines, box.x + 16, box.y + 22, draw, 'start');
  }
  if (kind === 'listener') {
    const { cx, cy, radius } = circleOf(box);
    const width = Math.max(box.width, 100);
    const lines = linesOf(name, Math.floor(width / CHARACTER), 2);
    return textAt(lines, cx, cy + radius + LINE, draw, 'middle');
  }
  const lines = linesOf(name, Math.floor(room.width / CHARACTER), Math.min(room.lines, 3));
  const middle = box.y + box.height / 2 + (kind === 'task' ? 10 : 4);
  const top = middle - ((lines.length - 1) * LINE) / 2;
  return textAt(lines, box.x + box.width / 2, top, draw, 'middle');
}

function textAt(
  lines: readonly string[],
  x: number,
  y: number,
  draw: Draw,
  anchor: 'start' | 'middle',
): PageElement {
  const made = draw('text', { 'text-anchor': anchor, 'aria-hidden': 'true' });
  made.append(
    ...lines.map((line, at) => draw('tspan', { x: text(x), y: text(y + at * LINE) }, line)),
  );
  return made;
}

/** The mark of a state in a corner: colour alone is not accessible. */
export function markOf(
  item: Pick<ModelItem, 'type'>,
  mark: string,
  box: Box,
  draw: Draw,
): PageElement {
  const isListener = kindOf(item.type) === 'listener';
  const { cx, cy } = circleOf(box);
  const at = isListener
    ? { x: text(cx), y: text(cy + 5), 'text-anchor': 'middle' }
    : { x: text(box.x + box.width - 10), y: text(box.y + 17), 'text-anchor': 'end' };
  return draw('text', { ...at, class: 'mark', 'aria-hidden': 'true' }, mark);
}

const DIAMOND = 7;

/** A criterion on the border of its item: entry ones are hollow. */
export function criterionAt(
  { x, y }: { readonly x: number; readonly y: number },
  kind: 'entry' | 'exit',
  draw: Draw,
): PageElement {
  const points = [
    [x, y - DIAMOND],
    [x + DIAMOND, y],
    [x, y + DIAMOND],
    [x - DIAMOND, y],
  ];
  return draw('polygon', {
    class: `criterion ${kind}`,
    points: points.map((pair) => pair.map(Number).map(text).join()).join(' '),
  });
}
