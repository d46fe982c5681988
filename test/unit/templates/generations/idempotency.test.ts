import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { dyingAt } from '../dying-at.ts';
import { isLong } from '../long-form.ts';
import { aGenerationsApi } from './generations-api.ts';

const LEASE_MS = 45_000;
/** Equal calls at once. */
const CALLS = isLong ? 50 : 10;
const data = { entityData: { ho_ten: 'An' } };

const ids = (answers: readonly { readonly body: Readonly<Record<string, unknown>> }[]) =>
  new Set(answers.map(({ body }) => body.generationId));

describe('generating with one key', () => {
  it.each([
    ['idempotencyKey', { idempotencyKey: 'k' }, {}],
    ['Idempotency-Key', {}, { 'idempotency-key': 'k' }],
    ['both', { idempotencyKey: 'k' }, { 'idempotency-key': 'k' }],
  ])('many times at once makes one output and one number: %s', async (_, key, headers) => {
    const pause = () => setImmediate();
    const world = await aGenerationsApi({ text: '{{documentNumber}}', pause });

    const answers = await Promise.all(
      Array.from({ length: CALLS }, () => world.generate({ ...data, ...key }, { headers })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(CALLS - 1).fill(200),
      201,
    ]);
    expect(ids(answers).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.documentNumber))).toEqual(
      new Set(['0001/2026/HDLD']),
    );
    expect(world.outputs()).toHaveLength(1);
    expect((await world.generate(data)).body.documentNumber).toBe('0002/2026/HDLD');
    const replays = answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true');
    expect(replays).toHaveLength(CALLS - 1);
  });

  it('gives the earlier result to another request, with a warning', async () => {
    const world = await aGenerationsApi();
    const first = await world.generate({ ...data, idempotencyKey: 'k' });

    const other = await world.generate({ entityData: { ho_ten: 'Bình' }, idempotencyKey: 'k' });

    expect(other.status).toBe(200);
    expect(other.body).toMatchObject({
      generationId: first.body.generationId,
      outputHash: first.body.outputHash,
      warningCodes: ['IDEMPOTENT_PAYLOAD_MISMATCH'],
    });
  });

  it('knows a request whose members come in another order', async () => {
    const world = await aGenerationsApi();
    await world.generate({ entityData: { ho_ten: 'An', b: { c: 1, d: 2 } }, idempotencyKey: 'k' });

    const entityData = { b: { d: 2, c: 1 }, ho_ten: 'An' };
    const again = await world.generate({ idempotencyKey: 'k', entityData });

    expect([again.status, again.body.warningCodes]).toEqual([200, []]);
  });

  it.each([
    ['one that waits', {}],
    ['one that does not', { prefer: 'respond-async' }],
  ])('generates another request anew once the first has failed: %s', async (_, headers) => {
    const world = await aGenerationsApi();
    const { put } = world.storage;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/')) throw new Error('The disk is full');
      return put(path, ...more);
    };
    const of = (entityType: string, last: number) => ({
      ...{ entityType, entityId: `0197b4c0-0000-7000-8000-00000000000${last}` },
      ...{ entityData: { ho_ten: entityType }, idempotencyKey: 'k' },
    });
    await world.generate(of('first', 1));
    world.storage.put = put;

    const other = await world.generate(of('second', 2), { headers });
    await world.api.runJobs();

    const { body } = await world.get(other.body.generationId);
    expect(body).toMatchObject({
      ...{ status: 'GENERATED', entityType: 'second', entityId: of('', 2).entityId },
      fileName: expect.stringContaining(of('', 2).entityId),
    });
    expect(body.warningCodes).not.toContain('IDEMPOTENT_PAYLOAD_MISMATCH');
    expect(world.textOfOutput()).toBe('Dear second');
    const [newest, failed, ...more] = (await world.list()).body.content as { status: string }[];
    expect([newest?.status, failed?.status, more]).toEqual(['GENERATED', 'FAILED', []]);
    const again = await world.generate(of('second', 2));
    expect(again.body.generationId).toBe(other.body.generationId);
  });

  it('gives a number to a document whose fields show one since it has failed', async () => {
    const world = await aGenerationsApi({ text: '{{so}}' });
    const { put } = world.storage;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/')) throw new Error('The disk is full');
      return put(path, ...more);
    };
    await world.generate({ idempotencyKey: 'k' });
    world.storage.put = put;
    const fields = [{ name: 'so', sourceType: 'BUILTIN', sourceRef: 'documentNumber' }];
    await world.api.put(`${world.path}/merge-fields`, { fields });

    const { body } = await world.generate({ idempotencyKey: 'k' });

    expect([body.documentNumber, world.textOfOutput()]).toEqual(Array(2).fill('0001/2026/HDLD'));
    expect((await world.generate()).body.documentNumber).toBe('0002/2026/HDLD');
  });

  it('refuses another request with the same header, and forgets it after a day', async () => {
    const world = await aGenerationsApi();
    const headers = { 'idempotency-key': 'k' };
    const first = await world.generate(data, { headers });

    const other = await world.generate({}, { headers });
    world.context.clock.advance(25 * 3_600_000);
    const later = await world.generate(data, { headers });

    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(later.status).toBe(201);
    expect(later.body.generationId).not.toBe(first.body.generationId);
  });

  it.each([
    ['at once', {}],
    ['by a job', { prefer: 'respond-async' }],
  ])('finds what its other key stands for since its own was cancelled, %s', async (_, more) => {
    const world = await aGenerationsApi();
    const request = { ...data, idempotencyKey: 'k' };
    const headers = { 'idempotency-key': 'h', ...more };
    const first = await world.generate(request, { headers });
    await world.api.runJobs();
    await world.cancel(first.body.generationId);
    const second = await world.generate(request);
    expect(second.status).toBe(201);

    const again = await world.generate(request, { headers });

    expect([again.status, again.body.generationId]).toEqual([200, second.body.generationId]);
    await world.cancel(second.body.generationId);
    const third = await world.generate(request, { headers });
    await world.api.runJobs();
    const { body } = await world.generate(request, { headers });
    expect(body).toMatchObject({ status: 'GENERATED', generationId: third.body.generationId });
  });

  it('still gives the result when the template is deleted', async () => {
    const world = await aGenerationsApi();
    const first = await world.generate({ ...data, idempotencyKey: 'k' });
    await world.remove(world.path);

    const replay = await world.generate({ ...data, idempotencyKey: 'k' });

    expect([replay.status, replay.body.generationId]).toEqual([200, first.body.generationId]);
  });
});

