import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const UNITS = `${RECORDS}/unit`;
const uiSchemaJson = {
  type: 'object',
  'x-tree-order': 'rank',
  properties: { name: { type: 'string' }, rank: { type: 'integer' } },
};

interface Node {
  readonly label: string;
  readonly level: number;
  readonly hasChildren: boolean;
  readonly children: readonly Node[];
}

async function withUnits(more: object = {}) {
  const api = anEntitiesApi();
  await api.define({
    code: 'unit',
    name: 'Unit',
    apiPath: 'units',
    hierarchical: true,
    uiSchemaJson,
    ...more,
  });
  const make = async (name: string, parentId?: string, rank?: number): Promise<string> => {
    const { body, text } = await api.post(UNITS, {
      name,
      ...(parentId && { parentId }),
      ...(rank && { rank }),
    });
    expect(body.id, text).toBeDefined();
    return String(body.id);
  };
  const tree = async (query = ''): Promise<readonly Node[]> =>
    JSON.parse((await api.get(`${UNITS}/tree${query}`)).text);
  /** Records one below the other. */
  const chain = async (name: string, length: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let level = 1; level <= length; level += 1)
      ids.push(await make(`${name}${level}`, ids.at(-1)));
    return ids;
  };
  return { ...api, make, chain, tree };
}

const at = (ids: readonly string[], index: number): string => ids[index] ?? '';

const levels = (nodes: readonly Node[]): number =>
  nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map(({ children }) => levels(children)));

const outline = (nodes: readonly Node[]): string =>
  nodes
    .map(({ label, children }) => (children.length > 0 ? `${label}(${outline(children)})` : label))
    .join(' ');

describe('GET {prefix}/dynamic/{entity}/tree', () => {
  it('shows siblings by rank, then by label without accents', async () => {
    const { make, tree } = await withUnits();
    const a = await make('A');
    for (const [name, rank] of [
      ['Đông', 0],
      ['Bắc', 0],
      ['First', -1],
    ] as const)
      await make(name, a, rank || undefined);

    expect(outline(await tree())).toBe('A(Bắc Đông First)');
    expect((await tree())[0]).toMatchObject({
      level: 0,
      hasChildren: true,
      children: [{ level: 1, hasChildren: false }, {}, {}],
    });
  });

  it('shows a part: below a root, to a depth, with fields, by label', async () => {
    const { make, tree, get } = await withUnits();
    const a = await make('A');
    const b = await make('B', a);
    await make('C', b, 7);
    await make('D', a);

    expect(outline(await tree(`?root=${a}&depth=1`))).toBe('B D');
    expect((await tree(`?root=${a}&depth=1`)).map(({ hasChildren }) => hasChildren)).toEqual([
      true,
      false,
    ]);
    expect(outline(await tree('?q=c'))).toBe('A(B(C))');
    expect(await tree(`?root=${b}&fields=rank`)).toMatchObject([{ label: 'C', rank: 7 }]);
    expect((await get(`${UNITS}/tree?maxNodes=2`)).headers['x-truncated']).toBe('true');
    expect((await get(`${UNITS}/tree?root=00000000-0000-7000-8000-ffffffffffff`)).status).toBe(404);
  });

  it('says of cut nodes that more may hang below them', async () => {
    const { make, tree, get } = await withUnits();
    const [a, b] = [await make('A'), await make('B')];
    await make('A1', a);
    await make('B1', b);

    const cut = await get(`${UNITS}/tree?maxNodes=2`);

    expect(cut.headers['x-truncated']).toBe('true');
    expect(JSON.parse(cut.text)).toMatchObject([
      { label: 'A', hasChildren: true, children: [] },
      { label: 'B', hasChildren: true, children: [] },
    ]);
    expect(await tree(`?root=${a}`)).toMatchObject([{ label: 'A1', hasChildren: false }]);
  });

  it('costs one request', async () => {
    const { make, get, context } = await withUnits();
    for (let at = 0; at < 30; at += 1) await make(`n${at}`);
    await get(`${UNITS}/tree`);

    expect((await context.db.meter.costOf(() => get(`${UNITS}/tree`))).requests).toHaveLength(1);
  });

  it('is not there for other entities', async () => {
    const { define, get } = anEntitiesApi();
    await define({ code: 'flat', name: 'Flat', uiSchemaJson });

    expect(await get(`${RECORDS}/flat/tree`)).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_HIERARCHICAL' },
    });
  });
});

