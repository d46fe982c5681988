import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../../functions/identity/domain/sources/source.ts';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const imported = async (count: number, source = aSource()): Promise<SyncWorld> => {
  const world = await syncWorld(source);
  world.fill(count);
  const { user } = await world.byHand();
  expect(world.machine.failures).toEqual([]);
  expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: count, failed: 0 } });
  return world;
};
const withUser = (user: object) =>
  aSource({
    strategyConfig: {
      ...DEFAULT_STRATEGY,
      user: { ...DEFAULT_STRATEGY.user, enabled: true, ...user },
    },
  });
const named = (world: SyncWorld, userName: string) =>
  [...world.accounts.all.values()].find((each) => each.userName === userName);

describe('a first run', () => {
  it('makes departments and accounts, and says what it did', async () => {
    const world = await imported(40);
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All', 'Crew/All/Berlin']);
    expect(world.accounts.all.size).toBe(40);
    expect(named(world, 'user-1')).toMatchObject({
      status: 'ENABLED',
      origin: 'SOURCE',
      email: 'u-001@example.com',
    });
    const [{ batch } = { batch: '' }] = (await world.history.page('source-1', {}, { size: 2 }))
      .content;
    const { user, organization } = await world.rows(batch);
    expect(organization).toMatchObject({
      status: 'SUCCESS',
      counts: { created: 2 },
      sourceTotal: 2,
    });
    expect(user).toMatchObject({ sourceTotal: 40, triggerType: 'MANUAL', requestedBy: 'system' });
    expect(await world.records(user.id)).toHaveLength(40);
    expect(await world.state()).toMatchObject({
      health: { status: 'OK' },
      watermark: '2026-03-01T09:00:00.000Z',
    });
    expect((await world.state()).runningBatch).toBeUndefined();
    expect([...world.stored.keys()]).toEqual([]);
  });

  it('has nothing to do the second time, and writes no account', async () => {
    const world = await imported(40);
    const before = world.accounts.writes + world.departments.writes;
    const { user, organization } = await world.byJob();
    expect(world.accounts.writes + world.departments.writes).toBe(before);
    expect(user).toMatchObject({
      status: 'SUCCESS',
      triggerType: 'JOB',
      counts: { unchanged: 40, created: 0 },
    });
    expect(organization.counts.unchanged).toBe(2);
    expect(await world.records(user.id)).toEqual([]);
  });

  it('leaves new accounts to an administrator where the strategy says so', async () => {
    const world = await imported(2, withUser({ enabled: false }));
    expect(named(world, 'user-0')).toMatchObject({ status: 'DISABLED', disabledBy: 'ADMIN' });
  });
});

