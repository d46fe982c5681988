import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { anInterruptibleApi, type InterruptibleApi } from '../deletions/interrupted.ts';
import { contentOf, RECORDS } from '../entities-api.ts';

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
  const properties = { name: text, team: refersTo('restrict'), second: refersTo('setNull') };
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

  it.each(['a deletion into a create', 'a create into a deletion'])(
    'never dangles, wherever %s comes',
    async (which) => {
      for (let nth = 0; ; nth += 1) {
        const world = await aContendedWorld(way);
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
    },
  );

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

  it('is known as such to nobody who reads or changes the record', async () => {
    const { id, get, put, items } = await aContendedWorld(way);

    const changed = await put(`${way.target}/${id}`, { name: 'U' });
    const shown = await get(`${way.target}/${id}`);

    expect([changed.status, shown.status]).toEqual([200, 200]);
    expect(shown.text).not.toContain('contended');
    expect(items('DYN_RECORD#').filter(({ contended }) => contended)).toHaveLength(1);
  });
});
