import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../functions/identity/providers/source-error.ts';
import { TableUsers } from '../../../functions/identity/store/accounts/user-repository.ts';
import { TableDepartments } from '../../../functions/identity/store/departments/department-repository.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { MemorySource } from '../../helpers/identity/memory-source.ts';
import { accountsOf, stateOf, wrongAccounts } from '../../helpers/identity/stored-people.ts';
import { aSource, type SyncWorld, syncWorld } from '../../helpers/identity/sync-world.ts';

const PEOPLE = 600;
const PAGE = 100;
/** One of groups, and those of users. */
const PAGES = 1 + PEOPLE / PAGE;
const STATES = [
  ...['Begin', 'Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'],
  ...['Remove the missing', 'Finish'],
];

/** A source whose accounts and departments are in the one table, after its first run; much has changed since. */
async function changedWorld(): Promise<SyncWorld> {
  const world = await syncWorld(aSource(), {
    users: (context) => new TableUsers(context),
    departments: (context) => new TableDepartments(context),
  });
  const { directory } = world;
  directory.pageSize = PAGE;
  world.fill(PEOPLE);
  expect((await world.byHand()).user.counts.created).toBe(PEOPLE);
  const all = [...directory.users];
  for (const [at, [id, user]] of all.entries()) {
    if (at % 20 === 7) {
      directory.users.delete(id);
      directory.users.set(`n-${at}`, { id: `n-${at}`, userName: `new-${at}` });
    } else if (at % 10 === 3) directory.users.set(id, { ...user, displayName: `Changed ${at}` });
  }
  return world;
}
const full = (world: SyncWorld) => world.byHand({ mode: 'FULL' });
const expected = await (async () => {
  const world = await changedWorld();
  expect((await full(world)).user.status).toBe('SUCCESS');
  return stateOf(world);
})();

describe('a source that breaks off', () => {
  it.each(['UNREACHABLE', 'BAD_ANSWER', 'PAGING_BROKEN'] as const)(
    'at any page by %s changes nothing, and the next run does everything',
    async (code) => {
      const world = await changedWorld();
      const before = stateOf(world);
      for (let at = 1; at <= PAGES; at += 1) {
        let asked = 0;
        world.directory.beforeAnswer = () => {
          asked += 1;
          if (asked === at) throw new SourceError(code, 'no');
        };
        expect((await full(world)).user).toMatchObject({ status: 'FAIL', reasonCode: code });
        expect(stateOf(world)).toEqual(before);
      }
      world.directory.beforeAnswer = () => undefined;
      expect((await full(world)).user.status).toBe('SUCCESS');
      expect([stateOf(world), wrongAccounts(world)]).toEqual([expected, []]);
    },
  );

  it('for a while, at any answer, is waited for', async () => {
    const world = await changedWorld();
    let asked = 0;
    world.directory.beforeAnswer = () => {
      asked += 1;
      if (asked % 2 === 1) throw new SourceError('THROTTLED', 'later', { retryAfterSeconds: 1 });
    };
    const { user } = await full(world);
    world.directory.beforeAnswer = () => undefined;
    // Who was missing and could not be asked for is left to the next run.
    expect(['SUCCESS', 'PARTIAL']).toContain(user.status);
    expect(wrongAccounts(world)).toEqual([]);
    expect((await full(world)).user.status).toBe('SUCCESS');
    expect(stateOf(world)).toEqual(expected);
  });

  it('and lists nobody, or not everybody, removes nobody whom it has', async () => {
    const world = await changedWorld();
    await full(world);
    const { users, hidden } = world.directory;
    for (const [at, id] of [...users.keys()].entries()) if (at % 10 === 1) hidden.add(id);
    const { user } = await full(world);
    expect(user.counts).toMatchObject({ deleted: 0, skipped: hidden.size });
    for (const id of users.keys()) hidden.add(id);
    expect((await full(world)).user).toMatchObject({
      ...{ status: 'SUSPENDED', reasonCode: 'SOURCE_EMPTY' },
    });
    expect([stateOf(world), wrongAccounts(world)]).toEqual([expected, []]);
  });
});

