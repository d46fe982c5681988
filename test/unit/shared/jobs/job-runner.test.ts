import { describe, expect, it } from 'vitest';
import { type Job, JobFailure, type JobWork } from '../../../../shared/jobs/job.ts';
import { JobRepository } from '../../../../shared/jobs/job-repository.ts';
import { JobRunner } from '../../../../shared/jobs/job-runner.ts';
import { Problem } from '../../../../shared/problems/problem.ts';
import { aContext, type TestContext } from '../../../helpers/world/a-context.ts';

const STORAGE = { type: 'BATCH_JOB', subjectName: 'template' };
const MINUTE = 60_000;

/** A runner of jobs `COUNT` whose messages wait in `woken` until the test runs them. */
function aRunner(work: JobWork, context: TestContext = aContext()) {
  const woken: string[] = [];
  const runner = new JobRunner({
    ...context,
    module: 'templates',
    topic: 'template-job',
    repository: new JobRepository({ ...context, ...STORAGE }),
    events: {
      ...context.events,
      publish: async (topic, key) => {
        woken.push(`${topic} ${key}`);
        return { messageId: key ?? '', status: 'PENDING' };
      },
    },
  });
  runner.register('COUNT', work);
  return {
    context,
    runner,
    woken,
    start: () => runner.start('COUNT', 'letter', { to: 3 }, { id: 'ann' }),
    state: async (id: string) => (await runner.find('letter', id))?.state,
    open: () => context.db.items().filter(({ pk }) => pk === 'BATCH_JOB'),
  };
}

/** Counts to what the job was asked for, one number a step. */
const counting: JobWork = {
  step: async ({ input, progress }) => {
    const at = Number(progress.at ?? 0) + 1;
    return {
      isDone: at === input.to,
      processed: 1,
      total: Number(input.to),
      progress: { at },
      result: { at },
    };
  },
};

describe('JobRunner', () => {
  it('starts a job with a message, and keeps its progress after each step', async () => {
    const seen: Partial<Job>[] = [];
    const { runner, start, woken, open } = aRunner({
      step: async (job) => {
        seen.push({ processed: job.processed, total: job.total, progress: job.progress });
        return counting.step(job);
      },
    });

    const { id } = await start();
    const openBefore = open().length;
    await runner.run({ jobId: id });

    expect(woken).toEqual([`template-job ${id}`]);
    expect(seen).toEqual([
      { processed: 0, total: null, progress: {} },
      { processed: 1, total: 3, progress: { at: 1 } },
      { processed: 2, total: 3, progress: { at: 2 } },
    ]);
    expect(await runner.find('letter', id)).toMatchObject({
      state: 'DONE',
      processed: 3,
      result: { at: 3 },
    });
    expect([openBefore, open().length]).toEqual([1, 0]);
  });

  it('stores the subject under the name that the module gives it', async () => {
    const { context, start } = aRunner(counting);

    const { id } = await start();

    const item = context.db.items().find(({ pk }) => pk === `BATCH_JOB#${id}`);
    expect(item?.job).toMatchObject({ template: 'letter' });
    expect(item?.job).not.toHaveProperty('subject');
  });

  it('starts nothing when the unit of work around it fails', async () => {
    const { context, start, open } = aRunner(counting);

    const failing = context.unitOfWork(async () => {
      await start();
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(open()).toEqual([]);
  });

  it('shows a job about its own subject only', async () => {
    const { runner, start } = aRunner(counting);

    const { id } = await start();

    expect(await runner.find('invoice', id)).toBeUndefined();
    expect(await runner.cancel('invoice', id)).toBeUndefined();
  });

  it('goes on in another invocation when one has worked for a minute', async () => {
    const { context, runner, start, woken, state } = aRunner({
      step: (job) => {
        context.clock.advance(MINUTE);
        return counting.step(job);
      },
    });

    const { id } = await start();
    await runner.run({ jobId: id });

    expect(await state(id)).toBe('RUNNING');
    expect(woken).toHaveLength(2);
  });

  it('ends a job as failed with what a JobFailure says', async () => {
    const { runner, start } = aRunner({
      step: async () => {
        throw new JobFailure('The template was deleted.', { at: 7 });
      },
    });

    const { id } = await start();
    await runner.run({ jobId: id });

    expect(await runner.find('letter', id)).toMatchObject({
      state: 'FAILED',
      result: { detail: 'The template was deleted.', at: 7 },
    });
  });

  it('takes a step over that was interrupted, from where the last one ended', async () => {
    let falls = true;
    const { context, runner, start, woken, state } = aRunner({
      step: async (job) => {
        if (job.progress.at === 1 && falls) throw new Error('killed');
        return counting.step(job);
      },
    });
    const { id } = await start();
    await expect(runner.run({ jobId: id })).rejects.toThrow('killed');
    falls = false;

    const early = await runner.sweep();
    context.clock.advance(3 * MINUTE);
    const late = await runner.sweep();
    await runner.run({ jobId: id });

    expect([early, late]).toEqual([0, 1]);
    expect(woken).toHaveLength(2);
    expect(await state(id)).toBe('DONE');
    expect(await runner.find('letter', id)).toMatchObject({ processed: 3 });
  });

  it('lets one of two runs at the same time go on', async () => {
    const context = aContext();
    let steps = 0;
    const slow: JobWork = {
      step: async (job) => {
        steps += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return counting.step(job);
      },
    };
    const one = aRunner(slow, context);
    const other = aRunner(slow, context);

    const { id } = await one.start();
    await Promise.all([one.runner.run({ jobId: id }), other.runner.run({ jobId: id })]);

    expect(steps).toBe(4);
    expect(await one.runner.find('letter', id)).toMatchObject({ state: 'DONE', processed: 3 });
  });
});

describe('a job that cannot go on', () => {
  const failed = (error: Error) => aRunner({ step: () => Promise.reject(error) });
  const problem = (code: string, status: number) => new Problem({ code, status, title: code });

  it('fails with the first problem that another attempt would meet again', async () => {
    const { runner, start } = failed(problem('ENTITY_NOT_FOUND', 404));

    const { id } = await start();
    await runner.run({ jobId: id });

    expect(await runner.find('letter', id)).toMatchObject({
      state: 'FAILED',
      result: { code: 'ENTITY_NOT_FOUND', detail: 'ENTITY_NOT_FOUND' },
    });
  });

  it.each([
    problem('CONCURRENT_UPDATE', 409),
    problem('TOO_MANY_REQUESTS', 429),
    problem('SERVICE_UNAVAILABLE', 503),
    new TypeError('a defect'),
  ])('is repeated after $message', async (error) => {
    const { runner, start, state } = failed(error);

    const { id } = await start();

    await expect(runner.run({ jobId: id })).rejects.toBe(error);
    expect(await state(id)).toBe('WAITING');
  });

  it('fails when it has to remember more than an item holds', async () => {
    const { runner, start, open } = aRunner({
      step: async () => ({ isDone: false, progress: { text: 'x'.repeat(500_000) } }),
    });

    const { id } = await start();
    await runner.run({ jobId: id });

    expect(await runner.find('letter', id)).toMatchObject({
      state: 'FAILED',
      progress: {},
      result: { detail: expect.stringContaining('300000 bytes') },
    });
    expect(open()).toEqual([]);
  });

  it('is not started with more than an item holds', async () => {
    const { runner, open } = aRunner(counting);

    const started = runner.start('COUNT', 'letter', { text: 'x'.repeat(500_000) }, { id: 'ann' });

    await expect(started).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 });
    expect(open()).toEqual([]);
  });
});

