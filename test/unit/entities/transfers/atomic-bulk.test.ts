import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const NODES = `${RECORDS}/node`;
const uuid = (number: number): string =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const LETTERED = '00000000-0000-7000-8000-abcdefabcdef';

/** Records that refer to each other, with unique names; optionally in a tree. */
async function withNodes({
  hierarchical = false,
  onDelete = 'restrict',
}: {
  hierarchical?: boolean;
  onDelete?: string;
} = {}) {
  const api = anEntitiesApi();
  const properties = {
    name: { type: 'string', 'x-unique': true },
    friend: { type: 'string', 'x-reference': { entity: 'node', onDelete } },
    state: { type: 'string', enum: ['open', 'closed'] },
  };
  const defined = await api.define({
    code: 'node',
    name: 'Node',
    apiPath: 'nodes',
    hierarchical,
    options: { history: true, events: 'full', onDeleteChildren: 'cascade' },
    uiSchemaJson: { type: 'object', properties },
  });
  expect(defined.status, defined.text).toBe(201);
  const make = async (data: object): Promise<string> => {
    const made = await api.post(NODES, data);
    expect(made.status, made.text).toBe(201);
    return String(made.body.id);
  };
  const together = (...operations: object[]) =>
    api.post(`${NODES}/bulk`, { atomic: true, operations });
  return { ...api, make, together };
}

const create = (data: object) => ({ op: 'create', data });
const update = (id: string, data: object) => ({ op: 'update', id, data });
const remove = (id: string) => ({ op: 'delete', id });