describe('moving a record', () => {
  it('takes everything below it along, and writes one row', async () => {
    const { make, put, tree, context } = await withUnits();
    const [a, b] = [await make('A'), await make('B')];
    const c = await make('C', a);
    await make('D', c);

    const cost = await context.db.meter.costOf(() => put(`${UNITS}/${c}`, { parentId: b }));

    expect(outline(await tree())).toBe('A B(C(D))');
    expect(cost.requests.find((request) => request.startsWith('TransactWrite'))).toBe(
      'TransactWriteItems 7',
    );
    expect((await put(`${UNITS}/${c}`, { parentId: null })).body).toMatchObject({ parentId: null });
    expect(outline(await tree())).toBe('A B C(D)');
  });

  it('below itself is refused', async () => {
    const { make, put } = await withUnits();
    const a = await make('A');
    const b = await make('B', a);

    expect(await put(`${UNITS}/${a}`, { parentId: b })).toMatchObject({
      status: 409,
      body: { code: 'HIERARCHY_CYCLE' },
    });
    expect(await put(`${UNITS}/${a}`, { parentId: a })).toMatchObject({
      status: 409,
      body: { code: 'HIERARCHY_CYCLE' },
    });
  });

  it('two ways at once makes no cycle', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { make, put, tree } = await withUnits();
      const [a, b] = [await make('A'), await make('B')];
      const [a1, b1] = [await make('A1', a), await make('B1', b)];

      const answers = await Promise.all([
        put(`${UNITS}/${a}`, { parentId: b1 }),
        put(`${UNITS}/${b}`, { parentId: a1 }),
      ]);

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(outline(await tree()).match(/[AB]1?/g)).toHaveLength(4);
    }
  });

  it('to a depth of more than 100 levels is refused', async () => {
    const { make, post } = await withUnits();
    let parent = await make('1');
    for (let level = 2; level <= 100; level += 1) parent = await make(String(level), parent);

    expect(await post(UNITS, { name: '101', parentId: parent })).toMatchObject({
      status: 422,
      body: { code: 'HIERARCHY_TOO_DEEP' },
    });
  }, 60_000);

  it('with what is below it to more than 100 levels is refused, up and sideways it is not', async () => {
    const { chain, put, tree } = await withUnits();
    const [low, high] = [await chain('a', 50), await chain('b', 51)];
    const [top, second] = [at(high, 0), at(high, 1)];

    const tooDeep = await put(`${UNITS}/${top}`, { parentId: at(low, 49) });
    const fits = await put(`${UNITS}/${second}`, { parentId: at(low, 49) });
    const sideways = await put(`${UNITS}/${second}`, { parentId: at(low, 49), name: 'second' });
    const up = await put(`${UNITS}/${second}`, { parentId: at(low, 48) });

    expect(tooDeep).toMatchObject({ status: 422, body: { code: 'HIERARCHY_TOO_DEEP' } });
    expect([fits.status, sideways.status, up.status]).toEqual([200, 200, 200]);
    expect(levels(await tree())).toBe(99);
  }, 60_000);

  it('two ways at once makes no tree of more than 100 levels', async () => {
    const { chain, put, tree } = await withUnits();
    const [r, x, y] = [await chain('r', 50), await chain('x', 40), await chain('y', 30)];
    for (let round = 0; round < 4; round += 1) {
      const moves = [
        () => put(`${UNITS}/${at(x, 0)}`, { parentId: at(r, 49) }),
        () => put(`${UNITS}/${at(y, 0)}`, { parentId: at(x, 39) }),
      ];
      const ordered = round % 2 ? moves : moves.reverse();

      const answers = await Promise.all(ordered.map((move) => move()));

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect(levels(await tree())).toBeLessThanOrEqual(100);
      for (const top of [x, y]) await put(`${UNITS}/${at(top, 0)}`, { parentId: null });
    }
  }, 60_000);

  it('between check and commit of a new child makes no tree of more than 100 levels', async () => {
    const { chain, put, post, tree, context } = await withUnits();
    const [r, x] = [await chain('r', 40), await chain('x', 60)];
    const statuses: number[] = [];
    const stop = context.db.before('TransactWriteItems', async () => {
      stop();
      statuses.push((await put(`${UNITS}/${at(x, 0)}`, { parentId: at(r, 39) })).status);
    });

    statuses.push((await post(UNITS, { name: 'x61', parentId: at(x, 59) })).status);

    expect(statuses).toEqual([200, 422]);
    expect(levels(await tree())).toBe(100);
  }, 60_000);

  it('twice, while a record is added below it, makes no tree that is too deep', async () => {
    const { chain, put, post, tree, context } = await withUnits();
    const [r, s, x] = [await chain('r', 50), await chain('s', 30), await chain('x', 20)];
    const statuses: number[] = [];
    const stop = context.db.before('TransactWriteItems', async () => {
      stop();
      statuses.push((await put(`${UNITS}/${at(x, 0)}`, { parentId: at(r, 49) })).status);
      statuses.push((await put(`${UNITS}/${at(r, 0)}`, { parentId: at(s, 29) })).status);
    });

    statuses.push((await post(UNITS, { name: 'x21', parentId: at(x, 19) })).status);

    expect(statuses).toEqual([200, 200, 422]);
    expect(levels(await tree())).toBe(100);
  }, 60_000);

  it('takes what is below it at most 50 levels deeper', async () => {
    const { chain, make, put } = await withUnits();
    const r = await chain('r', 52);
    const [top, leaf] = [await make('top'), await make('leaf')];
    await make('below', top);

    const tooDeep = await put(`${UNITS}/${top}`, { parentId: at(r, 50) });
    const deep = await put(`${UNITS}/${top}`, { parentId: at(r, 49) });
    const alone = await put(`${UNITS}/${leaf}`, { parentId: at(r, 51) });

    expect([tooDeep.status, deep.status, alone.status]).toEqual([422, 200, 200]);
  }, 60_000);

  it('reads what is below it at a limited price', async () => {
    const { make, put, post, context } = await withUnits();
    const [a, b] = [await make('a'), await make('b')];
    const children = Array.from({ length: 150 }, (_, number) => `c${number}`);
    const operations = children.map((name) => ({ op: 'create', data: { name, parentId: a } }));
    await post(`${UNITS}/bulk`, { operations });

    const { requests } = await context.db.meter.costOf(() => put(`${UNITS}/${a}`, { parentId: b }));

    expect(requests.length).toBeLessThan(15);
  });

  it('together with another one in a call that does all or nothing is refused', async () => {
    const { make, post } = await withUnits();
    const [a, b, c] = [await make('a'), await make('b'), await make('c')];
    const move = (id: string) => ({ op: 'update', id, data: { parentId: c } });

    const answer = await post(`${UNITS}/bulk`, { atomic: true, operations: [move(a), move(b)] });

    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/parentId', code: 'MOVED_TWICE' }] },
    });
  });

  it.each(['00000000-0000-7000-8000-ffffffffffff', 'x'])('to %s is refused', async (parentId) => {
    const { post } = await withUnits();

    expect((await post(UNITS, { name: 'a', parentId })).status).toBe(400);
  });
});

