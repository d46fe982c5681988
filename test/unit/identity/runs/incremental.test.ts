import { describe, expect, it } from 'vitest';
import { TableUsers } from '../../../../functions/identity/store/accounts/user-repository.ts';
import type { UserRepository } from '../../../../shared/ports/identity.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';
import type { TestContext } from '../../../helpers/world/a-context.ts';

const SOURCE = aSource({ basicConfig: JSON.stringify({ incrementalEnabled: true }) });
const CHANGED_AT = '2026-03-01T09:00:30.000Z';

/** A source that was read whole a minute ago. */
async function imported(
  count: number,
  users?: (context: TestContext) => UserRepository,
): Promise<SyncWorld> {
  const world = await syncWorld(SOURCE, users && { users });
  world.directory.pageSize = 50;
  world.fill(count);
  await world.byHand();
  world.directory.time += 60_000;
  return world;
}
const stamped = ({ directory: { users } }: SyncWorld, id: string, more: object) =>
  users.set(id, { id, ...users.get(id), ...more, meta: { lastModified: CHANGED_AT } });
const named = (world: SyncWorld, name: string) =>
  [...world.accounts.all.values()].find(({ userName }) => userName === name);

describe('an incremental run', () => {
  it('reads what has changed since the last one, by the clock of the source', async () => {
    const world = await imported(30);
    stamped(world, 'u-001', { nickName: 'A' });

    const { user } = await world.byJob();

    expect(user).toMatchObject({
      ...{ syncMode: 'INCREMENTAL', sourceTotal: 1 },
      counts: { updated: 1, deleted: 0 },
    });
    expect((await world.state()).watermark).toBe('2026-03-01T09:01:00.000Z');
  });

  it('reads everything when somebody is gone, and after a day', async () => {
    const world = await imported(30);
    world.directory.users.delete('u-001');
    expect((await world.byJob()).user).toMatchObject({ syncMode: 'FULL', counts: { deleted: 1 } });
    world.context.clock.advance(24 * 3_600_000);
    expect((await world.byJob()).user.syncMode).toBe('FULL');
    expect((await world.byJob()).user.syncMode).toBe('INCREMENTAL');
  });

  it('looks up the accounts of those who have changed, and walks over no others', async () => {
    const world = await imported(30);
    stamped(world, 'u-001', { nickName: 'A' });
    stamped(world, 'u-900', { userName: 'new' });
    const { walks } = world.accounts;

    const { user } = await world.byJob();

    expect(user).toMatchObject({ syncMode: 'INCREMENTAL', counts: { updated: 1, created: 1 } });
    expect(world.accounts.walks).toBe(walks);
    await world.byHand({ externalIds: ['u-002'] });
    expect(world.accounts.walks).toBe(walks);
  });

  it('sends the same requests whether few or many are linked', async () => {
    const requestsOf = async (count: number) => {
      const world = await imported(count, (context) => new TableUsers(context));
      stamped(world, 'u-001', { nickName: 'A' });
      const { meter } = world.context.db;
      meter.reset();
      const { user } = await world.byJob();
      expect(user).toMatchObject({ syncMode: 'INCREMENTAL', counts: { updated: 1 } });
      return meter.total().requests.map((request) => request.split(' ')[0]);
    };

    expect(await requestsOf(400)).toEqual(await requestsOf(20));
  });

  it('keeps whoever only the list has lost, or does not list', async () => {
    const world = await imported(30);
    for (const id of ['u-003', 'u-004']) world.directory.hidden.add(id);
    stamped(world, 'u-001', { nickName: 'A' });
    world.directory.count = async () => 30;

    const { user } = await world.byJob();

    expect(user).toMatchObject({ syncMode: 'INCREMENTAL', counts: { updated: 1, deleted: 0 } });
    expect([...world.accounts.all.values()].every(({ status }) => status === 'ENABLED')).toBe(true);
  });

  it('weighs removals against everybody who is linked', async () => {
    const world = await imported(100);
    const disable = (from: number, to: number) => {
      for (let at = from; at < to; at += 1) {
        stamped(world, `u-${String(at).padStart(3, '0')}`, { active: false });
      }
    };
    disable(0, 15);
    expect((await world.byJob()).user).toMatchObject({
      ...{ status: 'SUCCESS', syncMode: 'INCREMENTAL', counts: { disabled: 15 } },
    });
    disable(15, 40);
    const { user } = await world.byJob();

    expect(user).toMatchObject({ status: 'SUSPENDED', reasonCode: 'TOO_MANY_REMOVALS' });
    expect(user.desc).toBe('25 of 85 accounts would be removed or disabled.');
  });

  it('gives the old account to whoever is back under another id and name', async () => {
    const world = await imported(5);
    stamped(world, 'u-001', { externalId: 'E-1' });
    await world.byJob();
    const before = named(world, 'user-1');
    const former = world.directory.users.get('u-001');
    world.directory.users.delete('u-001');
    stamped(world, 'u-new', { ...former, id: 'u-new', userName: 'another' });

    const { user } = await world.byJob();

    expect(user).toMatchObject({
      ...{ syncMode: 'INCREMENTAL', status: 'SUCCESS' },
      counts: { created: 0, updated: 1, deleted: 0 },
    });
    expect(named(world, 'another')).toMatchObject({
      ...{ id: before?.id, links: [{ externalId: 'u-new' }] },
    });
  });

  it.each([
    ['its id', { id: 'claim' }],
    ['its externalId', { id: 'u-900', externalId: 'claim' }],
    ['its user name', { id: 'u-900', userName: 'claim' }],
  ])('adopts the account of a login whose claim is %s', async (_name, resource) => {
    const world = await imported(2);
    world.providerIds.push('customers', 'staff');
    const link = { sourceId: 'staff', externalId: 'sub-1', hash: 'login', active: true };
    await world.accounts.createMany([
      {
        ...{ id: 'jit', userName: 'lan.nguyen', orgIds: [], status: 'ENABLED', origin: 'IDP' },
        links: [{ ...link, alias: 'claim' }],
      },
    ]);
    stamped(world, resource.id, { userName: 'lan', ...resource });

    const { user } = await world.byJob();

    expect(user).toMatchObject({ syncMode: 'INCREMENTAL', counts: { created: 0, updated: 1 } });
    expect(world.accounts.all.size).toBe(3);
  });

  it('knows whoever has left the scope of groups, and removes them as far as the guard lets it', async () => {
    const base = aSource();
    const scope = { includeGroups: ['Berlin'], excludeGroups: [] };
    const world = await syncWorld(
      aSource({ ...SOURCE, strategyConfig: { ...base.strategyConfig, scope } }),
    );
    world.fill(20);
    await world.byHand();
    expect(world.accounts.all.size).toBe(10);
    world.directory.time += 60_000;
    const members = [...world.directory.users.keys()].filter((id, at) => at % 2 && id !== 'u-001');
    world.directory.groups.set('g-b', {
      ...world.directory.groups.get('g-b'),
      members: members.map((value) => ({ value, type: 'User' })),
    });
    stamped(world, 'u-001', { nickName: 'A' });

    const { user } = await world.byJob();

    expect(user).toMatchObject({ syncMode: 'INCREMENTAL', counts: { deleted: 1, updated: 0 } });
    expect(named(world, 'user-1')?.status).toBe('DISABLED');
  });
});
