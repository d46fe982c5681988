import { describe, expect, it } from 'vitest';
import { aGenerationsApi } from './generations-api.ts';

const data = { entityData: { ho_ten: 'An' } };

async function aGeneration() {
  const world = await aGenerationsApi();
  const { body } = await world.generate({ ...data, idempotencyKey: 'k' });
  return { ...world, id: body.generationId, first: body };
}

describe('PUT /api/v1/templates/{id}/generations/{genId}/finalize', () => {
  it('keeps the output as it is, once', async () => {
    const world = await aGeneration();

    const { status, body } = await world.finalize(world.id, {
      caller: { sub: 'lan', roles: ['admin'] },
    });
    const again = await world.finalize(world.id);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ status: 'FINALIZED', editStatus: 'LOCKED', outputHash: world.first.outputHash },
      ...{ finalizedBy: 'lan', docsEditUrl: expect.stringMatching(/mode=view$/) },
    });
    expect(again.body).toMatchObject({ status: 'FINALIZED', finalizedBy: 'lan' });
    expect(world.outputs()).toEqual([expect.stringMatching(/final\.docx$/)]);
    expect(world.textOfOutput()).toBe('Dear An');
    expect(world.events().map(([topic]) => topic)).toEqual([
      'template.generation.generated',
      'template.generation.finalized',
    ]);
  });

  it('and cancel refuse each other', async () => {
    const final = await aGeneration();
    await final.finalize(final.id);
    const gone = await aGeneration();
    await gone.cancel(gone.id);

    const cancelled = await final.cancel(final.id);
    const finalized = await gone.finalize(gone.id);

    expect([cancelled.status, cancelled.body.code]).toEqual([409, 'GENERATION_FINALIZED']);
    expect([finalized.status, finalized.body.code]).toEqual([409, 'GENERATION_NOT_READY']);
    expect(final.outputs()).toHaveLength(1);
    const unknown = '0197b4c0-0000-7000-8000-000000000009';
    expect((await gone.finalize(unknown)).body.code).toBe('GENERATION_NOT_FOUND');
  });
});

describe('PUT /api/v1/templates/{id}/generations/{genId}/cancel', () => {
  it('deletes the output with all that belongs to it', async () => {
    const world = await aGenerationsApi({
      fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }],
    });
    const before = world.storage.files.size;
    const { body } = await world.generate(data);
    expect(world.storage.files.size).toBe(before + 2);

    const cancelled = await world.cancel(body.generationId);
    const again = await world.cancel(body.generationId);

    expect(cancelled.body).toMatchObject({
      ...{ status: 'CANCELLED', editStatus: 'LOCKED', outputHash: null, fileUrl: null },
      cancelledBy: 'demo',
    });
    expect(cancelled.body).not.toHaveProperty('docsEditUrl');
    expect([again.status, again.body.status]).toEqual([200, 'CANCELLED']);
    expect(world.storage.files.size).toBe(before);
    expect(world.events().map(([topic]) => topic)).toEqual([
      'template.generation.generated',
      'template.generation.cancelled',
    ]);
  });

  it('lets the next call with its key generate anew', async () => {
    const world = await aGeneration();
    await world.cancel(world.id);

    const next = await world.generate({ ...data, idempotencyKey: 'k' });
    const replay = await world.generate({ ...data, idempotencyKey: 'k' });

    expect(next.status).toBe(201);
    expect(next.body.generationId).not.toBe(world.id);
    expect(replay.body.generationId).toBe(next.body.generationId);
    expect(world.outputs()).toHaveLength(1);
  });

  it('of a rendering that is under way lets it write for nothing', async () => {
    const world = await aGenerationsApi();
    const { put } = world.storage;
    let cancelled = 0;
    world.storage.put = async (path, ...more) => {
      const answer = await put(path, ...more);
      if (path.startsWith('documents/generations/')) {
        const id = path.split('/')[3];
        cancelled = (await world.cancel(id)).status;
      }
      return answer;
    };

    const { status, body } = await world.generate(data);

    expect(cancelled).toBe(200);
    expect([status, body.code]).toEqual([409, 'GENERATION_CANCELLED']);
    expect(world.outputs()).toEqual([]);
    world.context.clock.advance(60_000);
    await world.runTask('templates.sweep');
    expect(await world.runTask('templates.sweep')).toEqual({ generations: 0, jobs: 0, files: 0 });
  });
});

describe('a generation that fails', () => {
  it('says why, leaves nothing and is taken up by the next call with its key', async () => {
    const world = await aGenerationsApi();
    const { put } = world.storage;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/')) throw new Error('The disk is full');
      return put(path, ...more);
    };
    const request = { ...data, idempotencyKey: 'k' };

    const failed = await world.generate(request);
    const [entry] = (await world.list()).body.content as Record<string, unknown>[];
    world.storage.put = put;
    const next = await world.generate(request);

    expect(failed.status).toBe(500);
    expect(entry).toMatchObject({ status: 'FAILED', failure: { code: 'INTERNAL_ERROR' } });
    expect(next.body).toMatchObject({
      ...{ generationId: entry?.generationId, status: 'GENERATED', failure: null },
    });
    expect(world.outputs()).toHaveLength(1);
    expect(world.events().map(([topic]) => topic)).toEqual([
      'template.generation.failed',
      'template.generation.generated',
    ]);
  });
});