describe('deleting a record with children', () => {
  it('is refused, unless it takes them along', async () => {
    const { make, remove, get, tree, post } = await withUnits();
    const a = await make('A');
    const b = await make('B', a);
    await make('C', b);

    const refused = await remove(`${UNITS}/${a}`);
    const child = await post(UNITS, { name: 'D', parentId: a });
    const cascaded = await remove(`${UNITS}/${a}?cascade=true`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'HAS_CHILDREN' } });
    expect(child.status).toBe(201);
    expect(cascaded.status).toBe(204);
    expect(await tree()).toEqual([]);
    expect(contentOf(await get(`${UNITS}/trash`))).toHaveLength(4);
  });

  it('leaves the whole tree when one of it is referenced, unless by what goes along', async () => {
    const api = await withUnits({
      uiSchemaJson: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          friend: { type: 'string', 'x-reference': { entity: 'unit' } },
        },
      },
    });
    const { make, tree, remove, put, post } = api;
    const top = await make('A');
    const below = await make('B', top);
    const sibling = await make('C', top);
    await put(`${UNITS}/${sibling}`, { friend: below });
    const { body: outside } = await post(UNITS, { name: 'D', friend: sibling });

    const refused = await remove(`${UNITS}/${top}?cascade=true`);
    const whole = outline(await tree());
    await put(`${UNITS}/${outside.id}`, { friend: null });
    const done = await remove(`${UNITS}/${top}?cascade=true`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(whole).toBe('A(B C) D');
    expect(done.status).toBe(204);
    expect(outline(await tree())).toBe('D');
  });

  it('and adding one at the same time leaves no child without its parent', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { make, remove, post, get } = await withUnits();
      const a = await make('A');

      await Promise.all([remove(`${UNITS}/${a}`), post(UNITS, { name: 'B', parentId: a })]);

      const left = contentOf(await get(UNITS)).map(({ name }) => name);
      expect([[], ['B', 'A']]).toContainEqual(left);
    }
  });
});
