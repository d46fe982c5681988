import { describe, expect, it } from 'vitest';
import { contentOf, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, interruptEverywhere } from './interrupted.ts';

const TEAMS = `${RECORDS}/team`;
const PEOPLE = `${RECORDS}/person`;
const UNITS = `${RECORDS}/unit`;
const NOTES = `${RECORDS}/note`;

async function withTeam(onDelete: 'restrict' | 'setNull') {
  const api = anInterruptibleApi();
  const name = { type: 'string' };
  await api.define({
    code: 'team',
    name: 'Team',
    uiSchemaJson: { type: 'object', properties: { name } },
  });
  const team = { type: 'string', 'x-reference': { entity: 'team', onDelete } };
  await api.define({
    code: 'person',
    name: 'Person',
    uiSchemaJson: { type: 'object', properties: { name, team } },
  });
  const id = String((await api.post(TEAMS, { name: 'T' })).body.id);
  return { ...api, team: id };
}

describe('a deletion that is interrupted before any of its requests', () => {
  it('is done or undone by the sweep, and new references are taken again', async () => {
    const requests = await interruptEverywhere(
      () => withTeam('restrict'),
      ({ remove, team }) => remove(`${TEAMS}/${team}`),
      async ({ get, post, team }, answer, name) => {
        const left = await get(`${TEAMS}/${team}`);
        const reference = await post(PEOPLE, { name: 'a', team });
        if (answer.status === 204) expect(left.status, name).toBe(404);
        expect(reference.status, name).toBe(left.status === 200 ? 201 : 400);
      },
    );

    expect(requests).toBeGreaterThan(3);
  });

  it('leaves no reference to what is gone', async () => {
    await interruptEverywhere(
      async () => {
        const api = await withTeam('setNull');
        for (const name of ['a', 'b']) await api.post(PEOPLE, { name, team: api.team });
        return api;
      },
      ({ remove, team }) => remove(`${TEAMS}/${team}`),
      async ({ get, team }, answer, name) => {
        const isLeft = (await get(`${TEAMS}/${team}`)).status === 200;
        const referring = contentOf(await get(PEOPLE)).filter((person) => person.team === team);
        if (answer.status === 204) expect(isLeft, name).toBe(false);
        expect(referring.length, name).toBe(isLeft ? 2 : 0);
      },
    );
  });

  it('leaves the whole subtree or nothing of it', async () => {
    const outcomes = new Set<number>();
    await interruptEverywhere(
      async () => {
        const api = anInterruptibleApi();
        const uiSchemaJson = {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 14 }, (_, at) => [`f${at}`, { type: 'string' }]),
          ),
        };
        await api.define({ code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson });
        const ids = await plant(api);
        return { ...api, ids };
      },
      ({ remove, ids }) => remove(`${UNITS}/${ids[0]}?cascade=true`),
      async ({ get, post, ids }, answer, name) => {
        const left = contentOf(await get(UNITS)).length;
        outcomes.add(left);
        expect([0, 9], name).toContain(left);
        if (answer.status === 204) expect(left, name).toBe(0);
        expect((await get(`${UNITS}/count`)).body.count, name).toBe(left);
        const child = await post(UNITS, { f0: 'x', parentId: ids[4] });
        expect(child.status, name).toBe(left === 0 ? 400 : 201);
      },
    );

    expect(outcomes).toEqual(new Set([0, 9]));
  });

  it('erases all of a purged record or nothing', async () => {
    await interruptEverywhere(
      async () => {
        const api = anInterruptibleApi();
        await api.define({
          code: 'note',
          name: 'Note',
          options: { history: true },
          uiSchemaJson: {
            type: 'object',
            properties: { name: { type: 'string' }, text: { type: 'string', format: 'textarea' } },
          },
        });
        const { body } = await api.post(NOTES, { name: 'a', text: 'x'.repeat(310_000) });
        await api.put(`${NOTES}/${body.id}`, { name: 'b' });
        return { ...api, id: String(body.id) };
      },
      ({ remove, id }) => remove(`${NOTES}/${id}?purge=true`),
      async ({ get, context, files, id }, answer, name) => {
        const { status } = await get(`${NOTES}/${id}?deleted=true`);
        if (answer.status === 204) expect(status, name).toBe(404);
        const history = context.db.items().filter(({ pk }) => pk === `DYN_HISTORY#note#${id}`);
        const own = context.db.items().filter(({ pk }) => pk === `DYN_RECORD#note#${id}`);
        if (status === 404) expect([history, own, [...files.keys()]], name).toEqual([[], [], []]);
        else expect([history.length > 1, own.length, files.size], name).toEqual([true, 2, 1]);
      },
    );
  });
});

/** A tree of nine units: one, its two children with three each. @returns ids, parents first */
async function plant({ post }: Pick<ReturnType<typeof anInterruptibleApi>, 'post'>) {
  const values = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`f${at}`, `v${at}`]));
  const ids: string[] = [];
  const make = async (parentId?: string): Promise<string> => {
    const { body } = await post(UNITS, { ...values, ...(parentId && { parentId }) });
    ids.push(String(body.id));
    return String(body.id);
  };
  const root = await make();
  for (const parent of [await make(root), await make(root)]) {
    for (let at = 0; at < 3; at += 1) await make(parent);
  }
  return ids;
}

describe('a new reference to a record whose deletion was interrupted', () => {
  it('is told so until the sweep has ended it', async () => {
    const api = await withTeam('restrict');
    const { dieAt, remove, post, settle, team, context } = api;
    const stop = context.db.before('TransactWriteItems', () => {
      stop();
      // The request that sets the mark is the last one.
      revive = dieAt(1);
    });
    let revive = () => false;
    await remove(`${TEAMS}/${team}`);
    revive();

    const meanwhile = await post(PEOPLE, { name: 'a', team });
    await settle();
    const later = await post(PEOPLE, { name: 'a', team });

    expect(meanwhile).toMatchObject({
      status: 409,
      headers: { 'retry-after': '1' },
      body: { code: 'DELETION_IN_PROGRESS', errors: [{ pointer: '/team' }] },
    });
    expect(later.status).toBe(201);
  });
});
