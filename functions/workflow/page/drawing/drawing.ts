import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import { drawnLayout } from '../layout/drawn-layout.ts';
import { layOut } from '../layout/layout.ts';
import type { CaseModel, ItemProgress, ModelItem } from '../model.ts';
import { describeItem, stateOf } from '../states.ts';
import { drawLinks } from './links.ts';
import { markOf, nameOf, outlineOf } from './shapes.ts';

/** A drawing of a case that shows how far it has come. */
export interface Drawing {
  readonly element: PageElement;
  readonly width: number;
  readonly height: number;
  /** Colours the plan items by what has become of them. */
  update(progress: ReadonlyMap<string, ItemProgress>): void;
}

interface DrawnItem {
  readonly item: ModelItem;
  readonly group: PageElement;
  readonly mark: PageElement;
}

const MARGIN = 16;

/** @param choose called with the plan item that was clicked or focused */
export function drawCase(
  model: CaseModel,
  page: Pick<PageTools, 'drawn'>,
  choose: (item: ModelItem) => void,
): Drawing {
  const draw = page.drawn;
  const layout = drawnLayout(model) ?? layOut(model);
  const whole = layout.boxes.get(model.planModelId) ?? { x: 0, y: 0, width: 300, height: 200 };
  const [width, height] = [whole.width + 2 * MARGIN, whole.height + 2 * MARGIN];
  const svg = draw('svg', {
    role: 'group',
    'aria-label': `Diagram of ${model.name ?? model.caseDefinitionKey}`,
    viewBox: `${whole.x - MARGIN} ${whole.y - MARGIN} ${width} ${height}`,
  });
  const drawn = layout.items.flatMap((item): DrawnItem[] => {
    const box = layout.boxes.get(item.id);
    if (!box) return [];
    const group = draw('g', { role: 'button', tabindex: '-1' });
    const mark = markOf(item, '', box, draw);
    group.append(...outlineOf(item, box, draw), nameOf(item, item.name, box, draw), mark);
    return [{ item, group, mark }];
  });
  const plan = draw('g', { class: 'plan' });
  const name = nameOf({ type: 'stage' }, model.name ?? model.caseDefinitionKey, whole, draw);
  plan.append(draw('rect', { ...numbers(whole), rx: '4' }), name);
  svg.append(plan, ...drawn.map(({ group }) => group), ...drawLinks(model, layout, draw));
  letChoose(drawn, choose);
  return { element: svg, width, height, update: (progress) => colour(drawn, progress) };
}

const numbers = (box: object): Record<string, string> =>
  Object.fromEntries(Object.entries(box).map(([name, value]) => [name, String(value)]));

function colour(drawn: readonly DrawnItem[], progress: ReadonlyMap<string, ItemProgress>): void {
  for (const { item, group, mark } of drawn) {
    const found = progress.get(item.id);
    const { className, sign } = stateOf(found);
    const more = item.isDiscretionary ? ' discretionary' : '';
    group.setAttribute('class', `item ${className}${more}`);
    group.setAttribute('data-item', item.id);
    group.setAttribute('aria-label', describeItem(item, found));
    mark.textContent = sign;
  }
}

/** One stop of the tab key; arrows lead from item to item in the order of the model. */
function letChoose(drawn: readonly DrawnItem[], choose: (item: ModelItem) => void): void {
  let current = 0;
  const moveTo = (index: number): void => {
    drawn[current]?.group.setAttribute('tabindex', '-1');
    current = Math.max(0, Math.min(index, drawn.length - 1));
    drawn[current]?.group.setAttribute('tabindex', '0');
  };
  moveTo(0);
  for (const [index, { item, group }] of drawn.entries()) {
    const steps: Readonly<Record<string, () => number>> = {
      ArrowRight: () => index + 1,
      ArrowDown: () => index + 1,
      ArrowLeft: () => index - 1,
      ArrowUp: () => index - 1,
      Home: () => 0,
      End: () => drawn.length - 1,
    };
    group.addEventListener('click', () => {
      moveTo(index);
      choose(item);
    });
    group.addEventListener('keydown', (event) => {
      const { key = '' } = event;
      if (key === 'Enter' || key === ' ') choose(item);
      else if (Object.hasOwn(steps, key)) {
        moveTo(steps[key]?.() ?? index);
        drawn[current]?.group.focus();
      } else return;
      event.preventDefault();
    });
  }
}