describe('others meanwhile', () => {
  it.each(STATES.slice(1))('start runs at %s, which are skipped or refused', async (state) => {
    const world = await changedWorld();
    const refusals: unknown[] = [];
    const start = () => world.sync.execute(aSource(), { mode: 'FULL' }, systemPrincipal);
    const { batch } = await start();
    world.machine.beforeState = async (name) => {
      if (name !== state) return;
      world.machine.beforeState = () => undefined;
      refusals.push(await start().catch((error: unknown) => error));
      await world.machine.run('tick', { sourceId: 'source-1', trigger: 'JOB' });
    };
    await world.machine.work();
    const rows = (await world.history.page('source-1', {}, { size: 4 })).content;
    const ended = rows.map(({ reasonCode, status }) => reasonCode ?? status);
    expect(ended.filter((each) => each === 'SYNC_IN_PROGRESS')).toHaveLength(2);
    expect(ended.filter((each) => each === 'SUCCESS')).toHaveLength(2);
    expect(refusals).toMatchObject([{ code: 'SYNC_IN_PROGRESS' }]);
    expect((await world.rows(batch)).user.batch).toBe(batch);
    expect([stateOf(world), wrongAccounts(world)]).toEqual([expected, []]);
  });

  it.each(STATES)('disable the source at %s', async (state) => {
    const world = await changedWorld();
    await world.sync.execute(aSource(), { mode: 'FULL' }, systemPrincipal);
    world.machine.beforeState = async (name) => {
      if (name !== state) return;
      world.machine.beforeState = () => undefined;
      await world.sync.deregister(aSource());
    };
    await world.machine.work();
    const [row] = (await world.history.page('source-1', {}, { size: 1 })).content;
    expect(['CANCELLED', 'SUCCESS']).toContain(row?.status);
    expect((await full(world)).user.status).toBe('SUCCESS');
    expect([stateOf(world), wrongAccounts(world)]).toEqual([expected, []]);
  });

  it('disable accounts, which no run enables', async () => {
    const world = await changedWorld();
    const users = new TableUsers(world.context);
    const disabled = accountsOf(world).filter((_, at) => at % 30 === 0);
    for (const { id } of disabled) await users.setStatus(id, 'DISABLED', 'ADMIN');
    expect((await full(world)).user.status).toBe('SUCCESS');
    const ids = new Set(disabled.map(({ id }) => id));
    const after = accountsOf(world).filter(({ id }) => ids.has(id));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 'DISABLED'));
    expect(wrongAccounts(world)).toHaveLength(
      disabled.filter(({ links }) =>
        links.some(({ externalId }) => world.directory.users.has(externalId)),
      ).length,
    );
  });
});

it('two sources that share addresses, at once and among conflicts, make one account for each', async () => {
  const [first, second] = ['a', 'b'].map((id) => aSource({ id, code: id, name: id }));
  const directories = { a: new MemorySource(), b: new MemorySource() };
  for (const [source, { users }] of Object.entries(directories)) {
    for (let at = 0; at < 200; at += 1) {
      const id = `${source}-${at}`;
      const value = at % 4 === 0 ? `shared-${at}@example.com` : `${id}@example.com`;
      users.set(id, { id, userName: id, emails: [{ value }] });
    }
  }
  const world = await syncWorld(first, {
    ...{ others: second ? [second] : [], directories },
    users: (context) => new TableUsers(context),
    departments: (context) => new TableDepartments(context),
  });
  const conflicts = { share: 0.2, faults: ['conflict'], operation: 'TransactWriteItems' } as const;
  world.context.db.failAtRandom({ seed: 9, ...conflicts });
  await Promise.all(
    ['a', 'b'].map((id) => world.machine.run(id, { sourceId: id, trigger: 'JOB' })),
  );
  world.context.db.stopFailing();
  const mails = accountsOf(world).map(({ email }) => email);
  expect([mails.length, new Set(mails).size]).toEqual([350, 350]);
  expect(accountsOf(world).every(({ links }) => links.length === 1)).toBe(true);
});

it('150 nested groups, a circle and two parents make a tree, whatever moves', async () => {
  const world = await changedWorld();
  const { groups } = world.directory;
  const nested = (at: number, child?: number) => ({
    ...{ id: `t-${at}`, displayName: `Team ${at}` },
    members: child === undefined ? [] : [{ value: `t-${child}`, type: 'Group' }],
  });
  for (let at = 0; at < 150; at += 1) groups.set(`t-${at}`, nested(at, at < 149 ? at + 1 : 100));
  groups.set('t-x', { ...nested(7), id: 't-x', displayName: 'Other parent' });
  const { organization } = await full(world);
  expect(organization.counts).toMatchObject({ created: 151 });
  expect(['SUCCESS', 'PARTIAL']).toContain(organization.status);
  groups.set('t-149', nested(149));
  groups.set('t-49', nested(49));
  expect(['SUCCESS', 'PARTIAL']).toContain((await full(world)).organization.status);
  const { organization: last } = await full(world);
  expect(last.counts).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  expect(wrongAccounts(world)).toEqual([]);
});