describe('a function that dies while it generates', () => {
  it('at any write leaves what the next one with its key completes: one output, one number', async () => {
    let deaths = 0;
    for (let calls = 0; ; calls += 1) {
      const world = await aGenerationsApi({ text: '{{documentNumber}} {{ho_ten}}' });
      const request = { ...data, idempotencyKey: 'k' };

      const hasEnded = await dyingAt(calls, world, () => world.generate(request));
      if (hasEnded) break;
      deaths += 1;
      world.context.clock.advance(LEASE_MS + 1);
      const next = await world.generate(request);

      expect(next.body, `dead at write ${calls}`).toMatchObject({
        ...{ status: 'GENERATED', documentNumber: '0001/2026/HDLD' },
      });
      expect((await world.list()).body.content, `dead at write ${calls}`).toHaveLength(1);
      world.context.clock.advance(LEASE_MS + 1);
      await world.runTask('templates.sweep');
      expect(world.outputs(), `dead at write ${calls}`).toHaveLength(1);
      expect(world.textOfOutput()).toBe('0001/2026/HDLD An');
    }
    expect(deaths).toBeGreaterThan(3);
  });

  it('at any write leaves what the sweep ends: no rendering without an end, no file without a generation', async () => {
    for (let calls = 0; ; calls += 1) {
      const world = await aGenerationsApi();

      if (await dyingAt(calls, world, () => world.generate(data))) break;
      world.context.clock.advance(LEASE_MS + 1);
      await world.runTask('templates.sweep');

      const content = (await world.list()).body.content as { status: string }[];
      const generated = content.filter(({ status }) => status === 'GENERATED');
      expect(content.every(({ status }) => status === 'GENERATED' || status === 'FAILED')).toBe(
        true,
      );
      expect(world.outputs(), `dead at write ${calls}`).toHaveLength(generated.length);
      expect(await world.runTask('templates.sweep')).toEqual({ generations: 0, jobs: 0, files: 0 });
    }
  });

  it('at any write of a cancellation leaves what the sweep deletes', async () => {
    for (let calls = 0; ; calls += 1) {
      const world = await aGenerationsApi();
      const { body } = await world.generate(data);

      if (await dyingAt(calls, world, () => world.cancel(body.generationId))) break;
      world.context.clock.advance(LEASE_MS + 1);
      await world.runTask('templates.sweep');

      const { status } = (await world.get(body.generationId)).body;
      expect(world.outputs(), `dead at write ${calls}`).toHaveLength(
        status === 'CANCELLED' ? 0 : 1,
      );
    }
  });
});
