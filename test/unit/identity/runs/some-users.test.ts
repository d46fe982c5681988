import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

async function imported(count: number): Promise<SyncWorld> {
  const world = await syncWorld();
  world.fill(count);
  await world.byHand();
  return world;
}
const renamed = (world: SyncWorld, id: string, displayName: string) =>
  world.directory.users.set(id, { ...world.directory.users.get(id), displayName });
const names = (world: SyncWorld) =>
  [...world.accounts.all.values()].flatMap(({ userName, fullName }) =>
    fullName === undefined ? [] : [userName],
  );

describe('a run of some users', () => {
  it('compares nobody else, and leaves how far the source is known', async () => {
    const world = await imported(30);
    const before = await world.state();
    for (const id of ['u-001', 'u-002', 'u-003']) renamed(world, id, 'Somebody');
    world.directory.users.set('u-900', { id: 'u-900', userName: 'new' });
    world.directory.users.delete('u-005');
    world.directory.time += 3_600_000;

    const { user } = await world.byHand({ externalIds: ['u-001', 'u-002', 'u-001', 'u-900'] });

    expect(user).toMatchObject({
      ...{ status: 'SUCCESS', syncMode: 'INCREMENTAL', sourceTotal: 3, isOfSome: true },
      counts: { updated: 2, created: 1, deleted: 0, unchanged: 0 },
    });
    expect(names(world)).toEqual(['user-1', 'user-2']);
    const { watermark, lastFullAt, appliedFence, health } = before;
    expect(await world.state()).toMatchObject({ watermark, lastFullAt, appliedFence, health });
    expect([...world.stored.keys()]).toEqual([]);
  });

  it('disables who is gone, and says of whom it can say nothing', async () => {
    const world = await imported(12);
    world.directory.users.delete('u-003');

    const { user } = await world.byHand({ externalIds: ['u-003', 'u-777'] });

    expect(user).toMatchObject({ status: 'PARTIAL', counts: { deleted: 1, failed: 1 } });
    expect(await world.records(user.id)).toMatchObject([
      { externalId: 'u-003', actionType: 'DISABLE', reasonCode: 'MISSING' },
      { externalId: 'u-777', status: 'FAIL', reasonCode: 'NOT_FOUND' },
    ]);
  });

  it('takes nobody in who is out of the scope', async () => {
    const base = aSource();
    const scope = { userFilter: 'title eq "x"', includeGroups: [], excludeGroups: [] };
    const world = await syncWorld(aSource({ strategyConfig: { ...base.strategyConfig, scope } }));
    world.fill(2);
    world.directory.count = async () => 0;

    const { user } = await world.byHand({ externalIds: ['u-000'] });

    expect(await world.records(user.id)).toMatchObject([{ reasonCode: 'OUT_OF_SCOPE' }]);
    expect(world.accounts.all.size).toBe(0);
  });

  it('puts a new user into a department that it makes, and removes none', async () => {
    const world = await imported(4);
    world.directory.users.set('u-900', { id: 'u-900', userName: 'new' });
    world.directory.groups.set('g-new', {
      ...{ id: 'g-new', displayName: 'Hanoi' },
      members: [{ value: 'u-900', type: 'User' }],
    });
    world.directory.groups.delete('g-b');

    const { organization } = await world.byHand({ externalIds: ['u-900'] });

    expect(organization.counts).toMatchObject({ created: 1, deleted: 0 });
    expect(world.departments.seen()).toContain('Crew/Hanoi');
    expect(world.departments.seen()).toContain('Crew/All/Berlin');
    const { user } = await world.byHand();
    expect(user.counts).toMatchObject({ failed: 0, deleted: 0 });
  });

  it('is looked at before, and approved as it was', async () => {
    const world = await imported(4);
    renamed(world, 'u-001', 'Ann');
    const { watermark } = await world.state();
    world.directory.time += 3_600_000;
    const dry = await world.byHand({ externalIds: ['u-001'], dryRun: true });
    expect(dry.user.status).toBe('PREVIEW');
    expect(names(world)).toEqual([]);

    await world.sync.approve(dry.user.batch, systemPrincipal);
    await world.machine.work();

    expect(names(world)).toEqual(['user-1']);
    expect(await world.state()).toMatchObject({ watermark });
  });

  it('goes on where its step had no more time', async () => {
    const world = await imported(60);
    const ids = [...world.directory.users.keys()];
    for (const id of ids) renamed(world, id, 'Somebody');
    let asked = 0;
    world.directory.beforeAnswer = (path) => {
      if (path.startsWith('/Users/')) asked += 1;
      if (asked === 26) world.context.clock.advance(9 * 60_000);
    };

    const { user } = await world.byHand({ externalIds: ids });

    expect(user.counts.updated).toBe(60);
    expect(world.machine.entered.filter((name) => name === 'Read the source').length).toBe(3);
  });
});

describe('a retry', () => {
  it('applies what has failed in a run, and nothing else', async () => {
    const world = await imported(12);
    const [taken] = await world.accounts.createMany([
      {
        ...{ id: 'local', userName: 'other', email: 'n@example.com', orgIds: [] },
        ...{ status: 'ENABLED', origin: 'LOCAL', links: [] },
      },
    ]);
    expect(taken?.kind).toBe('ok');
    const emails = [{ value: 'n@example.com' }];
    world.directory.users.set('u-900', { id: 'u-900', userName: 'new', emails });
    const failed = await world.byHand();
    expect(failed.user).toMatchObject({ status: 'PARTIAL', counts: { failed: 1 } });
    await world.accounts.remove('local');
    renamed(world, 'u-001', 'Not of it');

    const { batch } = await world.sync.retry(failed.user.batch, systemPrincipal);
    await world.machine.work();

    const { user } = await world.rows(batch);
    expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: 1, updated: 0 } });
    expect(names(world)).toEqual([]);
  });

  it('removes departments that could not be', async () => {
    const world = await imported(4);
    const { remove } = world.departments;
    world.departments.remove = async () => ({
      ...{ kind: 'failed', code: 'REPOSITORY_ERROR', detail: 'not now' },
    });
    const members: unknown[] = [];
    world.directory.groups.set('g-all', { id: 'g-all', displayName: 'All', members });
    world.directory.groups.delete('g-b');
    const failed = await world.byHand();
    expect(failed.organization.counts.failed).toBe(1);
    world.departments.remove = remove;

    await world.sync.retry(failed.user.batch, systemPrincipal);
    await world.machine.work();

    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All']);
  });

  it('is refused where nothing has failed, or the plan still waits', async () => {
    const world = await imported(4);
    world.directory.users.set('u-900', { id: 'u-900' });
    const dry = await world.byHand({ dryRun: true });
    world.directory.beforeAnswer = () => {
      throw new SourceError('LOGIN_FAILED', 'no');
    };
    const failed = await world.byHand();
    const codes = await Promise.all(
      [dry.user.batch, failed.user.batch, 'none'].map((batch) =>
        world.sync.retry(batch, systemPrincipal).catch(({ code }: { code: string }) => code),
      ),
    );

    expect(codes).toEqual(['RUN_STATE', 'NOTHING_FAILED', 'SYNC_RUN_NOT_FOUND']);
  });
});
