import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import { systemPrincipal } from '../../../../shared/security/principal.ts';
import { Stopped } from '../../../helpers/identity/machine.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';

const filled = async (count: number): Promise<SyncWorld> => {
  const world = await syncWorld();
  world.fill(count);
  return world;
};
const pending = async (world: SyncWorld) =>
  (await world.history.page('source-1', { status: 'PENDING' }, { size: 50 })).content.length;
const start = (world: SyncWorld) => world.sync.execute(aSource(), {}, systemPrincipal);

describe('a worker that dies', () => {
  it('at any write leaves the same accounts and records as one that does not', async () => {
    const whole = await filled(6);
    const { user } = await whole.byHand();
    for (let at = 1; at <= 6; at += 1) {
      const world = await filled(6);
      let writes = 0;
      world.accounts.beforeWrite = () => {
        writes += 1;
        if (writes === at) throw new Error('The worker was killed');
      };
      const row = (await world.byHand()).user;
      expect(world.accounts.seen()).toEqual(whole.accounts.seen());
      expect(row).toMatchObject({ status: 'SUCCESS', counts: user.counts });
    }
  });

  it('again and again ends the run, which says so', async () => {
    const world = await filled(6);
    world.accounts.beforeWrite = () => {
      throw new Error('The worker was killed');
    };
    const { user } = await world.byHand();
    expect(user).toMatchObject({ status: 'FAIL', reasonCode: 'STEP_FAILED' });
    expect((await world.locks.of('source-1')).owner).toBeUndefined();
  });
});

describe('an execution that is stopped', () => {
  const states = [
    ...['Begin', 'Read the source', 'Plan', 'Apply departments', 'Apply users', 'Apply a chunk'],
    ...['Remove the missing', 'Finish'],
  ];

  it.each(states)('at %s is taken over by the next run at once', async (state) => {
    const world = await filled(12);
    await start(world);
    world.machine.beforeState = (name) => {
      if (name === state) throw new Stopped();
    };
    expect(await world.machine.work()).toEqual(['ABORTED']);
    world.machine.beforeState = () => undefined;
    const { user } = await world.byHand();
    expect(user.status).toBe('SUCCESS');
    expect(world.accounts.all.size).toBe(12);
    expect(await pending(world)).toBe(0);
    const { content } = await world.history.page('source-1', { status: 'FAIL' }, { size: 5 });
    expect(content.map(({ reasonCode }) => reasonCode)).toEqual(['INTERRUPTED', 'INTERRUPTED']);
  });

  it('is closed by the pass over all sources, where no run comes', async () => {
    const world = await filled(3);
    await start(world);
    world.machine.beforeState = (name) => {
      if (name === 'Plan') throw new Stopped();
    };
    await world.machine.work();
    expect(await pending(world)).toBe(2);
    await world.pass.run();
    expect(await pending(world)).toBe(0);
    expect((await world.state()).runningBatch).toBeUndefined();
  });

  it('before it has begun is closed by whoever looks', async () => {
    const world = await filled(12);
    const { user } = await world.byHand({ dryRun: true });
    world.machine.beforeState = (name) => {
      if (name === 'Begin') throw new Stopped();
    };
    await world.sync.approve(user.batch, systemPrincipal);
    expect(await world.sync.closeDead('source-1', user.batch)).toBe(false);

    await world.machine.work();

    expect(await world.sync.closeDead('source-1', user.batch)).toBe(true);
    expect((await world.rows(user.batch)).user).toMatchObject({
      ...{ status: 'FAIL', reasonCode: 'INTERRUPTED' },
    });
    expect(await world.sync.closeDead('source-1', user.batch)).toBe(false);
  });

  it('that was never started is closed once its start is long due', async () => {
    const world = await filled(3);
    world.machine.start = async () => undefined;
    const { batch } = await start(world);
    expect(await world.sync.closeDead('source-1', batch)).toBe(false);

    world.context.clock.advance(61_000);
    await world.pass.run();

    expect((await world.rows(batch)).user.reasonCode).toBe('INTERRUPTED');
  });

  it('writes nothing more once another run has taken over', async () => {
    const world = await filled(12);
    await start(world);
    let isOvertaken = false;
    world.machine.beforeState = async (name) => {
      if (name !== 'Apply a chunk' || isOvertaken) return;
      isOvertaken = true;
      const lock = await world.locks.of('source-1');
      await world.context.unitOfWork(async (unit) =>
        world.locks.stageHolder(unit, { ...lock, owner: 'arn:other', fence: lock.fence + 1 }),
      );
    };
    await world.machine.work();
    expect(world.accounts.all.size).toBe(0);
    expect(await world.locks.of('source-1')).toMatchObject({ owner: 'arn:other' });
    const { content } = await world.history.page('source-1', {}, { size: 5 });
    expect(content[0]).toMatchObject({ status: 'FAIL', reasonCode: 'LOCK_LOST' });
  });
});

