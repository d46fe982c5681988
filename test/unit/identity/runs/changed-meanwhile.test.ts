import { describe, expect, it, vi } from 'vitest';
import {
  DEFAULT_STRATEGY,
  type IdentitySource,
} from '../../../../functions/identity/domain/sources/source.ts';
import { TableUsers } from '../../../../functions/identity/store/accounts/user-repository.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { Stopped } from '../../../helpers/identity/machine.ts';
import { MemorySource } from '../../../helpers/identity/memory-source.ts';
import { accountsOf } from '../../../helpers/identity/stored-people.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const STATES = ['Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'];
const strategy = (user: object) => ({
  strategyConfig: {
    ...DEFAULT_STRATEGY,
    user: { ...DEFAULT_STRATEGY.user, enabled: true, ...user },
  },
});
const connection = (more: object) =>
  JSON.stringify({ incrementalEnabled: false, baseUrl: 'https://a.example', ...more });

/** A world whose accounts are in the one table, after its first run. */
async function imported(count: number, source = aSource({ basicConfig: connection({}) })) {
  const world = await syncWorld(source, { users: (context) => new TableUsers(context) });
  world.fill(count);
  expect((await world.byHand()).user.status).toBe('SUCCESS');
  return world;
}
const disabled = (world: SyncWorld) =>
  accountsOf(world).filter(({ status }) => status === 'DISABLED');

async function save(world: SyncWorld, change: Partial<IdentitySource>): Promise<void> {
  const before = await world.sources.find('source-1');
  if (!before) throw new Error('The source is gone');
  const next = { ...before, ...change, version: before.version + 1 };
  await world.context.unitOfWork(async (unit) =>
    world.sources.stage(unit, next, before, () => new Error('name')),
  );
}
/** Does something once, before a state of the next run. */
function atState(world: SyncWorld, state: string, work: () => unknown): void {
  world.machine.beforeState = async (name) => {
    if (name !== state) return;
    world.machine.beforeState = () => undefined;
    await work();
  };
}

describe('a source that is configured anew while it is read or applied', () => {
  it.each([...STATES, 'Remove the missing'])(
    'at %s removes nobody whom the directory of the plan has',
    async (state) => {
      const world = await imported(12);
      for (const id of ['u-001', 'u-002']) world.directory.hidden.add(id);
      world.directory.users.set('u-999', { id: 'u-999', userName: 'new' });
      atState(world, state, async () => {
        await save(world, { basicConfig: connection({ baseUrl: 'https://b.example' }) });
        const other = new MemorySource();
        other.users.set('x', { id: 'x', userName: 'x' });
        world.directory.find = (kind, id) => other.find(kind, id);
      });

      const { user } = await world.byHand();

      expect(disabled(world)).toEqual([]);
      expect(user).toMatchObject({ status: 'FAIL', reasonCode: 'CONFIG_CHANGED' });
    },
  );

  it('goes on when only its password or schedule is another one', async () => {
    const world = await imported(12);
    world.directory.users.delete('u-001');
    atState(world, 'Plan', () =>
      save(world, { basicConfig: connection({ adminPassword: 'next' }), jobConfig: {} }),
    );

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'SUCCESS', counts: { deleted: 1 } });
  });
});

describe('an approved plan', () => {
  const heldBack = async () => {
    const world = await imported(40);
    const { users } = world.directory;
    for (const [id, each] of [...users].slice(0, 12)) users.set(id, { ...each, active: false });
    const { user } = await world.byHand();
    expect(user.status).toBe('SUSPENDED');
    return { world, batch: user.batch };
  };

  it('disables nobody who is active at the source again', async () => {
    const { world, batch } = await heldBack();
    const { users } = world.directory;
    for (const id of ['u-003', 'u-004']) users.set(id, { ...users.get(id), active: true });
    world.directory.users.delete('u-005');

    await world.sync.approve(batch, systemPrincipal);
    await world.machine.work();

    const { user } = await world.rows(batch);
    expect(user.counts).toMatchObject({ disabled: 10, skipped: 2 });
    expect(disabled(world).map(({ userName }) => userName)).not.toContain('user-3');
    const { user: next } = await world.byHand();
    expect(next.status).toBe('SUCCESS');
    expect(disabled(world)).toHaveLength(10);
  });

  it('disables nobody whom the source cannot be asked for', async () => {
    const { world, batch } = await heldBack();
    world.directory.find = async () => undefined;

    await world.sync.approve(batch, systemPrincipal);
    await world.machine.work();

    expect((await world.rows(batch)).user.counts).toMatchObject({ disabled: 0, failed: 12 });
    expect(disabled(world)).toEqual([]);
  });

  it('is not applied when another run comes between the look at it and its lock', async () => {
    const { world, batch } = await heldBack();
    const { users } = world.directory;
    for (const [id, each] of [...users].slice(0, 12)) users.set(id, { ...each, active: true });
    users.set('u-000', { ...users.get('u-000'), displayName: 'Changed' });
    await world.sync.approve(batch, systemPrincipal);
    const [approved] = world.machine.started.splice(0);
    let isOvertaken = false;
    const undo = world.context.db.before('TransactWriteItems', async () => {
      if (isOvertaken) return;
      isOvertaken = true;
      expect((await world.byJob()).user.status).toBe('SUCCESS');
    });
    await world.machine.run(approved?.name ?? '', approved?.input);
    undo();

    expect(isOvertaken).toBe(true);
    expect((await world.rows(batch)).user.reasonCode).toBe('PLAN_OUTDATED');
    expect(disabled(world)).toEqual([]);
  });
});