describe('operations that happen together', () => {
  it('may point to one record, which one of them changes', async () => {
    const { make, together, get } = await withNodes();
    const id = await make({ name: 'a' });

    const done = await together(
      create({ friend: id }),
      update(id, { name: 'b' }),
      create({ friend: id }),
    );

    expect(done.status, done.text).toBe(200);
    expect(contentOf(await get(`${NODES}?friend=${id}`))).toHaveLength(2);
  });

  it('may point to a record that one of them creates', async () => {
    const { together, get } = await withNodes();

    const done = await together(create({ id: uuid(1) }), create({ friend: uuid(1) }));

    expect(done.status, done.text).toBe(200);
    expect(contentOf(await get(`${NODES}?friend=${uuid(1)}`))).toHaveLength(1);
  });

  it('may not point to a record that one of them deletes', async () => {
    const { make, together, get } = await withNodes();
    const id = await make({ name: 'a' });

    const refused = await together(remove(id), create({ friend: id }));

    expect(refused).toMatchObject({ status: 400, body: { code: 'REFERENCE_NOT_FOUND' } });
    expect((await get(NODES)).body).toMatchObject({ totalElements: 1 });
  });

  it('may change places with a unique value, or hand it on', async () => {
    const { make, together, get } = await withNodes();
    const [a, b] = [await make({ name: 'a' }), await make({ name: 'b' })];

    const swapped = await together(update(a, { name: 'b' }), update(b, { name: 'a' }));
    const handed = await together(create({ name: 'b' }), update(a, { name: 'c' }));
    const taken = await together(create({ name: 'a' }), update(a, { name: 'd' }));

    expect([swapped.status, handed.status, taken.status], swapped.text).toEqual([200, 200, 409]);
    const holders = await Promise.all(['a', 'b', 'c'].map((name) => get(`${NODES}?name=${name}`)));
    expect(holders.map((page) => contentOf(page).map(({ id }) => id))).toEqual([
      [b],
      [expect.not.stringMatching(a)],
      [a],
    ]);
  });

  it.each([
    ['creates', [create({ id: uuid(1) }), create({ id: uuid(1) })], '/operations/1/data/id'],
    [
      'upper and lower case',
      [remove(LETTERED), update(LETTERED.toUpperCase(), {})],
      '/operations/1/id',
    ],
  ])('may not name a record twice: %s', async (_what, operations, pointer) => {
    const { together } = await withNodes();

    expect(await together(...operations)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer, code: 'DUPLICATE' }] },
    });
  });

  it('may delete what others could point to, with what hangs below it', async () => {
    const { make, together, get } = await withNodes({ hierarchical: true });
    const top = await make({ name: 'top' });
    const below = await make({ name: 'below', parentId: top });
    await make({ name: 'lowest', parentId: below });

    const done = await together(remove(top), create({ name: 'top' }));

    expect(done.status, done.text).toBe(200);
    expect(contentOf(await get(NODES))).toMatchObject([{ name: 'top' }]);
  });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]]])(
    'may delete records that refer to each other, in the order %j',
    async (order) => {
      const { make, together, get, context } = await withNodes();
      const ids = [await make({ name: 'a' })];
      for (const name of ['b', 'c']) ids.push(await make({ name, friend: ids.at(-1) }));

      const part = await together(remove(ids[0] ?? ''), remove(ids[2] ?? ''));
      const done = await together(...order.map((at) => remove(ids[at] ?? '')));

      expect(part).toMatchObject({ status: 409, body: { code: 'REFERENCED', field: 'friend' } });
      expect(done.status, done.text).toBe(200);
      expect((await get(NODES)).body).toMatchObject({ totalElements: 0 });
      expect(context.db.items().filter(({ pk }) => String(pk).includes('OPEN_WORK'))).toEqual([]);
    },
  );

  it('may delete a record whose references others of them take away or point elsewhere', async () => {
    const { make, together, get } = await withNodes();
    const [a, other] = [await make({ name: 'a' }), await make({ name: 'other' })];
    const [b, c] = [await make({ friend: a }), await make({ friend: a })];

    const kept = await together(remove(a), update(b, { state: 'open' }), remove(c));
    const done = await together(
      update(b, { friend: null }),
      remove(a),
      update(c, { friend: other }),
    );

    expect(kept).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(done.status, done.text).toBe(200);
    expect((await get(`${NODES}/${c}`)).body).toMatchObject({ friend: other });
  });

  it.each([
    ['the parent first', [0, 1, 2]],
    ['the children first', [2, 1, 0]],
  ])('may delete a parent with its children, %s', async (_what, order) => {
    const { make, together, get, put } = await withNodes({ hierarchical: true });
    await put(`${DEFINITIONS}/code/node`, { options: { onDeleteChildren: 'restrict' } });
    const ids = [await make({ name: 'top' })];
    for (const name of ['left', 'right']) ids.push(await make({ name, parentId: ids[0] }));

    const part = await together(remove(ids[0] ?? ''), remove(ids[1] ?? ''));
    const done = await together(...order.map((at) => remove(ids[at] ?? '')));

    expect(part).toMatchObject({ status: 409, body: { code: 'HAS_CHILDREN' } });
    expect(done.status, done.text).toBe(200);
    expect((await get(NODES)).body).toMatchObject({ totalElements: 0 });
  });

  it('may delete a subtree with a record outside of it that refers to one of it', async () => {
    const { make, together, get } = await withNodes({ hierarchical: true });
    const top = await make({ name: 'top' });
    const below = await make({ name: 'below', parentId: top });
    const outside = await make({ friend: below });

    const alone = await together(remove(top));
    const done = await together(remove(top), remove(outside));

    expect(alone).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(done.status, done.text).toBe(200);
    expect((await get(NODES)).body).toMatchObject({ totalElements: 0 });
  });

  it('leave no mark of a deletion behind when they fail', async () => {
    const { make, together, post } = await withNodes();
    const a = await make({ name: 'a' });
    await make({ name: 'b' });

    const refused = await together(remove(a), create({ name: 'b' }));
    const pointing = await post(NODES, { friend: a });

    expect([refused.status, pointing.status]).toEqual([409, 201]);
  });

  it('neither move two records nor add one below others to a tree that one moves in', async () => {
    const { make, together } = await withNodes({ hierarchical: true });
    const [a, b] = [await make({ name: 'a' }), await make({ name: 'b' })];
    const [move, add] = [update(a, { parentId: b }), create({ parentId: a })];

    for (const operations of [
      [move, add],
      [add, move],
    ]) {
      expect(await together(...operations)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'MOVED_TWICE' }] },
      });
    }
  });

  it('happen once for each Idempotency-Key, which others cannot promise', async () => {
    const { make, post } = await withNodes();
    const friend = await make({ name: 'a' });
    const operations = [create({ friend }), create({ friend })];
    const headers = { 'idempotency-key': 'k1' };
    const send = (atomic: boolean) => post(`${NODES}/bulk`, { atomic, operations }, { headers });

    const refused = await send(false);
    const [done, again] = [await send(true), await send(true)];

    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/atomic' }] } });
    expect(done.status, done.text).toBe(200);
    expect(again.body).toEqual(done.body);
  });

  const target = fc.nat({ max: 5 }).map(uuid);
  const data = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c', null),
      friend: fc.option(target),
      state: fc.constantFrom('open', 'closed'),
      parentId: fc.option(target),
    },
    { requiredKeys: [] },
  );
  const operation = fc.oneof(
    fc.tuple(fc.option(target), data).map(([id, more]) => create({ ...more, ...(id && { id }) })),
    fc.tuple(target, data).map(([id, more]) => update(id, more)),
    target.map(remove),
    target.map((id) => ({ op: 'restore', id })),
  );
  const calls = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 6,
  });

  it.each([
    [false, 'restrict'],
    [true, 'restrict'],
    [true, 'setNull'],
  ])(
    'never fail inside, and do all or nothing (tree: %s, onDelete: %s)',
    async (hierarchical, onDelete) => {
      const property = fc.asyncProperty(calls, async (all) => {
        const { together, context, get } = await withNodes({ hierarchical, onDelete });
        for (const operations of all) {
          const before = truths(context.db.items());
          const { status, text, body } = await together(
            ...operations.map((each) => (hierarchical ? each : withoutParent(each))),
          );
          expect(status, text).toBeLessThan(500);
          if (status !== 200) expect(truths(context.db.items())).toEqual(before);
          else expect(body.results).toHaveLength(operations.length);
          const live = contentOf(await get(`${NODES}?size=100`));
          const ids = new Set(live.map(({ id }) => id));
          const names = live.flatMap(({ name }) => name ?? []);
          expect(new Set(names).size).toBe(names.length);
          expect((await get(NODES)).body.totalElements).toBe(live.length);
          const targets = live.flatMap(({ friend, parentId }) => [
            ...(onDelete === 'restrict' ? [friend ?? []].flat() : []),
            ...[parentId ?? []].flat(),
          ]);
          for (const id of targets) expect(ids).toContain(id);
          const held = context.db.items().filter(({ type }) => type === 'DYN_UNIQUE');
          expect(held.map(({ rid }) => ids.has(rid))).toEqual(held.map(() => true));
          expect(held).toHaveLength(names.length);
        }
      });
      await fc.assert(property, { numRuns: propertyRuns(20) });
    },
    propertyRuns(300_000),
  );
});

const withoutParent = (operation: object): object => {
  if (!('data' in operation)) return operation;
  const { parentId: _parent, ...data } = operation.data as { parentId?: string };
  return { ...operation, data };
};

/** Everything stored. */
const truths = (items: readonly Readonly<Record<string, unknown>>[]) =>
  items.toSorted((one, other) => (`${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1));
