import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../functions/identity/providers/source-error.ts';
import { TableUsers } from '../../../functions/identity/store/accounts/user-repository.ts';
import { TableDepartments } from '../../../functions/identity/store/departments/department-repository.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { killIn } from '../../helpers/identity/kill-in.ts';
import { Stopped } from '../../helpers/identity/machine.ts';
import { MemorySource } from '../../helpers/identity/memory-source.ts';
import { accountsOf, stateOf, wrongAccounts } from '../../helpers/identity/stored-people.ts';
import { aSource, type SyncWorld, syncWorld } from '../../helpers/identity/sync-world.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { report } from '../harness/run.ts';

const PEOPLE = 2_000;
const CHUNKS = 8;
const MANY = 10_000;
const CONFLICTS = {
  share: 0.2,
  faults: ['conflict'],
  operation: 'TransactWriteItems',
} as const;
const STATES = [
  ...['Begin', 'Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'],
  ...['Remove the missing', 'Finish'],
];

/** A source whose accounts and departments are in the one table. */
async function tableWorld(count: number): Promise<SyncWorld> {
  const world = await syncWorld(aSource(), {
    users: (context) => new TableUsers(context),
    departments: (context) => new TableDepartments(context),
  });
  world.directory.pageSize = 200;
  world.fill(count);
  return world;
}

/** A tenth has other names, a twentieth is gone, as many are new. */
function change({ directory: { users, groups } }: SyncWorld): void {
  const all = [...users];
  for (const [at, [id, user]] of all.entries()) {
    if (at % 20 === 7) users.delete(id);
    else if (at % 10 === 3) users.set(id, { ...user, displayName: `Changed ${at}` });
    if (at % 20 === 9) users.set(`n-${at}`, { id: `n-${at}`, userName: `new-${at}` });
  }
  groups.set('g-b', { ...groups.get('g-b'), id: 'g-b', displayName: 'Berlin and Bonn' });
}
const start = (world: SyncWorld) =>
  world.sync.execute(aSource(), { mode: 'FULL' }, systemPrincipal);
const pending = async (world: SyncWorld) =>
  (await world.history.page('source-1', { status: 'PENDING' }, { size: 50 })).content.length;

async function unbroken(): Promise<readonly string[]> {
  const world = await tableWorld(PEOPLE);
  await world.byHand();
  change(world);
  expect((await world.byHand({ mode: 'FULL' })).user.status).toBe('SUCCESS');
  return stateOf(world);
}
const expected = await unbroken();

describe('2,000 users and a worker that is killed', () => {
  it.each(Array.from({ length: CHUNKS }, (_, at) => at + 1))(
    'in chunk %i of the import, and of the next run',
    async (chunk) => {
      const world = await tableWorld(PEOPLE);
      const killed = killIn(world, 'sync-users', (at) => at === chunk, chunk * 2);
      expect((await world.byHand()).user).toMatchObject({
        ...{ status: 'SUCCESS', counts: { created: PEOPLE } },
      });
      expect([killed(), wrongAccounts(world)]).toEqual([1, []]);
      change(world);
      const again = killIn(world, 'sync-users', () => true, chunk % 3);
      const gone = killIn(world, 'sync-missing', () => true, chunk);
      expect((await world.byHand({ mode: 'FULL' })).user.status).toBe('SUCCESS');
      expect([again(), gone(), wrongAccounts(world)]).toEqual([1, 1, []]);
      expect(stateOf(world)).toEqual(expected);
    },
  );
});

describe('2,000 users and an execution that is stopped', () => {
  it.each(STATES)('at %s is taken over at once', async (state) => {
    const world = await tableWorld(PEOPLE);
    for (const round of [0, 1]) {
      if (round === 1) change(world);
      await start(world);
      world.machine.beforeState = (name) => {
        if (name === state) throw new Stopped();
      };
      expect(await world.machine.work()).toEqual(['ABORTED']);
      world.machine.beforeState = () => undefined;
      expect((await world.byHand({ mode: 'FULL' })).user.status).toBe('SUCCESS');
      expect([wrongAccounts(world), await pending(world)]).toEqual([[], 0]);
    }
    expect(stateOf(world)).toEqual(expected);
  });
});

describe('transactions that meet others', () => {
  it.each([1, 2, 3])('leave the same accounts (seed %i)', async (seed) => {
    const world = await tableWorld(PEOPLE);
    const { db } = world.context;
    db.failAtRandom({ seed, ...CONFLICTS });
    expect((await world.byHand()).user).toMatchObject({
      ...{ status: 'SUCCESS', counts: { created: PEOPLE, failed: 0 } },
    });
    change(world);
    expect((await world.byHand({ mode: 'FULL' })).user.status).toBe('SUCCESS');
    db.stopFailing();
    expect(wrongAccounts(world)).toEqual([]);
    expect(stateOf(world)).toEqual(expected);
  });

  it('of twenty sources at once leave each with its people', async () => {
    const all = Array.from({ length: 20 }, (_, at) =>
      aSource({ id: `source-${at}`, code: `code-${at}`, name: `Source ${at}` }),
    );
    const directories = Object.fromEntries(all.map(({ id }) => [id, new MemorySource()]));
    for (const [source, { users }] of Object.entries(directories)) {
      for (let at = 0; at < 100; at += 1) {
        const id = `${source}-${at}`;
        users.set(id, { id, userName: id, emails: [{ value: `${id}@example.com` }] });
      }
    }
    const [first, ...others] = all;
    const world = await syncWorld(first, {
      ...{ others, directories },
      users: (context) => new TableUsers(context),
      departments: (context) => new TableDepartments(context),
    });
    world.context.db.failAtRandom({ seed: 20, ...CONFLICTS });
    await Promise.all(
      all.map(({ id }) => world.machine.run(`run-${id}`, { sourceId: id, trigger: 'JOB' })),
    );
    world.context.db.stopFailing();
    for (const { id } of all) {
      const { content } = await world.history.page(id, { objectType: 'USER' }, { size: 5 });
      expect(content).toMatchObject([{ status: 'SUCCESS', counts: { created: 100, failed: 0 } }]);
      expect(wrongAccounts(world, directories[id])).toEqual([]);
    }
  });
});

