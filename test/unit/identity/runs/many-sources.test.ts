import { describe, expect, it } from 'vitest';
import { TableUsers } from '../../../../functions/identity/store/accounts/user-repository.ts';
import { MemorySource } from '../../../helpers/identity/memory-source.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const HOUR_MS = 3_600_000;
const named = (number: number, more = {}) =>
  aSource({ id: `source-${number}`, code: `code-${number}`, name: `Source ${number}`, ...more });
const run = (world: SyncWorld, number: number) =>
  world.machine.run(`run-${number}`, { sourceId: `source-${number}`, trigger: 'JOB' });
const rowOf = async (world: SyncWorld, number: number) => {
  const page = await world.history.page(`source-${number}`, { objectType: 'USER' }, { size: 1 });
  return page.content[0];
};

describe('two sources at the same time', () => {
  const MAIL = 'shared@example.com';

  it('make one account for a mail address that both have; the others are made', async () => {
    const directories = { 'source-1': new MemorySource(), 'source-2': new MemorySource() };
    for (const [source, { users }] of Object.entries(directories)) {
      for (let index = 0; index < 30; index += 1) {
        const id = `${source}-${index}`;
        const value = index === 7 ? MAIL : `${id}@example.com`;
        users.set(id, { id, userName: id, emails: [{ value }] });
      }
    }
    let users: TableUsers | undefined;
    const world = await syncWorld(named(1), {
      ...{ others: [named(2)], directories },
      users: (context) => {
        users = new TableUsers(context);
        return users;
      },
    });

    await Promise.all([run(world, 1), run(world, 2)]);

    const rows = await Promise.all([rowOf(world, 1), rowOf(world, 2)]);
    expect(rows.map((row) => [row?.counts.created, row?.counts.failed]).sort()).toEqual([
      ...[
        [29, 1],
        [30, 0],
      ],
    ]);
    const loser = rows.find((row) => row?.status === 'PARTIAL');
    const records = await world.records(loser?.id ?? '');
    const refused = records.filter(({ status }) => status === 'FAIL');
    expect(refused).toMatchObject([{ reasonCode: 'EMAIL_CONFLICT' }]);
    const owner = await users?.findByEmail(MAIL);
    expect(owner?.links).toHaveLength(1);
    expect([owner?.userName, refused[0]?.objectName].sort()).toEqual([
      ...['source-1-7', 'source-2-7'],
    ]);
  });
});

describe('twenty sources', () => {
  it('are all registered and run but the one that the scheduler refuses', async () => {
    const jobConfig = { mode: 'period', value: '6' } as const;
    const all = Array.from({ length: 20 }, (_, index) => named(index + 1, { jobConfig }));
    const [first, ...others] = all;
    const world = await syncWorld(first, { others });
    world.fill(3);
    const set = world.schedules.set.bind(world.schedules);
    world.schedules.set = (name, schedule) => {
      if (name.startsWith('source-13-')) throw new Error('The scheduler refuses');
      return set(name, schedule);
    };

    expect(await world.pass.run()).toEqual({ sources: 20, failed: 0 });

    const statuses = await Promise.all(
      all.map(async ({ id }) => (await world.sources.state(id)).registration.status),
    );
    expect(statuses.filter((status) => status === 'REGISTERED')).toHaveLength(19);
    expect(statuses[12]).toBe('FAILED');
    expect([...world.schedules.keys()]).toHaveLength(19);
    for (const { input } of [...world.schedules.values()]) {
      await world.machine.run(crypto.randomUUID(), input);
    }
    const rows = await Promise.all(all.map((_, index) => rowOf(world, index + 1)));
    expect(rows.map((row) => row?.status)).toEqual(
      all.map((_, index) => (index === 12 ? undefined : index === 0 ? 'SUCCESS' : 'PARTIAL')),
    );
  });
});

describe('schedules of a cloud without time zones', () => {
  it('are instants of the next run, under names that no recurring one has had', async () => {
    const timed = { mode: 'timed', value: '06:30' } as const;
    const utc = named(1, { jobConfig: { ...timed, timezone: 'UTC' } });
    const zoned = named(2, { jobConfig: { ...timed, timezone: 'Asia/Ho_Chi_Minh' } });
    const world = await syncWorld(utc, { others: [zoned] });
    const name = 'source-2-0';
    world.schedules.set(name, {
      ...{ name, expression: 'rate(6 hours)', timezone: 'UTC', input: {} },
    });

    await world.pass.run();

    const found = [...world.schedules].map(([key, each]) => [key, each.expression.split('(')[0]]);
    expect(found.sort()).toEqual([
      ['source-1-0', 'cron'],
      ['source-2-0-at', 'at'],
    ]);
  });
});

describe('a source whose clock is another one than ours', () => {
  it.each([-HOUR_MS, HOUR_MS])('by %i ms loses no change of an incremental run', async (skew) => {
    const basicConfig = JSON.stringify({ incrementalEnabled: true });
    const world = await syncWorld(aSource({ basicConfig }));
    const { directory, context } = world;
    const change = (id: string, nickName: string) => {
      const meta = { lastModified: new Date(directory.time).toISOString() };
      directory.users.set(id, { ...directory.users.get(id), id, userName: id, nickName, meta });
    };
    const tick = (ms: number) => {
      context.clock.advance(ms);
      directory.time = context.clock.now() + skew;
    };
    tick(0);
    for (const id of ['a', 'b', 'c']) change(id, 'old');
    expect((await world.byHand({ mode: 'FULL' })).user.counts.created).toBe(3);

    for (const [round, id] of ['a', 'b', 'c'].entries()) {
      tick(60_000);
      // After the list was read, while the run still goes on.
      world.machine.beforeState = (state) => {
        if (state === 'Plan') change(id, `seen later ${round}`);
      };
      await world.byHand({ mode: 'INCREMENTAL' });
      world.machine.beforeState = () => undefined;
      tick(60_000);
      const { user } = await world.byHand({ mode: 'INCREMENTAL' });
      expect(user).toMatchObject({ status: 'SUCCESS', syncMode: 'INCREMENTAL' });
      const account = await world.accounts.findByUsername(id);
      expect(account?.nickName).toBe(`seen later ${round}`);
    }
  });
});