describe('an account that becomes another source’s while its user is removed', () => {
  it.each(['DISABLE', 'DELETE'] as const)('is kept (%s)', async (onMissing) => {
    const source = aSource({ ...strategy({ onMissing }), basicConfig: connection({}) });
    const world = await imported(12, source);
    const users = new TableUsers(world.context);
    const { id = '' } = (await users.findByUsername('user-1')) ?? {};
    world.directory.users.delete('u-001');
    let isLinked = false;
    atState(world, 'Remove the missing', () => {
      world.context.db.before('TransactWriteItems', async () => {
        if (isLinked) return;
        isLinked = true;
        const link = { sourceId: 'other', externalId: 'o-1', hash: 'h', active: true };
        expect((await users.link(id, link)).kind).toBe('ok');
      });
    });

    await world.byHand();
    await world.byHand();

    expect(isLinked).toBe(true);
    expect(await users.findById(id)).toMatchObject({
      status: 'ENABLED',
      links: [{ sourceId: 'other' }],
    });
  });
});

describe('a plan that is made twice, as its first worker was given up and goes on', () => {
  it('is one plan: nobody is in a department that does not exist', async () => {
    const world = await syncWorld();
    world.fill(600);
    const { 'sync-plan': plan } = world.machine.tasks;
    world.machine.tasks = {
      ...world.machine.tasks,
      'sync-plan': async (input) => {
        const value = await plan?.(input);
        const written = new Map(world.stored);
        await plan?.(input);
        // Only one file of the other plan is written after those of this one.
        for (const [path, body] of written) {
          if (!path.endsWith('changes-000002.json')) world.stored.set(path, body);
        }
        return value;
      },
    };

    expect((await world.byHand()).user.status).toBe('SUCCESS');

    const known = new Set(world.departments.all.keys());
    const lost = [...world.accounts.all.values()].filter(
      ({ orgIds }) => !known.has(orgIds[0] ?? ''),
    );
    expect([world.accounts.all.size, lost]).toEqual([600, []]);
  });
});

describe('a chunk that cannot be applied', () => {
  it('ends the run: nothing of it is taken for applied', async () => {
    const world = await syncWorld(aSource(), { users: (context) => new TableUsers(context) });
    world.fill(600);
    atState(world, 'Apply departments', () => {
      for (const path of world.stored.keys()) {
        if (path.endsWith('changes-000002.json')) world.stored.delete(path);
      }
    });

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'FAIL', reasonCode: 'PLAN_EXPIRED' });
    expect((await world.state()).lastFullAt).toBeUndefined();
    expect((await world.byHand()).user).toMatchObject({ status: 'SUCCESS' });
    expect(accountsOf(world)).toHaveLength(600);
  });

  it('says so in few bytes, as the machine keeps what each of thousands says', async () => {
    const world = await syncWorld();
    world.fill(600);
    const { 'sync-users': apply } = world.machine.tasks;
    const said: string[] = [];
    world.machine.tasks = {
      ...world.machine.tasks,
      'sync-users': async (input) => {
        const value = await apply?.(input);
        said.push(JSON.stringify(value));
        return value;
      },
    };
    atState(world, 'Apply users', () => world.sync.deregister(aSource()));

    const { user } = await world.byHand();

    expect(user).toMatchObject({ status: 'CANCELLED', reasonCode: 'CANCELLED' });
    expect(said).toHaveLength(3);
    expect(Math.max(...said.map((each) => each.length))).toBeLessThan(100);
  });
});

describe('a last step that runs again after its commit', () => {
  it('tells of the run once, and as it ended', async () => {
    const world = await imported(3);
    const { 'sync-finish': finish } = world.machine.tasks;
    const publish = vi.spyOn(world.context.events, 'publish');
    let calls = 0;
    world.machine.tasks = {
      ...world.machine.tasks,
      'sync-finish': async (input) => {
        calls += 1;
        const value = await finish?.(input);
        if (calls === 1) throw new Error('The answer was lost');
        return value;
      },
    };

    const { user } = await world.byHand();

    expect([calls, user.status]).toEqual([2, 'SUCCESS']);
    expect(publish.mock.calls.map(([topic]) => topic)).toEqual(['identity.sync.completed']);
  });
});

describe('a first import that was interrupted', () => {
  it('is still the first one when the next run ends it: nobody gets a mail by accident', async () => {
    const source = aSource(strategy({ emailNotify: true }));
    const world = await syncWorld(source, { users: (context) => new TableUsers(context) });
    world.fill(600);
    atState(world, 'Apply a chunk', () => {
      atState(world, 'Apply a chunk', () => {
        throw new Stopped();
      });
    });
    await world.sync.execute(source, {}, systemPrincipal);
    expect(await world.machine.work()).toEqual(['ABORTED']);
    expect(accountsOf(world)).toHaveLength(250);
    const publish = vi.spyOn(world.context.events, 'publish');
    const mails = () =>
      publish.mock.calls.filter(([topic]) => topic === 'identity.user.provisioned').length;

    await world.byHand();

    expect([accountsOf(world).length, mails()]).toEqual([600, 0]);
    world.directory.users.set('n', {
      id: 'n',
      userName: 'n',
      emails: [{ value: 'n@example.com' }],
    });
    await world.byHand();
    expect(mails()).toBe(1);
  });
});