describe('jobs under faults', () => {
  const FAULTS = ['conflict', 'throttling', 'internal', 'network', 'answer-lost'] as const;
  const places = FAULTS.flatMap((fault) => [0, 1, 2, 3].map((after) => [fault, after] as const));

  it.each(places)('counts every step once: %s after %i writes', async (fault, after) => {
    const { context, runner, start, state, open } = aRunner(counting);
    const { id } = await start();

    context.db.failNext(fault, { operation: 'TransactWriteItems', after, times: 3 });
    for (let delivery = 0; delivery < 5; delivery += 1) {
      await runner.run({ jobId: id }).catch(() => undefined);
    }

    expect(await state(id)).toBe('DONE');
    expect(await runner.find('letter', id)).toMatchObject({ processed: 3, result: { at: 3 } });
    expect(open()).toEqual([]);
  });

  it('can be read while the table takes no writes, and is woken later', async () => {
    const { context, runner, start, woken } = aRunner(counting);
    const { id } = await start();
    context.clock.advance(3 * MINUTE);
    context.db.failNext('internal', { operation: 'TransactWriteItems' });

    const job = await runner.find('letter', id);
    const again = await runner.sweep();

    expect(job).toMatchObject({ state: 'WAITING' });
    expect(again).toBe(1);
    expect(woken.at(-1)).toBe(`template-job ${id}`);
  });

  it('are woken once by two sweeps and a reader at the same time', async () => {
    const { context, runner, start, woken } = aRunner(counting);
    const { id } = await start();
    context.clock.advance(3 * MINUTE);

    const counts = await Promise.all([runner.sweep(), runner.sweep()]);
    await runner.find('letter', id);

    expect(counts.toSorted()).toEqual([0, 1]);
    // The transaction of the other sweep does not commit, so neither does its message.
    expect((await runner.find('letter', id))?.takeovers).toBe(1);
    expect(woken.length).toBeGreaterThanOrEqual(2);
  });
});