describe('what changes at the source', () => {
  it('changes accounts, with the fields that it changed', async () => {
    const world = await imported(4);
    const user = world.directory.users.get('u-001') ?? {};
    world.directory.users.set('u-001', { ...user, displayName: 'Ann', emails: [] });
    world.directory.users.set('u-002', { ...world.directory.users.get('u-002'), active: false });
    world.directory.groups.set('g-b', { id: 'g-b', displayName: 'Berlin', members: [] });
    const { user: row } = await world.byHand();
    expect(row.counts).toMatchObject({ updated: 2, disabled: 1, unchanged: 1 });
    const records = await world.records(row.id);
    expect(records.map(({ objectName, actionType }) => `${objectName} ${actionType}`)).toEqual([
      'user-1 UPDATE',
      'user-2 DISABLE',
      'user-3 MOVE',
    ]);
    expect(records[0]?.changes).toMatchObject([
      { field: 'email', from: 'u-001@example.com', to: null },
      { field: 'fullName', from: null, to: 'Ann' },
      { field: 'orgIds' },
    ]);
    expect(named(world, 'user-2')).toMatchObject({ status: 'DISABLED', disabledBy: 'SOURCE' });
  });

  it('enables who is back, but not whom an administrator has disabled', async () => {
    const world = await imported(3);
    for (const id of ['u-001', 'u-002']) {
      world.directory.users.set(id, { ...world.directory.users.get(id), active: false });
    }
    await world.byHand();
    await world.accounts.setStatus(named(world, 'user-2')?.id ?? '', 'DISABLED', 'ADMIN');
    for (const id of ['u-001', 'u-002']) {
      world.directory.users.set(id, { ...world.directory.users.get(id), active: true });
    }
    await world.byHand();
    expect(named(world, 'user-1')?.status).toBe('ENABLED');
    expect(named(world, 'user-2')).toMatchObject({ status: 'DISABLED', disabledBy: 'ADMIN' });
  });

  it('tells of a department with two parents both what was done and what was noted', async () => {
    const world = await syncWorld();
    world.fill(2);
    const children = [{ value: 'g-b', type: 'Group' }];
    world.directory.groups.set('g-x', { id: 'g-x', displayName: 'Other', members: children });

    const { organization } = await world.byHand();

    expect(organization.counts).toMatchObject({ created: 3, skipped: 1 });
    const told = (await world.records(organization.id)).filter((each) => each.externalId === 'g-b');
    expect(told.map(({ status, reasonCode }) => reasonCode ?? status).sort()).toEqual([
      ...['MULTIPLE_PARENTS', 'SUCCESS'],
    ]);
  });

  it('renames, moves and removes departments, but none that somebody is in', async () => {
    const world = await imported(4);
    world.directory.groups.set('g-all', { id: 'g-all', displayName: 'Everyone', members: [] });
    await world.byHand();
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/Berlin', 'Crew/Everyone']);
    world.directory.groups.delete('g-b');
    const { organization } = await world.byHand();
    expect(organization.counts).toMatchObject({ deleted: 1 });
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/Everyone']);
  });
});

describe('who is missing', () => {
  it('is disabled once the source has confirmed it, and only once', async () => {
    const world = await imported(5);
    world.directory.users.delete('u-001');
    const { user } = await world.byHand();
    expect(user.counts).toMatchObject({ deleted: 1, unchanged: 4 });
    expect(await world.records(user.id)).toMatchObject([
      { actionType: 'DISABLE', reasonCode: 'MISSING' },
    ]);
    expect(named(world, 'user-1')).toMatchObject({ status: 'DISABLED', disabledBy: 'SOURCE' });
    const again = await world.byHand();
    expect(again.user.counts).toMatchObject({ deleted: 0, unchanged: 4 });
  });

  it('is kept when the list alone has lost it, or the source does not answer', async () => {
    const world = await imported(5);
    world.directory.hidden.add('u-001');
    world.directory.users.delete('u-002');
    world.directory.beforeAnswer = (path) => {
      if (path.endsWith('u-002')) throw new SourceError('SOURCE_FAILED', 'The source answers 500');
    };
    const { user } = await world.byHand();
    expect(user).toMatchObject({
      status: 'PARTIAL',
      counts: { skipped: 1, failed: 1, deleted: 0 },
    });
    const reasons = (await world.records(user.id)).map(({ reasonCode }) => reasonCode);
    expect(reasons).toEqual(['STILL_PRESENT', 'SOURCE_UNREACHABLE']);
    expect(named(world, 'user-2')?.status).toBe('ENABLED');
  });

  it('is removed, or only forgotten where the account is somebody else’s too', async () => {
    const world = await imported(5, withUser({ onMissing: 'DELETE' }));
    const shared = named(world, 'user-2')?.id ?? '';
    await world.accounts.link(shared, {
      sourceId: 'other',
      externalId: 'x',
      hash: '',
      active: true,
    });
    world.directory.users.delete('u-001');
    world.directory.users.delete('u-002');
    await world.byHand();
    expect(named(world, 'user-1')).toBeUndefined();
    expect(named(world, 'user-2')).toMatchObject({
      status: 'ENABLED',
      links: [{ sourceId: 'other' }],
    });
  });

  it('gets the old account under a new id, once the old one is gone', async () => {
    const world = await imported(5);
    const before = named(world, 'user-1');
    world.directory.users.set('u-new', { ...world.directory.users.get('u-001'), id: 'u-new' });
    const conflict = await world.byHand();
    expect(conflict.user.counts).toMatchObject({ failed: 1, created: 0 });
    world.directory.users.delete('u-001');
    const { user } = await world.byHand();
    expect(user).toMatchObject({ status: 'SUCCESS', counts: { updated: 1, deleted: 0 } });
    expect(named(world, 'user-1')).toMatchObject({
      id: before?.id,
      links: [{ externalId: 'u-new' }],
    });
  });

  it('gets it also under another name, known by externalId, and no account twice', async () => {
    const world = await syncWorld();
    world.fill(5);
    const user = { ...world.directory.users.get('u-001'), externalId: 'E-1' };
    world.directory.users.set('u-001', user);
    await world.byHand();
    const before = named(world, 'user-1');
    const emails = [{ value: 'another@example.com' }];
    const back = { ...user, id: 'u-new', userName: 'another', emails };
    world.directory.users.set('u-new', back);
    const both = await world.byHand();
    expect(both.user.counts).toMatchObject({ created: 1, failed: 0 });
    await world.accounts.remove(named(world, 'another')?.id ?? '');
    world.directory.users.delete('u-001');

    const { user: row } = await world.byHand();

    expect(row).toMatchObject({ status: 'SUCCESS', counts: { created: 0, deleted: 0 } });
    expect(named(world, 'another')).toMatchObject({
      ...{ id: before?.id, status: 'ENABLED' },
      links: [{ externalId: 'u-new' }],
    });
    expect(world.accounts.links.get('source-1/u-new')).toMatchObject({ alias: 'E-1' });
    expect((await world.records(row.id)).map(({ actionType }) => actionType)).toEqual(['LINK']);
  });
});

