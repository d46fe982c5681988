import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../../shared/store/table.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { anInterruptibleApi, type InterruptibleApi } from '../deletions/interrupted.ts';
import { contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const TEAMS = `${RECORDS}/team`;
const PEOPLE = `${RECORDS}/person`;
const NODES = `${RECORDS}/node`;
const CLIENTS = 16;
const EACH = 6;
const text = { type: 'string' };

interface Way {
  /** Makes a record that others refer to. */
  readonly target: string;
  readonly path: string;
  readonly body: (target: string) => object;
  /** Those that refer to a target. */
  readonly referring: (target: string) => string;
}

const WAYS: Readonly<Record<string, Way>> = {
  'a reference': {
    target: TEAMS,
    path: PEOPLE,
    body: (team) => ({ name: 'a', team }),
    referring: (team) => `${PEOPLE}?team=${team}`,
  },
  'a reference that is cleared': {
    target: TEAMS,
    path: PEOPLE,
    body: (second) => ({ name: 'a', second }),
    referring: (team) => `${PEOPLE}?second=${team}`,
  },
  'a parent': {
    target: NODES,
    path: NODES,
    body: (parentId) => ({ name: 'a', parentId }),
    referring: (parentId) => `${NODES}?parentId=${parentId}`,
  },
};

/** Teams and people who refer to them; nodes of a tree. */
async function aWorld({ target }: Way): Promise<InterruptibleApi & { readonly id: string }> {
  const api = anInterruptibleApi({ pauseMs: () => 20 * Math.random() });
  const refersTo = (onDelete: string) => ({ ...text, 'x-reference': { entity: 'team', onDelete } });
  const teams = { type: 'object', properties: { name: text } };
  await api.define({ code: 'team', name: 'Team', uiSchemaJson: teams });
  const properties = {
    name: text,
    team: refersTo('restrict'),
    second: refersTo('setNull'),
  };
  const people = { type: 'object', properties };
  await api.define({ code: 'person', name: 'Person', uiSchemaJson: people });
  await api.define({ code: 'node', name: 'Node', hierarchical: true, uiSchemaJson: teams });
  const { body } = await api.post(target, { name: 'T' });
  return { ...api, id: String(body.id) };
}

/** The same once transactions have met at the target. */
async function aContendedWorld(way: Way): Promise<InterruptibleApi & { readonly id: string }> {
  const world = await aWorld(way);
  const { context, post, id } = world;
  context.db.holdTransactions(2);
  const some = Array.from({ length: 4 }, () => post(way.path, way.body(id)));
  const made = await Promise.all(some);
  context.db.holdTransactions(0);
  for (const { body } of made) await world.remove(`${way.path}/${body.id}?purge=true`);
  const header = world.items(`DYN_RECORD#`).find(({ pk }) => String(pk).endsWith(id));
  expect(header).toMatchObject({ contended: true });
  return world;
}

/** The same where its announcements were taken away, as by a deletion that was refused. */
async function aForgottenWorld(way: Way): Promise<InterruptibleApi & { readonly id: string }> {
  const world = await aContendedWorld(way);
  const announced = world.items('DYN_REFERRING#') as unknown as readonly Key[];
  expect(announced.length).toBeGreaterThan(0);
  await world.context.batchWrite({ deletes: announced });
  return world;
}

/** The answers to clients that create records at the same time, once they know what is contended, and what that takes. */
async function createAtOnce(way: Way, isReferring: boolean) {
  const { context, post, id } = await aWorld(way);
  const { db } = context;
  const client = async (calls: number): Promise<ApiAnswer[]> => {
    const answers: ApiAnswer[] = [];
    for (let at = 0; at < calls; at += 1)
      answers.push(await post(way.path, isReferring ? way.body(id) : { name: 'a' }));
    return answers;
  };
  const clients = (calls: number) =>
    Promise.all(Array.from({ length: CLIENTS }, () => client(calls)));
  db.holdTransactions(5);
  const first = await clients(1);
  db.meter.reset();
  const answers = [...first, ...(await clients(EACH))].flat();
  const { requests } = db.meter.total();
  const transactions = requests.filter((name) => name.startsWith('TransactWriteItems')).length;
  return { statuses: new Set(answers.map(({ status }) => status)), transactions };
}

/** Runs other calls before the n-th request of one of ours. @returns whether it came to that */
async function interleave(
  { context }: InterruptibleApi,
  nth: number,
  ours: () => Promise<ApiAnswer>,
  theirs: () => Promise<ApiAnswer>,
) {
  // They are another request, not a part of ours.
  const apart = AsyncLocalStorage.snapshot();
  let seen = 0;
  let other: ApiAnswer | undefined;
  const operations = ['GetItem', 'Query', 'BatchGetItem', 'BatchWriteItem', 'TransactWriteItems'];
  const hooks = operations.map((operation) =>
    context.db.before(operation, async () => {
      seen += 1;
      if (seen !== nth + 1) return;
      for (const takeOff of hooks) takeOff();
      other = await apart(theirs);
    }),
  );
  const own = await ours();
  for (const takeOff of hooks) takeOff();
  return { own, other };
}

describe.each(Object.entries(WAYS))('%s that many records share', (_name, way) => {
  it('is given by 16 clients at once without a conflict, in as many transactions as without it', async () => {
    const without = await createAtOnce(way, false);
    const referring = await createAtOnce(way, true);

    expect([without.statuses, referring.statuses]).toEqual([new Set([201]), new Set([201])]);
    expect([without.transactions, referring.transactions]).toEqual([
      CLIENTS * EACH,
      CLIENTS * EACH,
    ]);
  });

  it.each([
    { which: 'a deletion into a create', aWorldOf: aContendedWorld },
    { which: 'a create into a deletion', aWorldOf: aContendedWorld },
    { which: 'a deletion into a create', aWorldOf: aForgottenWorld },
    { which: 'a create into a deletion', aWorldOf: aForgottenWorld },
  ])('never dangles, wherever $which comes ($aWorldOf.name)', async ({ which, aWorldOf }) => {
    for (let nth = 0; ; nth += 1) {
      const world = await aWorldOf(way);
      const { id, get, post, remove, runJobs } = world;
      const create = () => post(way.path, way.body(id));
      const deletion = () => remove(`${way.target}/${id}`);
      const [ours, theirs] = which.endsWith('create') ? [create, deletion] : [deletion, create];
      const { own, other } = await interleave(world, nth, ours, theirs);
      await runJobs();

      const name = `request ${nth}: ${own.status} ${other?.status}`;
      expect(Math.max(own.status, other?.status ?? 0), name).toBeLessThan(500);
      const target = await get(`${way.target}/${id}`);
      const referring = contentOf(await get(way.referring(id)));
      expect(target.status === 200 ? [] : referring, name).toEqual([]);
      if (!other) break;
    }
  });

  it('holds nothing up when a create dies at any of its requests', async () => {
    for (let nth = 0; ; nth += 1) {
      const world = await aContendedWorld(way);
      const { id, get, post, remove, dieAt, settle } = world;
      const revive = dieAt(nth);
      await post(way.path, way.body(id));
      const isInterrupted = revive();
      await settle();
      for (const { id: one } of contentOf(await get(way.referring(id))))
        expect((await remove(`${way.path}/${one}`)).status).toBe(204);

      expect((await remove(`${way.target}/${id}`)).status, `request ${nth}`).toBe(204);
      if (!isInterrupted) break;
    }
  });

  it('takes no request more than another record, once it is known', async () => {
    const { id, post, context } = await aContendedWorld(way);
    const other = await post(way.target, { name: 'T' });
    const create = (target: string) =>
      context.db.meter.costOf(async () => {
        for (let at = 0; at < 3; at += 1)
          expect((await post(way.path, way.body(target))).status).toBe(201);
      });

    expect(await create(id)).toEqual(await create(String(other.body.id)));
  });

  it('is named by nobody once it is deleted, and by everybody once it is back', async () => {
    const { id, post, remove } = await aContendedWorld(way);
    const create = async () => (await post(way.path, way.body(id))).status;

    const deleted = await remove(`${way.target}/${id}`);
    const refused = [await create(), await create()];
    const back = await post(`${way.target}/${id}/restore`);
    const again = await Promise.all(Array.from({ length: CLIENTS }, create));

    expect([deleted.status, refused, back.status]).toEqual([204, [400, 400], 200]);
    expect(new Set(again)).toEqual(new Set([201]));
  });

  it('is announced to by nobody once it is deleted, also when no entity refers to it any more', async () => {
    const { id, put, remove, items, runJobs } = await aContendedWorld(way);
    const schema = { type: 'object', properties: { name: text } };
    await put(`${DEFINITIONS}/code/person/schema?force=true`, schema);
    await runJobs();

    const { status } = await remove(`${way.target}/${id}`);

    expect([status, items('DYN_REFERRING#')]).toEqual([204, []]);
  });

  it('is announced to by nobody once its entity is purged', async () => {
    const { put, remove, items, runJobs } = await aContendedWorld(way);
    const schema = { type: 'object', properties: { name: text } };
    await put(`${DEFINITIONS}/code/person/schema?force=true`, schema);
    await runJobs();

    const code = way.target.split('/').at(-1);
    await remove(`${DEFINITIONS}/code/${code}?force=true&purge=true`);
    await runJobs();

    expect([items(`DYN_RECORD#${code}#`), items('DYN_REFERRING#')]).toEqual([[], []]);
  });

  it('can be named when its deletion was refused', async () => {
    const { id, post, remove } = await aContendedWorld(way);
    const create = async () => (await post(way.path, way.body(id))).status;
    await Promise.all(Array.from({ length: CLIENTS }, create));

    await remove(`${way.target}/${id}`, { headers: { 'if-match': '"77"' } });
    const again = await Promise.all(Array.from({ length: CLIENTS }, create));

    expect(new Set(again)).toEqual(new Set([201]));
  });

  it('is known as such to nobody who reads or changes the record', async () => {
    const { id, get, put, items } = await aContendedWorld(way);

    const changed = await put(`${way.target}/${id}`, { name: 'U' });
    const shown = await get(`${way.target}/${id}`);

    expect([changed.status, shown.status]).toEqual([200, 200]);
    expect(shown.text).not.toContain('contended');
    expect(items('DYN_RECORD#').filter(({ contended }) => contended)).toHaveLength(1);
  });
});
