import { describe, expect, it } from 'vitest';
import { drawnLayout } from '../../../../functions/workflow/page/layout/drawn-layout.ts';
import { type Layout, layOut, lineKey } from '../../../../functions/workflow/page/layout/layout.ts';
import type { Box, ModelItem } from '../../../../functions/workflow/page/model.ts';
import { aCaseModel, anItem } from './models.ts';

const boxOf = ({ boxes }: Layout, id: string): Box => {
  const box = boxes.get(id);
  if (!box) throw new Error(`${id} has no place`);
  return box;
};

const isInside = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const meet = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** Everything has a place in its stage, and nothing lies on its neighbours. */
function expectSound(layout: Layout, items: readonly ModelItem[]): void {
  const stages = new Set(items.filter(({ type }) => type === 'stage').map(({ id }) => id));
  for (const [parent, children] of Map.groupBy(items, (item) => item.parentPlanItemId)) {
    const outer = boxOf(layout, parent !== undefined && stages.has(parent) ? parent : 'plan');
    const boxes = children.map(({ id }) => boxOf(layout, id));
    expect(boxes.filter((box) => !isInside(box, outer))).toEqual([]);
    const overlaps = boxes.filter((box, at) => boxes.slice(0, at).some((each) => meet(each, box)));
    expect(overlaps).toEqual([]);
  }
}

describe('a model without a drawing', () => {
  it('runs from left to right, and has its stages around what is in them', () => {
    const items = [
      anItem('stage', { type: 'stage' }),
      anItem('first', { parentPlanItemId: 'stage' }),
      anItem('second', { parentPlanItemId: 'stage', after: ['first'] }),
      anItem('after', { after: ['second'], type: 'milestone' }),
      anItem('alone', { type: 'timerEventListener' }),
      anItem('empty', { type: 'stage' }),
    ];

    const layout = layOut(aCaseModel(items));

    expectSound(layout, items);
    expect(boxOf(layout, 'second').x).toBeGreaterThan(boxOf(layout, 'first').x);
    // A link out of a stage is one of the stage.
    const stage = boxOf(layout, 'stage');
    expect(boxOf(layout, 'after').x).toBeGreaterThan(stage.x + stage.width);
  });

  it.each([
    ['nothing', []],
    ['itself', [anItem('a', { after: ['a'] })]],
    [
      'a circle',
      [anItem('a', { after: ['b'] }), anItem('b', { after: ['c'] }), anItem('c', { after: ['a'] })],
    ],
    ['what does not exist', [anItem('a', { after: ['b'], parentPlanItemId: 'c' })]],
    ['names of objects', [anItem('__proto__', { after: ['constructor'] }), anItem('constructor')]],
  ])('may wait for %s', (_, items) => {
    expectSound(layOut(aCaseModel(items)), items);
  });

  it('may have stages that contain each other, which stand at the top', () => {
    const items = [
      anItem('a', { type: 'stage', parentPlanItemId: 'b' }),
      anItem('b', { type: 'stage', parentPlanItemId: 'a' }),
      anItem('c', { type: 'stage', parentPlanItemId: 'c' }),
    ];

    const { boxes } = layOut(aCaseModel(items));

    expect([...boxes.keys()].sort()).toEqual(['a', 'b', 'c', 'plan']);
  });

  const MANY = 2_000;
  const ids = Array.from({ length: MANY }, (_, at) => `p${at}`);

  it.each([
    ['that stand alone', ids.map((id) => anItem(id))],
    ['in one row', ids.map((id, at) => anItem(id, { after: ids.slice(Math.max(0, at - 1), at) }))],
    ['in a circle', ids.map((id, at) => anItem(id, { after: [ids[(at + 1) % MANY] ?? ''] }))],
    ['that all wait for ten', ids.map((id) => anItem(id, { after: ids.slice(0, 10) }))],
    [
      'in forty stages with circles',
      ids.map((id, at) =>
        at % 50 === 0
          ? anItem(id, { type: 'stage' })
          : anItem(id, {
              parentPlanItemId: `p${at - (at % 50)}`,
              after: [ids[at + 1] ?? '', ids[at - 1] ?? '', ids[at - 2] ?? ''],
            }),
      ),
    ],
  ])('may have 2 000 items %s', (_, items) => {
    const { boxes } = layOut(aCaseModel(items));

    expect(boxes.size).toBe(MANY + 1);
    expect([...boxes.values()].every(({ x, y }) => Number.isFinite(x + y))).toBe(true);
  });

  it('may have stages in stages, a thousand deep', () => {
    const items = ids
      .slice(0, 1_000)
      .map((id, at) => anItem(id, { type: 'stage', parentPlanItemId: ids[at - 1] }));

    expectSound(layOut(aCaseModel(items)), items);
  });
});