describe('an account that a login has made before', () => {
  it.each([
    ['its id', { id: 'claim' }],
    ['its externalId', { id: 'u-900', externalId: 'claim' }],
    ['its user name', { id: 'u-900', userName: 'claim' }],
  ])('is adopted when the claim is %s, whatever it is called', async (_name, resource) => {
    const world = await imported(2);
    world.providerIds.push('staff');
    const link = { sourceId: 'staff', externalId: 'sub-1', hash: 'login', active: true };
    await world.accounts.createMany([
      {
        ...{ id: 'jit', userName: 'lan.nguyen', orgIds: [], status: 'ENABLED', origin: 'IDP' },
        links: [{ ...link, alias: 'claim' }],
      },
    ]);
    const person = { userName: 'lan', ...resource };
    world.directory.users.set(person.id, person);

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: 0, updated: 1 } });
    expect(world.accounts.all.get('jit')).toMatchObject({
      userName: person.userName,
      links: [{ sourceId: 'staff' }, { sourceId: 'source-1', externalId: person.id }],
    });
    expect(world.accounts.all.size).toBe(3);
  });
});

describe('names that are taken', () => {
  const local = (world: SyncWorld, userName: string) =>
    world.accounts.createMany([
      {
        id: `local-${userName}`,
        userName,
        orgIds: [],
        status: 'ENABLED',
        origin: 'LOCAL',
        links: [],
      },
    ]);

  it('fail one record and no other', async () => {
    const world = await syncWorld();
    world.fill(4);
    await local(world, 'User-1');
    const { user } = await world.byHand();
    expect(user).toMatchObject({ status: 'PARTIAL', counts: { created: 3, failed: 1 } });
    expect((await world.records(user.id)).find(({ status }) => status === 'FAIL')).toMatchObject({
      ...{ objectName: 'user-1', reasonCode: 'USERNAME_CONFLICT' },
    });
  });

  it('are linked where the strategy says so', async () => {
    const world = await syncWorld(withUser({ matching: 'username_link' }));
    world.fill(2);
    await local(world, 'user-1');
    const { user } = await world.byHand();
    expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: 1, updated: 1 } });
    expect(named(world, 'user-1')).toMatchObject({
      id: 'local-user-1',
      links: [{ externalId: 'u-001' }],
    });
  });
});

