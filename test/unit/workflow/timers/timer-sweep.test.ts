import { describe, expect, it } from 'vitest';
import { aTimer, aTimerWorld, HOUR, MINUTE } from './timer-world.ts';

describe('the sweep of timers', () => {
  it('fires what is due, once, and nothing else', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M') + aTimer('Late', 'PT3H'));
    const id = await world.start();
    const early = await world.sweep();
    world.advance(11 * MINUTE);

    const due = await world.sweep();
    const again = await world.sweep();

    expect([early.fired, due.fired, again.fired]).toEqual([0, 1, 0]);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoSoon']);
    expect(world.fired()).toEqual(['Soon']);
    expect(world.rows()).toMatchObject([{ name: 'Late' }]);
  });

  it('runs by the schedule of the module', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    world.advance(11 * MINUTE);

    const answer = await world.runTask('workflow.sweep');

    expect(answer).toMatchObject({ timers: { fired: 1, failed: 0 } });
    expect(await world.tasks(id)).toContain('DoSoon');
  });

  it('reads from the oldest hour that it has not finished, however long nobody swept', async () => {
    const world = await aTimerWorld(aTimer('Early', 'PT1H') + aTimer('Late', 'P9D'));
    const id = await world.start();
    await world.sweep();
    world.advance(10 * 24 * HOUR);

    const { fired } = await world.sweep();

    expect(fired).toBe(2);
    expect(world.fired()).toEqual(['Early', 'Late']);
    expect(await world.tasks(id)).toHaveLength(3);
  });

  it('does not read hours again that it has finished', async () => {
    const world = await aTimerWorld(aTimer('Late', 'P30D'));
    await world.start();
    await world.sweep();
    world.advance(10 * 24 * HOUR);
    await world.sweep();
    const { meter } = world.context.db;
    const before = meter.requests.length;

    await world.sweep();

    expect(meter.requests.length - before).toBeLessThan(12);
  });

  it('fires in order of due time within a case, with what firings set meanwhile', async () => {
    const world = await aTimerWorld(aTimer('Every', 'R4/PT10M') + aTimer('Once', 'PT25M'));
    await world.start();
    world.advance(HOUR);

    await world.sweep();

    expect(world.fired()).toEqual(['Every', 'Every', 'Once', 'Every', 'Every']);
    expect(world.firedDue()).toEqual(['09:40', '09:50', '09:55', '10:00', '10:10']);
    expect(world.rows()).toEqual([]);
  });

  it('catches up with a hundred firings of a timer, and leaves out the oldest', async () => {
    const world = await aTimerWorld(aTimer('Every', 'R/PT1M'));
    await world.start();
    world.advance(500 * MINUTE);

    const { fired } = await world.sweep();

    expect(fired).toBe(101);
    const warned = world.context.log.named('The oldest overdue firings of a timer are left out');
    expect(warned).toMatchObject([{ skipped: 399 }]);
  });

  it('lost its run: the next one fires what is left', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M') + aTimer('B', 'PT20M'));
    const id = await world.start();
    world.advance(HOUR);
    let seen = 0;
    const revive = world.context.db.before('TransactWriteItems', () => {
      seen += 1;
      if (seen > 2) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await world.sweep().catch(() => undefined);
    revive();
    const before = world.fired();
    world.advance(2 * HOUR);

    await world.sweep();

    expect(before).toEqual(['A']);
    expect(world.fired()).toEqual(['A', 'B']);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA', 'DoB']);
  });

  it('and another one at once fire every timer once', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M') + aTimer('B', 'PT10M'));
    const id = await world.start();
    world.advance(HOUR);

    const sweeps = await Promise.all([world.sweep(), world.sweep(), world.sweep()]);

    expect(sweeps.reduce((sum, { fired }) => sum + fired, 0)).toBe(2);
    expect(world.fired().sort()).toEqual(['A', 'B']);
    expect((await world.tasks(id)).sort()).toEqual(['DoA', 'DoB', 'Stay']);
    expect(world.rows()).toEqual([]);
  });

  it('takes away a row that was left behind, and fires nothing for it', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M'));
    const id = await world.start();
    const [row] = world.rows();
    world.advance(HOUR);
    await world.sweep();
    const { context } = world;
    await context.unitOfWork(async (unit) => {
      if (row) unit.put({ ...row, pk: String(row.pk), sk: String(row.sk) });
    });

    const { fired } = await world.sweep();

    expect(row).toBeDefined();
    expect(fired).toBe(0);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA']);
    expect(world.rows()).toEqual([]);
  });

  it('fires a timer whose due time was over when it was set', async () => {
    const world = await aTimerWorld(aTimer('Past', '2020-01-01T00:00:00Z'));
    const id = await world.start();

    await world.sweep();

    expect(await world.tasks(id)).toEqual(['Stay', 'DoPast']);
    expect(world.rows()).toEqual([]);
  });

  it('leaves timers of a suspended case, which fire when it is resumed', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M'));
    const id = await world.start();
    await world.post(`/cases/${id}:suspend`, {});
    const suspended = world.rows();
    world.advance(HOUR);
    const { fired } = await world.sweep();

    await world.post(`/cases/${id}:resume`, {});
    await world.sweep();

    expect(suspended).toEqual([]);
    expect(fired).toBe(0);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA']);
    expect(world.fired()).toEqual(['A']);
  });

  it('loses no timer of a command that was killed before its rows were written', async () => {
    const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
    const world = await aTimerWorld(
      `${aTimer('A', 'PT10M')}<planItem id="piEach" definitionRef="Each">${EACH}</planItem><humanTask id="Each" flowable:candidateGroups="a,b"/>`,
    );
    let seen = 0;
    const revive = world.context.db.before('TransactWriteItems', () => {
      seen += 1;
      if (seen > 1) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    const id = await world.start({ all: Array.from({ length: 60 }, (_, at) => at) });
    revive();
    const left = world.rows();
    world.advance(5 * HOUR);
    await world.sweep();
    world.advance(5 * HOUR);

    await world.runTask('workflow.sweep');

    expect(left).toEqual([]);
    expect(await world.tasks(id)).toContain('DoA');
    expect(world.fired()).toEqual(['A']);
  });

  it('finishes no hour while a command from within it has something left to write', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M'));
    await world.start();
    const { context } = world;
    await context.unitOfWork(async (unit) =>
      unit.put({ pk: 'CASEREST', sk: '2026-03-01T09:31:00.000Z#nobody', familyId: 'nobody' }),
    );
    world.advance(20 * MINUTE);
    await world.sweep();
    world.advance(48 * HOUR);

    await world.sweep();

    const mark = context.db.items().find(({ pk }) => pk === 'TIMERDUE#@swept');
    expect(mark).toMatchObject({ hour: '2026-03-01T09' });
  });

  it('reads for a limited time, and the next one goes on from there', async () => {
    const world = await aTimerWorld(aTimer('A', 'PT10M'));
    const id = await world.start();
    const { context } = world;
    const [row] = world.rows();
    const waiting = Array.from({ length: 3_000 }, (_, at) => {
      const sk = `2026-03-01T09:00:00.000Z#w${String(at).padStart(4, '0')}`;
      const nextTryAt = '2026-03-09T00:00:00.000Z';
      return { ...row, pk: 'TIMERDUE#OVERDUE', sk, nextTryAt };
    });
    const last = { ...row, pk: 'TIMERDUE#OVERDUE', sk: String(row?.sk) };
    await context.batchWrite({ puts: [...waiting, last] });
    await context.unitOfWork(async (unit) =>
      unit.delete({ pk: String(row?.pk), sk: String(row?.sk) }),
    );
    world.advance(HOUR);
    const isSlow = context.db.before('Query', () => world.advance(1_000));

    const first = await world.sweep();
    const second = await world.sweep();
    isSlow();

    expect([first.fired, second.fired]).toEqual([0, 1]);
    expect(await world.tasks(id)).toEqual(['Stay', 'DoA']);
  });

  it('runs though another sweep of the module has failed, which is told', async () => {
    const world = await aTimerWorld(aTimer('Soon', 'PT10M'));
    const id = await world.start();
    world.advance(11 * MINUTE);
    const revive = world.context.db.before('Query', (request) => {
      if (JSON.stringify(request).includes('CASEREST')) throw new Error('no');
    });

    const swept = world.runTask('workflow.sweep');

    await expect(swept).rejects.toThrow('Sweeps have failed: rests');
    revive();
    await world.sweep();
    expect(await world.tasks(id)).toContain('DoSoon');
  });
});
