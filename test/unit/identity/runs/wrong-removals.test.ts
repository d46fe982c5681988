import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../../functions/identity/domain/sources/source.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const strategy = (more: object = {}, user: object = {}) => ({
  strategyConfig: {
    ...DEFAULT_STRATEGY,
    ...more,
    user: { ...DEFAULT_STRATEGY.user, enabled: true, ...user },
  },
});
const imported = async (count: number, source = aSource()): Promise<SyncWorld> => {
  const world = await syncWorld(source);
  world.fill(count);
  expect((await world.byHand()).user.status).toBe('SUCCESS');
  return world;
};
const named = (world: SyncWorld, userName: string) =>
  [...world.accounts.all.values()].find((each) => each.userName === userName);
const disabled = (world: SyncWorld) =>
  [...world.accounts.all.values()].filter(({ status }) => status === 'DISABLED');
const hideGroup = (world: SyncWorld, id: string): void => {
  const { page } = world.directory;
  world.directory.page = async (request) => {
    const read = await page.call(world.directory, request);
    const resources = read.resources.filter((each) => each.id !== id);
    return request.kind === 'Groups' ? { ...read, resources } : read;
  };
};
const user = (world: SyncWorld, id: string, more: object): void => {
  world.directory.users.set(id, { ...world.directory.users.get(id), ...more });
};
const hint = (world: SyncWorld, source: ReturnType<typeof aSource>, externalId: string) =>
  world.sync.applyOne(source, { objectType: 'USER', externalId });

describe('a group that the list has lost', () => {
  it('stays a department, with its members', async () => {
    const world = await imported(6);
    const before = named(world, 'user-1')?.orgIds;
    hideGroup(world, 'g-b');

    const { organization } = await world.byHand();

    expect(organization.counts).toMatchObject({ deleted: 0, unchanged: 2 });
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All', 'Crew/All/Berlin']);
    expect(named(world, 'user-1')?.orgIds).toEqual(before);
  });

  it('waits for somebody, of a source that finds no group by id', async () => {
    const world = await imported(6);
    const before = named(world, 'user-1')?.orgIds;
    hideGroup(world, 'g-b');
    const { find } = world.directory;
    world.directory.find = async (kind, id) =>
      kind === 'Groups' ? undefined : find.call(world.directory, kind, id);

    const { organization, user: row } = await world.byHand();

    expect(organization).toMatchObject({ status: 'SUSPENDED', reasonCode: 'GROUPS_UNCONFIRMED' });
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All', 'Crew/All/Berlin']);
    expect(named(world, 'user-1')?.orgIds).toEqual(before);
    await world.sync.approve(row.batch, systemPrincipal);
    await world.machine.work();
    expect(world.departments.seen()).toEqual(['Crew', 'Crew/All']);
  });

  it('puts nobody out of the scope', async () => {
    const scope = { includeGroups: ['Berlin', 'Hue'], excludeGroups: [] };
    const world = await syncWorld(aSource(strategy({ scope })));
    const members = [{ value: 'u-000' }];
    world.directory.groups.set('g-h', { id: 'g-h', displayName: 'Hue', members });
    world.fill(20);
    await world.byHand();
    expect(world.accounts.all.size).toBe(11);
    hideGroup(world, 'g-h');

    await world.byHand();

    expect(disabled(world)).toEqual([]);
  });
});

describe('a source that finds nobody by id', () => {
  it('removes nobody by that, in a run or by an event', async () => {
    const world = await imported(12);
    world.directory.hidden.add('u-001');
    const { find } = world.directory;
    world.directory.find = async (kind, id) =>
      kind === 'Users' ? undefined : find.call(world.directory, kind, id);

    const { user: row } = await world.byHand();
    const outcome = await hint(world, aSource(), 'u-002');

    expect(row).toMatchObject({ status: 'PARTIAL', counts: { failed: 1, deleted: 0 } });
    expect(outcome).toMatchObject({ status: 'FAIL' });
    expect(disabled(world)).toEqual([]);
  });
});