describe('sweep', () => {
  it('finds an interrupted job behind a hundred that are running', async () => {
    const { context, runner, start, woken } = aRunner({ ...counting, clear: async () => {} });
    const jobs: Job[] = [];
    for (let count = 0; count < 120; count += 1) jobs.push(await start());
    const [interrupted = '', ...running] = jobs
      .map(({ id }) => id)
      .toSorted()
      .toReversed();
    context.clock.advance(2 * MINUTE);
    for (const id of running) await runner.cancel('letter', id);
    context.clock.advance(MINUTE);

    const count = await runner.sweep();

    expect(count).toBe(1);
    expect(woken.at(-1)).toBe(`template-job ${interrupted}`);
  });

  it('forgets jobs that have expired', async () => {
    const { context, runner, start, open } = aRunner(counting);
    const { id } = await start();
    await context.unitOfWork(async (unit) => unit.delete({ pk: `BATCH_JOB#${id}`, sk: 'J' }));

    await runner.sweep();

    expect(open()).toEqual([]);
  });

  it('keeps a job for a week after its last step, not after its start', async () => {
    const { context, runner, start } = aRunner({
      step: (job) => {
        context.clock.advance(40 * MINUTE);
        return counting.step(job);
      },
    });
    const { id } = await start();

    await runner.run({ jobId: id });

    const item = context.db.items().find(({ pk }) => pk === `BATCH_JOB#${id}`);
    const at = Date.parse((await runner.find('letter', id))?.updatedAt ?? '') / 1_000;
    expect(item?.ttl).toBe(Math.floor(at) + 7 * 24 * 3_600);
  });
});

describe('a job that fails', () => {
  it('is cleared, when a step says so and when its steps are interrupted too often', async () => {
    const cleared: string[] = [];
    const clear: JobWork['clear'] = async ({ id }) => void cleared.push(id);
    const failing = aRunner({
      clear,
      step: async () => {
        throw new JobFailure('no');
      },
    });
    const { id: failed } = await failing.start();
    await failing.runner.run({ jobId: failed });
    const dying = aRunner({ ...counting, clear });
    const { id: interrupted } = await dying.start();
    for (let time = 0; time < 13; time += 1) {
      dying.context.clock.advance(120 * MINUTE);
      await dying.runner.sweep();
    }

    expect([await failing.state(failed), await dying.state(interrupted)]).toEqual([
      'FAILED',
      'FAILED',
    ]);
    expect(cleared).toEqual([failed, interrupted]);
  });
});

describe('cancelling a job', () => {
  it('clears what its steps have left, and runs no further step', async () => {
    const cleared: string[] = [];
    let steps = 0;
    const { runner, start, state, open } = aRunner({
      step: async (job) => {
        steps += 1;
        return counting.step(job);
      },
      clear: async ({ id }) => {
        cleared.push(id);
      },
    });
    const { id } = await start();

    const answer = await runner.cancel('letter', id);
    await runner.run({ jobId: id });

    expect(answer).toMatchObject({ kind: 'cancelling', job: { state: 'CANCELLING' } });
    expect(await state(id)).toBe('CANCELLED');
    expect([steps, cleared, open()]).toEqual([0, [id], []]);
  });

  it('waits for the step that is under way', async () => {
    const order: string[] = [];
    const { runner, start, state } = aRunner({
      step: async (job) => {
        if (job.processed === 1) {
          await runner.cancel('letter', job.id);
          order.push('cancelled');
        }
        order.push(`step ${job.processed}`);
        return counting.step(job);
      },
      clear: async () => {
        order.push('cleared');
      },
    });
    const { id } = await start();

    await runner.run({ jobId: id });

    expect(order).toEqual(['step 0', 'cancelled', 'step 1', 'cleared']);
    expect(await state(id)).toBe('CANCELLED');
  });

  it('clears again what a step leaves that ends after the clean-up', async () => {
    const left = new Set<string>();
    const { runner, start, state } = aRunner({
      step: async (job) => {
        await runner.cancel('letter', job.id);
        await runner.run({ jobId: job.id });
        left.add('file');
        return counting.step(job);
      },
      clear: async () => {
        left.clear();
      },
    });
    const { id } = await start();

    await runner.run({ jobId: id });

    expect(await state(id)).toBe('CANCELLED');
    expect([...left]).toEqual([]);
  });

  it('is taken over when the function dies while it clears', async () => {
    let falls = true;
    const { context, runner, start, state } = aRunner({
      ...counting,
      clear: async () => {
        if (falls) throw new Error('killed');
      },
    });
    const { id } = await start();
    await runner.cancel('letter', id);
    await expect(runner.run({ jobId: id })).rejects.toThrow('killed');
    falls = false;

    context.clock.advance(3 * MINUTE);
    await runner.sweep();
    await runner.run({ jobId: id });

    expect(await state(id)).toBe('CANCELLED');
  });

  it('changes nothing about a job that has ended', async () => {
    const { runner, start, state } = aRunner({ ...counting, clear: async () => {} });
    const { id } = await start();
    await runner.run({ jobId: id });

    expect(await runner.cancel('letter', id)).toMatchObject({ kind: 'ended' });
    expect(await state(id)).toBe('DONE');
  });

  it('is refused where nothing clears up', async () => {
    const { runner, start, state } = aRunner(counting);
    const { id } = await start();

    expect(await runner.cancel('letter', id)).toMatchObject({ kind: 'refused' });
    expect(await state(id)).toBe('WAITING');
  });

  it('may be asked for twice', async () => {
    const { runner, start } = aRunner({ ...counting, clear: async () => {} });
    const { id } = await start();

    await runner.cancel('letter', id);

    expect(await runner.cancel('letter', id)).toMatchObject({ kind: 'cancelling' });
  });
});
