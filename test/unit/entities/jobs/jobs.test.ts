import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import type { ContextOptions } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const CODE = `${DEFINITIONS}/code/city`;
const CITIES = `${RECORDS}/city`;
const MINUTE = 60_000;
const schemaOf = (...fields: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((code) => [code, { type: 'string' }])),
});

/** An entity with one record whose new field is being indexed by a job. */
async function withJob(options: ContextOptions = {}) {
  const api = anEntitiesApi(options);
  await api.define({ code: 'city', name: 'City', uiSchemaJson: schemaOf('name') });
  await api.post(CITIES, { name: 'Huế' });
  const changed = await api.put(`${CODE}/schema`, schemaOf('name', 'country'));
  expect(changed.status, changed.text).toBe(200);
  const [job] = changed.body.jobs as { id: string; state: string }[];
  return {
    ...api,
    changed,
    job,
    state: async () => (await api.get(`${CODE}/jobs/${job?.id}`)).body,
    open: () => api.context.db.items().filter(({ pk }) => pk === 'DYN_JOB'),
  };
}

describe('the job of a schema change', () => {
  it.each([
    [{ transport: 'broker', 'app-code': 'shop', relay: { enabled: true } }],
    [{ transport: 'spring' }],
    [{ enabled: false }],
  ])('does not hold up the answer, and is done in the background: svc.mq %j', async (mq) => {
    const { job, state, runJobs, get, context, open } = await withJob({ svc: { mq } });

    const before = await state();
    const openBefore = open().length;
    await runJobs();

    expect(job).toMatchObject({ state: 'WAITING' });
    expect(before).toMatchObject({ state: 'WAITING', processed: 0 });
    expect(await state()).toMatchObject({ state: 'DONE', processed: 1 });
    expect(contentOf(await get(`${CITIES}?sort=country`))).toMatchObject([{ name: 'Huế' }]);
    expect([openBefore, open().length]).toEqual([1, 0]);
    expect(context.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the sweep', () => {
  it('wakes a job whose message was lost, once its time is over', async () => {
    const api = anEntitiesApi({ svc: { mq: { enabled: false } } });
    await api.define({ code: 'city', name: 'City', uiSchemaJson: schemaOf('name') });
    api.context.bus.mode = 'down';
    const changed = await api.put(`${CODE}/schema`, schemaOf('name', 'country'));
    const [{ id } = { id: '' }] = changed.body.jobs as { id: string }[];
    api.context.bus.mode = 'up';

    const early = await api.runTask(SWEEP_TASK);
    await api.runJobs();
    const waiting = await api.get(`${CODE}/jobs/${id}`);
    api.context.clock.advance(3 * MINUTE);
    const late = await api.runTask(SWEEP_TASK);
    await api.runJobs();

    expect([early, late]).toMatchObject([{ jobs: 0 }, { jobs: 1 }]);
    expect(waiting.body).toMatchObject({ state: 'WAITING' });
    expect((await api.get(`${CODE}/jobs/${id}`)).body).toMatchObject({ state: 'DONE' });
  });

  it('gives up a job that is interrupted again and again, and says so', async () => {
    const { context, runTask, state, open } = await withJob();
    const waits: number[] = [];

    while (open().length > 0) {
      const since = context.clock.now();
      do context.clock.advance(MINUTE);
      while (((await runTask(SWEEP_TASK)) as { jobs: number }).jobs === 0);
      waits.push(Math.round((context.clock.now() - since) / MINUTE));
    }

    expect(waits).toEqual([3, 6, 11, 21, 41, 61, 61, 61, 61, 61, 61, 61, 61]);
    expect(await state()).toMatchObject({
      state: 'FAILED',
      result: { detail: 'A step of the job was interrupted too often.' },
    });
  });
});
