import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../../functions/identity/domain/sources/source.ts';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import { TableUsers } from '../../../../functions/identity/store/accounts/user-repository.ts';
import { TableDepartments } from '../../../../functions/identity/store/departments/department-repository.ts';
import { MemorySource } from '../../../helpers/identity/memory-source.ts';
import { accountsOf } from '../../../helpers/identity/stored-people.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

/** A world whose accounts and departments are in the one table. */
const tableWorld = (directory = new MemorySource(), source = aSource()) =>
  syncWorld(source, {
    directory,
    users: (context) => new TableUsers(context),
    departments: (context) => new TableDepartments(context),
  });
const disabled = (world: SyncWorld) =>
  accountsOf(world).flatMap(({ status, userName }) => (status === 'DISABLED' ? [userName] : []));

describe('a source that begins to find nobody while the missing are asked for', () => {
  it.each([1, 2, 3, 4])('removes nobody after that, from answer %i on', async (from) => {
    const world = await tableWorld();
    world.fill(100);
    await world.byHand();
    const { users, hidden } = world.directory;
    for (const id of ['u-001', 'u-002', 'u-003']) users.delete(id);
    for (const id of ['u-004', 'u-005', 'u-006', 'u-007']) hidden.add(id);
    let asked = 0;
    const { find } = world.directory;
    world.directory.find = async (kind, id) => {
      asked += 1;
      return asked >= from ? undefined : find.call(world.directory, kind, id);
    };

    const { user } = await world.byHand();

    expect(disabled(world)).toEqual([]);
    expect(user).toMatchObject({ status: 'PARTIAL', counts: { deleted: 0 } });
    world.directory.find = find;
    expect((await world.byHand()).user.counts).toMatchObject({ deleted: 3, skipped: 4 });
  });
});

describe('a source that asks to wait', () => {
  const throttled = (times: number) => {
    let left = times;
    return () => {
      left -= 1;
      if (left >= 0) throw new SourceError('THROTTLED', 'later', { retryAfterSeconds: 0 });
    };
  };

  it('for ever ends the run, which does not go round for ever', async () => {
    const world = await tableWorld();
    world.fill(3);
    world.directory.beforeAnswer = throttled(1_000);

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'FAIL', reasonCode: 'THROTTLED' });
    expect(world.machine.waits).toEqual(Array(12).fill(1));
  });

  it('before each page is read all the same', async () => {
    const world = await tableWorld();
    world.fill(300);
    let asked = 0;
    world.directory.beforeAnswer = () => {
      asked += 1;
      if (asked % 5 !== 0) throw new SourceError('THROTTLED', 'later', { retryAfterSeconds: 2 });
    };

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: 300 } });
    expect(world.machine.waits.length).toBeGreaterThan(100);
  });
});

describe('one user whom no item can hold', () => {
  const departments = (world: SyncWorld, letter: string, count: number): readonly object[] =>
    Array.from({ length: count }, (_, at) => {
      const id = `${letter}-${at}`;
      world.directory.groups.set(id, { id, displayName: id });
      return { value: id };
    });

  it('fails alone: in many departments, and moved between many', async () => {
    const world = await tableWorld();
    world.directory.pageSize = 1_000;
    world.fill(10);
    const { users } = world.directory;
    users.set('u-000', { ...users.get('u-000'), groups: departments(world, 'a', 1_001) });
    const { user: first } = await world.byHand();
    expect(first.counts).toMatchObject({ created: 9, failed: 1 });
    users.set('u-002', { ...users.get('u-002'), userName: 'x'.repeat(500_000) });
    users.set('u-001', { ...users.get('u-001'), displayName: 'Changed' });

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'PARTIAL', counts: { updated: 1, failed: 2 } });
    const failed = (await world.records(user.id)).filter(({ status }) => status === 'FAIL');
    expect(failed).toMatchObject([
      { externalId: 'u-000', reasonCode: 'INVALID_DATA' },
      { externalId: 'u-002', reasonCode: 'INVALID_DATA' },
    ]);
  });
});

describe('texts that are no Unicode', () => {
  it('refuse their user and no other, whatever field they are in', async () => {
    const world = await tableWorld();
    world.fill(6);
    const { users } = world.directory;
    users.set('u-001', { ...users.get('u-001'), userName: 'x\ud800y' });
    users.set('u-002', { ...users.get('u-002'), displayName: '\udc00' });
    users.set('u-003', { ...users.get('u-003'), externalId: 'a\ud83d' });

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'PARTIAL', counts: { created: 3, failed: 3 } });
    const failed = (await world.records(user.id)).filter(({ status }) => status === 'FAIL');
    expect(failed.map(({ reasonCode }) => reasonCode)).toEqual(Array(3).fill('INVALID_DATA'));
  });
});

describe('an address that goes from somebody who is gone to somebody new', () => {
  it('does not take the account with it', async () => {
    const world = await tableWorld();
    world.fill(30);
    await world.byHand();
    const { users } = world.directory;
    const emails = [{ value: 'u-001@example.com' }];
    users.delete('u-001');
    users.set('new', { id: 'new', userName: 'binh', emails });

    const { user } = await world.byHand();

    expect(user.counts).toMatchObject({ created: 0, updated: 0, deleted: 1, failed: 1 });
    const failed = (await world.records(user.id)).find(({ status }) => status === 'FAIL');
    expect(failed).toMatchObject({ externalId: 'new', reasonCode: 'EMAIL_CONFLICT' });
    expect(disabled(world)).toEqual(['user-1']);
  });

  it('does, where the strategy links addresses of its domain', async () => {
    const { user } = DEFAULT_STRATEGY;
    const linking = { ...user, matching: 'email_link' as const, trustedDomains: ['example.com'] };
    const world = await tableWorld(
      new MemorySource(),
      aSource({ strategyConfig: { ...DEFAULT_STRATEGY, user: { ...linking, enabled: true } } }),
    );
    world.fill(30);
    await world.byHand();
    const { users } = world.directory;
    users.delete('u-001');
    users.set('new', { id: 'new', userName: 'binh', emails: [{ value: 'u-001@example.com' }] });

    await world.byHand();

    expect(accountsOf(world).map(({ userName }) => userName)).toContain('binh');
    expect(disabled(world)).toEqual([]);
  });
});

describe('an externalId that two former users had', () => {
  it('gives neither account to who comes with it', async () => {
    const world = await tableWorld();
    world.fill(30);
    const { users } = world.directory;
    for (const id of ['u-001', 'u-002']) users.set(id, { ...users.get(id), externalId: 'shared' });
    await world.byHand();
    for (const id of ['u-001', 'u-002']) users.delete(id);
    users.set('new', { id: 'new', userName: 'somebody-else', externalId: 'shared' });

    const { user } = await world.byHand({ mode: 'FULL' });

    expect(user.counts).toMatchObject({ created: 1, deleted: 2 });
    expect(accountsOf(world).map(({ userName }) => userName)).toContain('user-1');
  });
});