describe('two runs at once', () => {
  it('of one minute are one run and one that was skipped', async () => {
    const world = await filled(3);
    const input = { sourceId: 'source-1', trigger: 'JOB' };
    await world.machine.run('a', input);
    await world.machine.run('b', input);
    const { content } = await world.history.page('source-1', {}, { size: 9 });
    expect(content.map(({ status, reasonCode }) => reasonCode ?? status)).toEqual([
      ...['DUPLICATE_TICK', 'DUPLICATE_TICK', 'SUCCESS', 'SUCCESS'],
    ]);
  });

  it('leave the later one skipped, or refused when somebody asks for it', async () => {
    const world = await filled(3);
    await start(world);
    const refusals: unknown[] = [];
    world.machine.beforeState = async (name) => {
      if (name !== 'Plan') return;
      world.machine.beforeState = () => undefined;
      refusals.push(await start(world).catch((error: unknown) => error));
      await world.machine.run('tick', { sourceId: 'source-1', trigger: 'JOB' });
    };
    await world.machine.work();
    expect(refusals).toMatchObject([{ code: 'SYNC_IN_PROGRESS', status: 409 }]);
    const { content } = await world.history.page('source-1', {}, { size: 9 });
    expect(content.map(({ reasonCode, status }) => reasonCode ?? status)).toEqual([
      ...['SYNC_IN_PROGRESS', 'SYNC_IN_PROGRESS', 'SUCCESS', 'SUCCESS'],
    ]);
  });

  it('that were asked for at once leave one skipped', async () => {
    const world = await filled(3);
    const first = await start(world);
    const second = await start(world);
    world.machine.beforeState = async (name) => {
      if (name !== 'Plan') return;
      world.machine.beforeState = () => undefined;
      await world.machine.run(second.batch, {
        sourceId: 'source-1',
        trigger: 'MANUAL',
        batch: second.batch,
      });
    };
    await world.machine.run(first.batch, {
      sourceId: 'source-1',
      trigger: 'MANUAL',
      batch: first.batch,
    });
    expect((await world.rows(first.batch)).user.status).toBe('SUCCESS');
    expect((await world.rows(second.batch)).user.status).toBe('SKIP');
  });
});

describe('a run that is cancelled', () => {
  it('ends at its next look, and so does one of a source that is disabled', async () => {
    for (const end of ['cancel', 'deregister'] as const) {
      const world = await filled(3);
      const { batch } = await start(world);
      world.machine.beforeState = async (name) => {
        if (name !== 'Apply users') return;
        if (end === 'cancel') await world.sync.cancel(batch, systemPrincipal);
        else await world.sync.deregister(aSource());
      };
      await world.machine.work();
      expect((await world.rows(batch)).user.status).toBe('CANCELLED');
      expect(world.accounts.all.size).toBe(0);
      await expect(world.sync.cancel(batch, systemPrincipal)).rejects.toMatchObject({
        code: 'RUN_STATE',
      });
    }
  });

  it('before it begins never does', async () => {
    const world = await filled(3);
    const { batch } = await start(world);
    await world.sync.cancel(batch, systemPrincipal);
    await world.machine.work();
    expect((await world.rows(batch)).user.status).toBe('CANCELLED');
    expect(world.accounts.all.size).toBe(0);
  });
});

