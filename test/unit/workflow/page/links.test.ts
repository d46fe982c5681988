import { describe, expect, it } from 'vitest';
import { drawLinks } from '../../../../functions/workflow/page/drawing/links.ts';
import type { Box } from '../../../../functions/workflow/page/model.ts';
import { aCaseModel, anItem } from './models.ts';

const box = (x: number, y: number): Box => ({ x, y, width: 100, height: 60 });
const model = aCaseModel([anItem('a'), anItem('b', { after: ['a'] })]);
const [criterion = ''] = model.planItems.flatMap(({ entryCriteria }) =>
  entryCriteria.map(({ id }) => id),
);

/** The numbers of the path from a to the criterion of b. */
function pathTo(b: Box, at: { readonly x: number; readonly y: number }): number[] {
  const paths: string[] = [];
  const element = { append: () => undefined };
  drawLinks(
    model,
    {
      boxes: new Map([
        ['a', box(300, 300)],
        ['b', b],
      ]),
      items: model.planItems,
      places: new Map([[criterion, at]]),
    },
    (name, attributes = {}) => {
      if (name === 'path') paths.push(String(attributes.d));
      return element as never;
    },
  );
  return (paths[0] ?? '').split(/[ MC]/).filter(Boolean).map(Number);
}

describe('a line to a criterion', () => {
  it.each([
    ['left', box(600, 300), { x: 600, y: 330 }, [-1, 0]],
    ['right', box(0, 300), { x: 100, y: 330 }, [1, 0]],
    ['upper', box(600, 600), { x: 650, y: 600 }, [0, -1]],
    ['lower', box(300, 0), { x: 350, y: 60 }, [0, 1]],
  ])('comes to the %s border from outside', (_, target, at, outside) => {
    const [, , , , x = 0, y = 0, ...end] = pathTo(target, at);

    expect(end).toEqual([at.x, at.y]);
    expect([Math.sign(x - at.x), Math.sign(y - at.y)]).toEqual(outside);
  });

  it('leaves its source on the side of the criterion', () => {
    expect(pathTo(box(0, 300), { x: 100, y: 330 })[0]).toBe(300);
    expect(pathTo(box(600, 300), { x: 600, y: 330 })[0]).toBe(400);
  });
});