describe('the guard', () => {
  const shrunk = async () => {
    const world = await imported(40);
    for (let index = 0; index < 12; index += 1)
      world.directory.users.delete(`u-0${String(index).padStart(2, '0')}`);
    return { world, writes: world.accounts.writes };
  };

  it('holds a run back that would remove many, and its approval applies exactly that plan', async () => {
    const { world, writes } = await shrunk();
    const { user } = await world.byJob();
    expect(user).toMatchObject({ status: 'SUSPENDED', reasonCode: 'TOO_MANY_REMOVALS' });
    expect(world.accounts.writes).toBe(writes);
    expect((await world.state()).health.status).toBe('SUSPENDED');
    expect(await world.records(user.id)).toHaveLength(12);
    world.directory.users.delete('u-039');
    await world.sync.approve(user.batch, systemPrincipal);
    await world.machine.work();
    const approved = await world.rows(user.batch);
    expect(approved.user).toMatchObject({ status: 'SUCCESS', counts: { deleted: 12, skipped: 0 } });
    expect(named(world, 'user-39')?.status).toBe('ENABLED');
    expect((await world.state()).health.status).toBe('OK');
  });

  it('lets an accepted run pass, and only of a run that was held back', async () => {
    const { world } = await shrunk();
    const { user } = await world.byHand();
    const request = { acceptDeletions: user.batch };
    expect((await world.byHand(request)).user).toMatchObject({
      status: 'SUCCESS',
      counts: { deleted: 12 },
    });
    const other = await world.byHand();
    await expect(world.byHand({ acceptDeletions: other.user.batch })).rejects.toMatchObject({
      code: 'RUN_STATE',
    });
  });

  it('does not approve a plan that another run has overtaken', async () => {
    const { world } = await shrunk();
    const { user } = await world.byHand();
    await world.byHand({ acceptDeletions: user.batch });
    await expect(world.sync.approve(user.batch, systemPrincipal)).rejects.toMatchObject({
      code: 'RUN_STATE',
    });
  });

  it('holds an empty source back', async () => {
    const world = await imported(3);
    world.directory.users.clear();
    expect((await world.byJob()).user).toMatchObject({
      status: 'SUSPENDED',
      reasonCode: 'SOURCE_EMPTY',
    });
    expect(named(world, 'user-1')?.status).toBe('ENABLED');
  });
});

describe('a dry run', () => {
  it('tells what would be done, and writes no account', async () => {
    const world = await imported(4);
    const { writes } = world.accounts;
    world.directory.users.set('u-001', { ...world.directory.users.get('u-001'), nickName: 'A' });
    world.directory.users.set('u-9', { id: 'u-9', userName: 'nine' });
    world.directory.users.delete('u-002');
    const { user } = await world.byHand({ dryRun: true });
    expect(user.status).toBe('PREVIEW');
    expect(world.accounts.writes).toBe(writes);
    const planned = (await world.records(user.id)).map(({ actionType, objectName, reasonCode }) =>
      [actionType, objectName, reasonCode].join(' '),
    );
    expect(planned.sort()).toEqual([
      'DELETE user-2 PLANNED',
      'INSERT nine PLANNED',
      'UPDATE user-1 PLANNED',
    ]);
    await world.sync.approve(user.batch, systemPrincipal);
    await world.machine.work();
    expect((await world.rows(user.batch)).user).toMatchObject({
      ...{ status: 'SUCCESS', counts: { created: 1, updated: 1, deleted: 1 } },
    });
  });
});