describe('a model with a drawing', () => {
  const items = [
    anItem('a'),
    anItem('stage', { type: 'stage' }),
    anItem('b', { parentPlanItemId: 'stage', after: ['a'] }),
  ];
  const at = (elementId: string, x: number, more: object = {}) => ({
    ...{ elementId, bounds: { x, y: 0, width: 50, height: 40 } },
    ...more,
  });
  const drawn = (shapes: ReturnType<typeof at>[], edges: object[] = []) =>
    drawnLayout(aCaseModel(items, { diagrams: [{ shapes, edges: edges as never }] }));

  it('is drawn as the document says, with its criteria and lines', () => {
    const line = [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ];
    const layout = drawn(
      [at('plan', 0), at('a', 10), at('stage', 80), at('b', 90), at('b<a', 85)],
      [{ elementId: 'a', targetId: 'b<a', waypoints: line }],
    );

    expect(layout?.boxes.get('a')).toEqual({ x: 10, y: 0, width: 50, height: 40 });
    expect(layout?.places?.get('b<a')).toEqual({ x: 110, y: 20 });
    expect([...(layout?.lines?.values() ?? [])]).toEqual([line]);
  });

  it('has the lines that stand for on-parts, each from the plan item that it begins at', () => {
    const both = { id: 'both', sentryId: 'both' };
    const model = aCaseModel([anItem('a'), anItem('b'), anItem('c', { entryCriteria: [both] })], {
      sentries: [
        {
          id: 'both',
          onParts: ['a', 'b'].map((id) => ({ sourcePlanItemId: id, standardEvent: 'complete' })),
        },
      ],
    });
    const lineFrom = (x: number) => [
      { x, y: 20 },
      { x: 300, y: 20 },
    ];
    const edges = [
      { elementId: 'onB', targetId: 'both', waypoints: lineFrom(152) },
      { elementId: 'onA', targetId: 'both', waypoints: lineFrom(61) },
      { elementId: 'other', targetId: 'nothing', waypoints: lineFrom(61) },
    ];
    const shapes = [at('a', 10), at('b', 100), at('c', 310)];
    const layout = drawnLayout({ ...model, diagrams: [{ shapes, edges }] });

    expect(layout?.lines).toEqual(
      new Map([
        [lineKey('a', 'both'), lineFrom(61)],
        [lineKey('b', 'both'), lineFrom(152)],
      ]),
    );
  });

  it('leaves out what is in a collapsed stage', () => {
    const layout = drawn([at('a', 10), at('stage', 80, { isCollapsed: true })]);

    expect(layout?.items.map(({ id }) => id)).toEqual(['a', 'stage']);
    expect(layout?.boxes.get('plan')?.width).toBeGreaterThan(120);
  });

  it.each([
    ['lacks an item', [at('a', 10), at('stage', 80)]],
    ['has one far away', [at('a', 1e9), at('stage', 80), at('b', 90)]],
    [
      'has one without a size',
      [at('a', 1, { bounds: { x: 0, y: 0, width: 0, height: 0 } }), at('stage', 80), at('b', 90)],
    ],
  ])('is laid out anew when the drawing %s', (_, shapes) => {
    expect(drawn(shapes)).toBeUndefined();
  });
});