describe('an approval', () => {
  const heldBack = async (source = aSource()) => {
    const world = await imported(40, source);
    for (let index = 0; index < 12; index += 1) user(world, `u-0${10 + index}`, { active: false });
    const { user: row } = await world.byHand();
    expect(row.status).toBe('SUSPENDED');
    return { world, batch: row.batch };
  };
  const approve = async (world: SyncWorld, batch: string) => {
    await world.sync.approve(batch, systemPrincipal);
    await world.machine.work();
    return (await world.rows(batch)).user;
  };

  it('leaves accounts alone that have changed since the plan was made', async () => {
    const { world, batch } = await heldBack();
    for (const [id, each] of world.accounts.all) {
      world.accounts.all.set(id, { ...each, updatedAt: '2020-01-01T00:00:00.000Z' });
    }
    world.context.clock.advance(1_000);
    user(world, 'u-010', { active: true, nickName: 'back' });
    expect(await hint(world, aSource(), 'u-010')).toMatchObject({ status: 'SUCCESS' });
    const { id = '' } = named(world, 'user-10') ?? {};
    const account = world.accounts.all.get(id);
    if (account) {
      const updatedAt = new Date(world.context.clock.now()).toISOString();
      world.accounts.all.set(id, { ...account, updatedAt });
    }
    world.context.clock.advance(1_000);

    const row = await approve(world, batch);

    expect(row.counts).toMatchObject({ disabled: 11, skipped: 1 });
    expect(named(world, 'user-10')).toMatchObject({ status: 'ENABLED', nickName: 'back' });
  });

  it('applies no plan that was made for another configuration', async () => {
    const { world, batch } = await heldBack();
    const before = await world.sources.find('source-1');
    if (!before) throw new Error('The source is gone');
    const next = { ...before, ...strategy({}, { onMissing: 'DELETE' as const }), version: 2 };
    await world.context.unitOfWork(async (unit) =>
      world.sources.stage(unit, next, before, () => new Error('name')),
    );

    expect(await approve(world, batch)).toMatchObject({
      ...{ status: 'FAIL', reasonCode: 'PLAN_OUTDATED' },
    });
    expect(disabled(world)).toEqual([]);
  });

  it('applies no plan that another run has overtaken before it began', async () => {
    const { world, batch } = await heldBack();
    await world.sync.approve(batch, systemPrincipal);
    const approved = world.machine.started.splice(0);
    for (let index = 0; index < 12; index += 1) user(world, `u-0${10 + index}`, { active: true });
    expect((await world.byJob()).user.status).toBe('SUCCESS');
    world.machine.started.push(...approved);
    await world.machine.work();

    expect((await world.rows(batch)).user.reasonCode).toBe('PLAN_OUTDATED');
    expect(disabled(world)).toEqual([]);
  });

  it('of removals goes no further than what was seen', async () => {
    const { world, batch } = await heldBack();
    for (const id of [...world.directory.users.keys()].slice(22))
      user(world, id, { active: false });

    const { user: row } = await world.byHand({ acceptDeletions: batch });

    expect(row).toMatchObject({ status: 'SUSPENDED', reasonCode: 'TOO_MANY_REMOVALS' });
    expect(disabled(world)).toEqual([]);
  });
});

describe('an event about somebody out of the scope', () => {
  it('makes no account and disables none', async () => {
    const scope = { includeGroups: ['Berlin'], excludeGroups: [] };
    const source = aSource(strategy({ scope }));
    const world = await imported(4, source);

    const outcome = await hint(world, source, 'u-000');

    expect(outcome.status).toBe('SKIP');
    expect(world.accounts.all.size).toBe(2);
  });
});

describe('a department that cannot be stored', () => {
  it('ends the run before anybody is put into it', async () => {
    const world = await syncWorld();
    world.fill(4);
    const { createMany } = world.departments;
    world.departments.createMany = async (given, options) =>
      given.some(({ name }) => name === 'Berlin')
        ? [{ kind: 'failed', code: 'REPOSITORY_ERROR', detail: 'no' }]
        : createMany.call(world.departments, given, options);

    expect((await world.byHand()).user).toMatchObject({ reasonCode: 'REPOSITORY_ERROR' });
    expect(world.accounts.all.size).toBe(0);
    world.departments.createMany = createMany;
    await world.byHand();
    for (const { orgIds } of world.accounts.all.values()) {
      for (const id of orgIds) expect(await world.departments.get(id)).toBeDefined();
    }
  });
});

describe('an account that is adopted', () => {
  const linking = aSource(strategy({}, { matching: 'username_link' as const }));
  const local = (world: SyncWorld) =>
    world.accounts.createMany([
      {
        ...{ id: 'local', userName: 'user-1', orgIds: [], status: 'ENABLED', origin: 'LOCAL' },
        links: [],
      },
    ]);

  it('is told as linked when the step dies after it, and runs again', async () => {
    const world = await syncWorld(linking);
    world.fill(3);
    await local(world);
    let isDead = false;
    const { updateMany } = world.accounts;
    world.accounts.updateMany = async (...call) => {
      const results = await updateMany.apply(world.accounts, call);
      if (isDead) return results;
      isDead = true;
      throw new Error('The worker was killed');
    };

    const { user: row } = await world.byHand();

    expect(row).toMatchObject({ status: 'SUCCESS', counts: { created: 2, updated: 1, failed: 0 } });
  });

  it('is not, when it is protected and its person is inactive', async () => {
    const world = await syncWorld(linking);
    world.fill(3);
    await local(world);
    world.protectedIds.push('local');
    user(world, 'u-001', { active: false });

    const { user: row } = await world.byHand();

    expect(row.counts).toMatchObject({ created: 2, skipped: 1 });
    expect(named(world, 'user-1')).toMatchObject({ status: 'ENABLED', links: [] });
  });

  it('together with its login at the source is disabled when its person is gone', async () => {
    const world = await imported(3);
    const { id = '' } = named(world, 'user-1') ?? {};
    await world.accounts.link(id, {
      ...{ sourceId: 'provider-1', externalId: 's', hash: '', active: true },
    });
    world.providerIds.push('provider-1');
    world.directory.users.delete('u-001');

    await world.byHand();

    expect(named(world, 'user-1')).toMatchObject({ status: 'DISABLED', disabledBy: 'SOURCE' });
  });
});

describe('fields of its own in a mapping', () => {
  it('are kept with the account, changed and taken away', async () => {
    const world = await syncWorld(aSource(strategy({ mapping: { badge: 'title' } })));
    world.fill(2);
    user(world, 'u-001', { title: 'A-1' });
    await world.byHand();
    expect(named(world, 'user-1')?.attributes).toEqual({ badge: 'A-1' });

    user(world, 'u-001', { title: 'A-2' });
    const { user: row } = await world.byHand();
    expect((await world.records(row.id))[0]?.changes).toEqual([
      { field: 'attributes', from: { badge: 'A-1' }, to: { badge: 'A-2' } },
    ]);
    user(world, 'u-001', { title: undefined });
    await world.byHand();
    expect(named(world, 'user-1')?.attributes).toBeUndefined();
  });
});
