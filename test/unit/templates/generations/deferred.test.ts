import { describe, expect, it } from 'vitest';
import { prefersAsync } from '../../../../shared/http/request.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { dyingAt } from '../dying-at.ts';
import { aGenerationsApi } from './generations-api.ts';

const async = { prefer: 'respond-async' };
const request = { entityData: { ho_ten: 'An' }, idempotencyKey: 'k' };
const text = '{{documentNumber}} {{ho_ten}}';
const LEASE_MS = 45_000;
const JOB_LEASE_MS = 150_000;

const idOf = ({ body }: ApiAnswer) => body.generationId;

it.each([
  ['respond-async', true],
  ['wait=10, Respond-Async ; x=1', true],
  ['return=minimal', false],
  ['respond-asynchronously', false],
  [undefined, false],
])('Prefer: %s', (header, prefers) => {
  expect(prefersAsync(header)).toBe(prefers);
});

describe('Prefer: respond-async', () => {
  it('is answered by a generation to poll, which a job renders', async () => {
    const world = await aGenerationsApi({ text });

    const { status, headers, body } = await world.generate(request, { headers: async });
    const waiting = await world.get(body.generationId);
    await world.runJobs();
    const done = await world.get(body.generationId);

    expect(status).toBe(202);
    expect(headers).toMatchObject({
      'preference-applied': 'respond-async',
      location: `${world.path}/generations/${body.generationId}`,
    });
    expect(body).toMatchObject({ status: 'PENDING', fileUrl: null, outputHash: null });
    expect(waiting.body).toMatchObject({ status: 'PENDING', documentNumber: '0001/2026/HDLD' });
    expect(done.body).toMatchObject({ status: 'GENERATED', editStatus: 'EDITABLE' });
    expect(world.textOfOutput()).toBe('0001/2026/HDLD An');
    expect([...world.storage.files.keys()].join()).not.toContain('templates/requests/');
  });

  it('with one key starts one generation, and later gives its result', async () => {
    const world = await aGenerationsApi({ text });
    const headers = { ...async, 'idempotency-key': 'h' };

    const first = await world.generate(request, { headers });
    const again = await world.generate(request, { headers });
    await world.runJobs();
    const later = await world.generate(request, { headers });
    const sync = await world.generate(request);

    expect([first, again, later, sync].map(({ status }) => status)).toEqual([202, 202, 200, 200]);
    expect(new Set([first, again, later, sync].map(idOf)).size).toBe(1);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(later.headers).not.toHaveProperty('preference-applied');
    expect(world.outputs()).toHaveLength(1);
  });

  it('says at once what is wrong with the request', async () => {
    const fields = [{ name: 'ho_ten', sourceType: 'ENTITY', required: true }];
    const world = await aGenerationsApi({ fields });

    const { status, body } = await world.generate({}, { headers: async });

    expect([status, body.code]).toEqual([422, 'REQUIRED_FIELD_MISSING']);
    expect((await world.list()).body.content).toEqual([]);
  });

  it('says at once that there is no engine', async () => {
    const world = await aGenerationsApi({
      svc: { template: { enabled: true, 'pdf-converter': 'none' } },
    });

    const { status, body } = await world.generate({ outputFormat: 'PDF' }, { headers: async });

    expect([status, body.code]).toEqual([422, 'PDF_NOT_AVAILABLE']);
    expect((await world.list()).body.content).toEqual([]);
  });

  it('says why no document comes of it when that shows later', async () => {
    const world = await aGenerationsApi();
    const { body } = await world.generate(request, { headers: async });
    await world.remove(world.path);

    await world.runJobs();

    expect((await world.get(body.generationId)).body).toMatchObject({
      ...{ status: 'FAILED', failure: { code: 'TEMPLATE_NOT_ACTIVE' } },
    });
    expect(world.events().at(-1)).toMatchObject([
      'template.generation.failed',
      { failure: 'TEMPLATE_NOT_ACTIVE' },
    ]);
  });

  it('renders nothing that is cancelled', async () => {
    const world = await aGenerationsApi();
    const { body } = await world.generate(request, { headers: async });

    await world.cancel(body.generationId);
    await world.runJobs();

    expect((await world.get(body.generationId)).body.status).toBe('CANCELLED');
    expect(world.outputs()).toEqual([]);
  });

  it('tries again what may pass, and ends after a number of failures', async () => {
    const world = await aGenerationsApi();
    const { put } = world.storage;
    let failures = 2;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/') && failures > 0) {
        failures -= 1;
        throw new Error('The store does not answer');
      }
      return put(path, ...more);
    };
    const statuses = async (id: unknown) => {
      const seen: unknown[] = [];
      for (let polls = 0; polls < 4; polls += 1) {
        await world.runJobs();
        world.context.clock.advance(6_000);
        seen.push((await world.get(id)).body.status);
      }
      return seen;
    };

    const first = await world.generate(request, { headers: async });
    const passed = await statuses(idOf(first));
    failures = 100;
    const other = await world.generate({ entityData: {} }, { headers: async });
    const failed = await statuses(idOf(other));

    expect(passed).toEqual(['PENDING', 'PENDING', 'GENERATED', 'GENERATED']);
    expect(failed).toEqual(['PENDING', 'PENDING', 'FAILED', 'FAILED']);
    expect(world.events().filter(([topic]) => topic === 'template.generation.failed')).toHaveLength(
      1,
    );
  });
});

describe('a function that dies', () => {
  it('while it starts a job leaves what the next call with the key completes', async () => {
    for (let writes = 0; ; writes += 1) {
      const world = await aGenerationsApi({ text });
      const ask = () => world.generate(request, { headers: async });

      const hasEnded = await dyingAt(writes, world, ask);
      const next = await ask();
      world.context.clock.advance(JOB_LEASE_MS + 1);
      await world.runTask('templates.sweep');
      await world.runJobs();

      const { body } = await world.get(idOf(next));
      expect(body, `dead at write ${writes}`).toMatchObject({ status: 'GENERATED' });
      expect(body.documentNumber).toBe('0001/2026/HDLD');
      expect(world.outputs()).toHaveLength(1);
      if (hasEnded) break;
    }
  });

  it('while a job renders leaves what that job completes: no failure in between', async () => {
    let deaths = 0;
    for (let writes = 0; ; writes += 1) {
      const world = await aGenerationsApi({ text });
      const { body } = await world.generate(request, { headers: async });

      if (await dyingAt(writes, world, () => world.runJobs())) break;
      deaths += 1;
      world.context.clock.advance(LEASE_MS + 1);
      await world.runTask('templates.sweep');
      const { status } = (await world.get(body.generationId)).body;
      world.context.clock.advance(JOB_LEASE_MS);
      await world.runTask('templates.sweep');
      await world.runJobs();

      expect(status, `dead at write ${writes}`).not.toBe('FAILED');
      expect((await world.get(body.generationId)).body.status).toBe('GENERATED');
      world.context.clock.advance(JOB_LEASE_MS);
      await world.runTask('templates.sweep');
      await world.runJobs();
      expect(world.outputs(), `dead at write ${writes}`).toHaveLength(1);
      expect(world.textOfOutput()).toBe('0001/2026/HDLD An');
      expect(await world.runTask('templates.sweep')).toEqual({ generations: 0, jobs: 0, files: 0 });
    }
    expect(deaths).toBeGreaterThan(4);
  });
});