describe('a source that fails', () => {
  it.each(['PAGING_BROKEN', 'LOGIN_FAILED', 'BAD_ANSWER'] as const)(
    'by %s changes nothing',
    async (code) => {
      const world = await filled(25);
      let pages = 0;
      world.directory.beforeAnswer = (path) => {
        pages += path === '/Users' ? 1 : 0;
        if (pages === 2) throw new SourceError(code, 'no');
      };
      expect((await world.byHand()).user).toMatchObject({ status: 'FAIL', reasonCode: code });
      expect(world.accounts.all.size + world.departments.all.size).toBe(0);
    },
  );

  it('is waited for by the machine, and read on from where it was', async () => {
    const world = await filled(25);
    const asked: string[] = [];
    world.directory.beforeAnswer = (path) => {
      asked.push(path);
      if (asked.length === 3)
        throw new SourceError('THROTTLED', 'later', { retryAfterSeconds: 120 });
    };
    expect((await world.byHand()).user.status).toBe('SUCCESS');
    expect(world.machine.waits).toEqual([120]);
    expect(asked).toEqual(['/Groups', '/Users', '/Users', '/Users', '/Users']);
  });

  it('that repeats users on another page is not believed', async () => {
    const world = await filled(25);
    const { page } = world.directory;
    world.directory.page = async (request) => {
      const read = await page.call(world.directory, request);
      const first = world.directory.users.get('u-000') ?? {};
      return request.position ? { ...read, resources: [first, ...read.resources.slice(1)] } : read;
    };
    expect((await world.byHand()).user).toMatchObject({
      status: 'FAIL',
      reasonCode: 'PAGING_BROKEN',
    });
    expect(world.accounts.all.size).toBe(0);
  });

  it('is asked less and less often, is well again after a success, and switched off after four weeks', async () => {
    const world = await filled(3);
    world.directory.beforeAnswer = () => {
      throw new SourceError('UNREACHABLE', 'There is no connection');
    };
    await world.byJob();
    expect((await world.byJob()).user.status).toBe('FAIL');
    expect((await world.byJob()).user).toMatchObject({ status: 'SKIP', reasonCode: 'BACK_OFF' });
    expect((await world.state()).health).toMatchObject({
      status: 'FAILING',
      consecutiveFailures: 2,
    });
    world.directory.beforeAnswer = () => undefined;
    expect((await world.byHand()).user.status).toBe('SUCCESS');
    expect((await world.state()).health).toEqual({ status: 'OK', consecutiveFailures: 0 });

    world.directory.beforeAnswer = () => {
      throw new SourceError('UNREACHABLE', 'There is no connection');
    };
    await world.byJob();
    world.context.clock.advance(29 * 24 * 3_600_000);
    await world.pass.run();
    expect((await world.sources.find('source-1'))?.enabled).toBe(false);
  });
});

describe('schedules', () => {
  it('are put in place, replaced and taken away', async () => {
    const world = await filled(1);
    const timed = (value: string, timezone = 'UTC') =>
      aSource({ jobConfig: { mode: 'timed', value, timezone } });
    await world.sync.register(timed('02:30,14:00'));
    expect([...world.schedules.values()].map(({ expression }) => expression)).toEqual([
      ...['cron(30 2 * * ? *)', 'cron(0 14 * * ? *)'],
    ]);
    await world.sync.register(timed('07:00', 'Asia/Ho_Chi_Minh'));
    expect([...world.schedules.values()]).toMatchObject([
      { expression: 'at(2026-03-02T00:00:00)', timezone: 'UTC', input: { trigger: 'JOB' } },
    ]);
    expect((await world.state()).registration).toMatchObject({ status: 'REGISTERED' });
    await world.sync.deregister(aSource());
    expect(world.schedules.size).toBe(0);
    expect((await world.state()).registration).toMatchObject({
      status: 'NONE',
      reason: 'DISABLED',
    });
  });

  it('that fail are noted, and tried again by the pass', async () => {
    const source = aSource({ jobConfig: { mode: 'period', value: '6' } });
    const world = await syncWorld(source);
    const set = world.schedules.set.bind(world.schedules);
    world.schedules.set = () => {
      throw new Error('The scheduler is down');
    };
    await world.sync.register(source);
    expect((await world.state()).registration).toMatchObject({
      status: 'FAILED',
      reason: 'SCHEDULER_FAILED',
    });
    world.schedules.set = set;
    expect(await world.pass.run()).toEqual({ sources: 1, failed: 0 });
    expect((await world.state()).registration.status).toBe('REGISTERED');
    const { from } = world.schedules.get('source-1-0') ?? {};
    expect(from).toBe(world.context.clock.now() + 6 * 3_600_000);
    world.context.clock.advance(3_600_000);
    await world.pass.run();
    expect(world.schedules.get('source-1-0')?.from).toBe(from);
  });
});
