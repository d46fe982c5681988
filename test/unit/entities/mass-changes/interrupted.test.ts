import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import {
  anInterruptibleApi,
  type InterruptibleApi,
  interruptEverywhere,
} from '../deletions/interrupted.ts';
import { all, type Body, type Decide, deciding, fill, LOANS, versions } from './loans.ts';

describe('a change by filter that is interrupted before any of its requests', () => {
  // What the caller does not see is stored always, so each change of a record shows in its version.
  const hides: Decide = (action) =>
    action === 'view' ? { allowed: true, fields: ['number', 'status'] } : true;

  const interrupted = async (world: InterruptibleApi, path: string, body: Body) => {
    const started = await world.post(`${LOANS}/${path}`, body);
    await world.runJobs();
    return started;
  };

  it('changes every record exactly once, and counts it once', async () => {
    const requests = await interruptEverywhere(
      () => fill(anInterruptibleApi({ permissionEvaluator: deciding(hides) }), 5),
      (world) => interrupted(world, 'bulk:update', { filter: {}, data: { note: 'x' } }),
      async (world, started, name) => {
        const isStarted = started.status === 202;
        const seen = versions(await all(world));
        // An answer that got lost may have started the job.
        if (isStarted) expect(seen, name).toEqual([2, 2, 2, 2, 2]);
        else expect([1, 2], name).toContain(new Set(seen).size === 1 ? seen[0] : seen);
        if (!isStarted) return;
        const { body } = await world.get(String(started.headers.location));
        expect(body, name).toMatchObject({
          state: 'DONE',
          processed: 5,
          result: { updated: 5, failed: 0 },
        });
      },
    );
    expect(requests).toBeGreaterThan(15);
  });

  it('deletes every record once, and counts it once', async () => {
    await interruptEverywhere(
      () => fill(anInterruptibleApi(), 5),
      (world) => interrupted(world, 'bulk:delete', { filter: { status: 'open' } }),
      async (world, started, name) => {
        if (started.status !== 202) return;
        expect(await all(world), name).toHaveLength(2);
        const { body } = await world.get(String(started.headers.location));
        expect(body, name).toMatchObject({
          state: 'DONE',
          processed: 3,
          result: { deleted: 3, failed: 0 },
        });
      },
    );
  });

  it('goes on in one run at a time: another one that wakes up late changes nothing', async () => {
    const world = await fill(anInterruptibleApi({ permissionEvaluator: deciding(hides) }), 6);
    const started = await world.post(`${LOANS}/bulk:update`, { filter: {}, data: { note: 'x' } });
    let isOther = false;
    const stop = world.context.db.before('TransactWriteItems', async (input) => {
      if (isOther || !JSON.stringify(input).includes('"L#')) return;
      isOther = true;
      // Another run takes the job over and ends it while this change waits.
      world.context.clock.advance(400_000);
      await world.runTask(SWEEP_TASK);
      await world.runJobs();
    });
    await world.runJobs();
    stop();
    await world.settle();
    expect(isOther).toBe(true);
    expect(versions(await all(world))).toEqual([2, 2, 2, 2, 2, 2]);
    const { body } = await world.get(String(started.headers.location));
    expect(body).toMatchObject({ state: 'DONE', processed: 6, result: { updated: 6 } });
  });
});