describe('calls that fail in any way', () => {
  /** Lets calls of the bucket, of the state machine and of the source fail by chance. @returns how they are mended */
  const failElsewhere = (world: SyncWorld, seed: number) => {
    const random = seededRandom(seed);
    const { stored, machine, directory } = world;
    const { get, set } = stored;
    const { isRunning } = machine;
    const tried = <T>(work: () => T): T => {
      if (random() < 0.02) throw new Error('The service failed');
      return work();
    };
    stored.get = (key) => tried(() => get.call(stored, key));
    stored.set = (key, body) => tried(() => set.call(stored, key, body));
    machine.isRunning = async (arn) => tried(() => isRunning.call(machine, arn));
    directory.beforeAnswer = () => {
      if (random() < 0.1) throw new SourceError('SOURCE_FAILED', 'The source answers 500');
    };
    return () => {
      Object.assign(stored, { get, set });
      machine.isRunning = isRunning;
      directory.beforeAnswer = () => undefined;
    };
  };
  /** Who was there before, is at the source, and may not log in. */
  const wronged = (world: SyncWorld, before: ReadonlySet<string>) =>
    accountsOf(world).filter(
      ({ id, status, links: [link] }) =>
        before.has(id) && status !== 'ENABLED' && world.directory.users.has(link?.externalId ?? ''),
    );

  it.each([1, 2, 3, 4, 5, 6])(
    'remove nobody, and once they work all is as it should be (seed %i)',
    async (seed) => {
      const world = await tableWorld(PEOPLE);
      await world.byHand();
      const before = new Set(accountsOf(world).map(({ id }) => id));
      change(world);
      const faults = ['conflict', 'throttling', 'internal', 'network', 'answer-lost'] as const;
      const ends: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        world.context.db.failAtRandom({
          seed: seed * 100 + round,
          share: 0.01 * (1 + (round % 3)),
          faults,
        });
        const mend = failElsewhere(world, seed * 100 + round);
        const started = await start(world).catch((error: unknown) => error);
        if (!(started instanceof Error)) await world.machine.work().catch(() => ends.push('DIED'));
        mend();
        world.context.db.stopFailing();
        world.context.clock.advance(16 * 60_000);
        expect(wronged(world, before)).toEqual([]);
        ends.push(
          (await world.history.page('source-1', { objectType: 'USER' }, { size: 1 })).content[0]
            ?.status ?? '',
        );
      }
      await world.pass.run();
      expect((await world.byHand({ mode: 'FULL' })).user.status).toBe('SUCCESS');
      expect([wrongAccounts(world), await pending(world)]).toEqual([[], 0]);
      expect(stateOf(world)).toEqual(expected);
      report(`seed ${seed}`, { ends: ends.join(' ') });
    },
  );
});

describe('10,000 users', () => {
  it('are imported, left alone, and removed only as far as somebody has approved', async () => {
    const world = await tableWorld(MANY);
    const { users } = world.directory;
    const times = [Date.now()];
    expect((await world.byHand()).user.counts.created).toBe(MANY);
    times.push(Date.now());
    const before = stateOf(world);
    expect((await world.byHand({ mode: 'FULL' })).user.counts.unchanged).toBe(MANY);
    times.push(Date.now());
    const all = [...users.keys()];
    const remove = (share: number) => {
      for (const [at, id] of all.entries()) if (at % 100 < share) users.delete(id);
    };
    remove(1);
    expect((await world.byHand({ mode: 'FULL' })).user.counts.deleted).toBe(MANY / 100);
    remove(30);
    const held = await world.byHand({ mode: 'FULL' });
    expect(held.user).toMatchObject({ status: 'SUSPENDED' });
    expect(accountsOf(world).filter(({ status }) => status === 'DISABLED')).toHaveLength(
      MANY / 100,
    );
    await world.sync.approve(held.user.batch, systemPrincipal);
    await world.machine.work();
    expect((await world.rows(held.user.batch)).user.counts.deleted).toBe((MANY / 100) * 29);
    expect([before.length, wrongAccounts(world)]).toEqual([MANY, []]);
    report('10,000 users', {
      importMs: (times[1] ?? 0) - (times[0] ?? 0),
      unchangedMs: (times[2] ?? 0) - (times[1] ?? 0),
    });
  });
});
