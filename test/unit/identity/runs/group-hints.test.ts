import { describe, expect, it } from 'vitest';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const source = aSource();
const hint = (world: SyncWorld, externalId: string, objectType: 'USER' | 'ORGANIZATION') =>
  world.sync.applyOne(source, { objectType, externalId });
const ofGroup = (world: SyncWorld, externalId: string) => hint(world, externalId, 'ORGANIZATION');

async function imported(count = 6): Promise<SyncWorld> {
  const world = await syncWorld(source);
  world.fill(count);
  await world.byHand();
  return world;
}

const group = (
  world: SyncWorld,
  id: string,
  displayName: string,
  members: readonly string[] = [],
) =>
  world.directory.groups.set(id, {
    ...{ id, displayName },
    members: members.map((value) => ({ value, type: value.startsWith('g-') ? 'Group' : 'User' })),
  });

/** Names of the departments of a user. */
const placeOf = (world: SyncWorld, userName: string) =>
  [...world.accounts.all.values()]
    .find((each) => each.userName === userName)
    ?.orgIds.map((id) => world.departments.all.get(id)?.name);

describe('an event about a group', () => {
  it('makes its department below those above it, with those who are in it', async () => {
    const world = await imported();
    group(world, 'g-new', 'Hanoi', ['u-000', 'g-below']);
    group(world, 'g-below', 'Hoan Kiem', ['u-002']);

    const outcome = await ofGroup(world, 'g-below');

    expect(outcome).toMatchObject({
      ...{ status: 'SUCCESS', actionType: 'INSERT', objectName: 'Hoan Kiem' },
    });
    expect(world.departments.seen()).toContain('Crew/Hanoi/Hoan Kiem');
    expect(placeOf(world, 'user-2')).toEqual(['Hoan Kiem']);
    expect(placeOf(world, 'user-0')).toEqual(['Crew']);
    const { user, organization } = await world.byHand();
    expect([organization.counts.unchanged, user.counts.updated]).toEqual([4, 1]);
  });

  it('renames and moves it, and takes those out of it who have left', async () => {
    const world = await imported();
    expect(placeOf(world, 'user-1')).toEqual(['Berlin']);
    group(world, 'g-all', 'All');
    group(world, 'g-b', 'Bonn', ['u-003', 'u-005']);

    const outcome = await ofGroup(world, 'g-b');
    const again = await ofGroup(world, 'g-b');

    expect(outcome).toMatchObject({ status: 'SUCCESS', actionType: 'MOVE' });
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All', 'Crew/Bonn']);
    expect(placeOf(world, 'user-1')).toEqual(['Crew']);
    expect(placeOf(world, 'user-3')).toEqual(['Bonn']);
    expect(again.status).toBe('SKIP');
  });

  it('removes an empty one once the source does not know it, else asks for a run', async () => {
    const world = await imported();
    group(world, 'g-all', 'All');
    world.directory.groups.delete('g-b');

    const filled = await ofGroup(world, 'g-b');
    for (const id of [...world.directory.users.keys()]) await hint(world, id, 'USER');
    const empty = await ofGroup(world, 'g-b');

    expect(filled).toMatchObject({ status: 'SKIP', needsRun: true, desc: 'NOT_EMPTY' });
    expect(empty).toMatchObject({ status: 'SUCCESS', actionType: 'DELETE', objectName: 'Berlin' });
    expect(empty.needsRun).toBeUndefined();
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All']);
  });

  it('removes nothing that a list alone has lost, or of a source that finds no group by id', async () => {
    const world = await imported(1);
    const { find } = world.directory;
    const lost = world.directory.groups.get('g-b') ?? {};
    world.directory.groups.delete('g-b');
    world.directory.find = async (kind, id) =>
      id === 'g-b' ? lost : find.call(world.directory, kind, id);
    const listed = await ofGroup(world, 'g-b');
    world.directory.find = async (kind, id) =>
      kind === 'Groups' ? undefined : find.call(world.directory, kind, id);

    const blind = await ofGroup(world, 'g-b');

    expect(listed.status).toBe('SKIP');
    expect(blind).toMatchObject({ status: 'FAIL', desc: 'SOURCE_UNREACHABLE' });
    expect(world.departments.seen()).toContain('Crew/All/Berlin');
  });

  it('asks for a run where many have come', async () => {
    const world = await imported(60);
    group(world, 'g-all', 'All', [...world.directory.users.keys()]);

    const outcome = await ofGroup(world, 'g-all');

    expect(outcome).toMatchObject({ status: 'SKIP', needsRun: true });
  });

  it('does nothing before the first run, out of the scope, or while a run holds the source', async () => {
    const world = await syncWorld(source);
    world.fill(2);
    const before = await ofGroup(world, 'g-b');
    await world.byHand();
    group(world, 'g-x', 'Elsewhere');
    const base = source.strategyConfig;
    const scope = { includeGroups: ['All'], excludeGroups: [] };
    const scoped = aSource({ strategyConfig: { ...base, scope } });
    const outside = await world.sync.applyOne(scoped, {
      ...{ objectType: 'ORGANIZATION', externalId: 'g-x' },
    });
    const leaseUntil = world.context.clock.now() + 60_000;
    const lock = await world.locks.of('source-1');
    await world.context.unitOfWork(async (unit) =>
      world.locks.stage(unit, { ...lock, owner: 'somebody', leaseUntil }),
    );

    expect([before.status, outside.status]).toEqual(['SKIP', 'SKIP']);
    expect((await ofGroup(world, 'g-b')).status).toBe('BUSY');
    expect(world.departments.seen()).not.toContain('Crew/Elsewhere');
  });
});

describe('an event about a user', () => {
  it('makes the department that the user is in, so that no run has to move the account', async () => {
    const world = await imported(2);
    world.directory.users.set('u-9', { id: 'u-9', userName: 'nine' });
    group(world, 'g-new', 'Hanoi', ['u-9']);

    const outcome = await hint(world, 'u-9', 'USER');

    expect(outcome).toMatchObject({ status: 'SUCCESS', actionType: 'INSERT' });
    expect(placeOf(world, 'nine')).toEqual(['Hanoi']);
  });

  it('leaves the user in a department that the list has lost', async () => {
    const world = await imported(4);
    const { find } = world.directory;
    const lost = world.directory.groups.get('g-b') ?? {};
    world.directory.groups.delete('g-b');
    world.directory.find = async (kind, id) =>
      id === 'g-b' ? lost : find.call(world.directory, kind, id);

    const outcome = await hint(world, 'u-001', 'USER');

    expect(outcome.status).toBe('SKIP');
    expect(placeOf(world, 'user-1')).toEqual(['Berlin']);
  });
});
