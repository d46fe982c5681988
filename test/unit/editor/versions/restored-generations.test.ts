import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../templates/generations/generations-api.ts';
import { steps } from '../saving/dying-steps.ts';
import { letter } from '../saving/saves.ts';
import { anOpenGeneration } from './generated-letter.ts';

/** A generated document that was edited. */
async function anEditedGeneration() {
  const { storage, templates, made, id, fileId, world } = await anOpenGeneration();
  world.server.answer = (_, response) => response.end(letter('edited'));
  await world.save(2);
  const base = `/api/v1/docs/documents/${id}/versions`;
  return {
    ...{ ...world, templates, made, id, versions: storage.versions },
    generation: async () => (await templates.get(id)).body,
    list: () => world.get(base),
    open: (version: number) => world.get(`${base}/${version}`),
    restore: (version: number, more: object = {}) =>
      world.call({ method: 'POST', path: `${base}/${version}:restore`, ...more }),
    text: () => textOf(storage.files.get(fileId)),
  };
}

describe('a generated document', () => {
  it('has the hash of what is restored, and says that it was edited', async () => {
    const world = await anEditedGeneration();
    const edited = await world.generation();

    const { status, body } = await world.restore(1);

    expect([status, body.currentVersion, world.text()]).toEqual([200, 3, 'Dear An']);
    const restored = await world.generation();
    expect(edited.outputHash).not.toBe(world.made.outputHash);
    expect(restored).toMatchObject({
      ...{ status: 'GENERATED', editStatus: 'EDITED', outputHash: world.made.outputHash },
    });
  });

  it('is not restored once it is final: nothing of what it was before is left', async () => {
    const world = await anEditedGeneration();
    await world.templates.finalize(world.id);

    expect((await world.restore(1)).body).toMatchObject({ code: 'DOCS_DOCUMENT_CLOSED' });
    expect((await world.list()).body).toMatchObject({ currentVersion: 3 });
    expect((await world.open(3)).status).toBe(200);
    expect((await world.open(1)).status).toBe(410);
    expect((await world.open(2)).status).toBe(410);
  });

  it.each([
    [{ headers: { 'if-match': '"2"' } }, 412, 'VERSION_CONFLICT'],
    [{}, 409, 'DOCS_DOCUMENT_CHANGED'],
  ])('keeps what is saved between the look and the write: %j', async (more, status, code) => {
    const world = await anEditedGeneration();
    const config = await world.reopen();
    const { open } = world.versions;
    world.versions.open = async (...given) => {
      world.versions.open = open;
      world.server.answer = (_, response) => response.end(letter('saved meanwhile'));
      await world.save(6, {}, { config });
      return open(...given);
    };

    const { body } = await world.restore(1, more);

    expect(body).toMatchObject({ status, code });
    expect(world.text()).toBe('saved meanwhile');
    expect((await world.list()).body).toMatchObject({ currentVersion: 3 });
  });

  it('is restored once, with one version of its file, when the account of it comes late', async () => {
    const world = await anEditedGeneration();
    const [fileId = ''] = world.templates.outputs();
    const writes = world.writes(fileId);
    world.context.db.failNext('conflict', { operation: 'TransactWriteItems', times: 2 });

    const { status, body } = await world.restore(1);

    expect([status, body.currentVersion, world.text()]).toEqual([200, 3, 'Dear An']);
    expect(world.writes(fileId) - writes).toBe(1);
  });

  it('has its account kept by whoever lists the versions, where its function has ended', async () => {
    for (let step = 0; ; step += 1) {
      const world = await anEditedGeneration();
      const [fileId = ''] = world.templates.outputs();
      const watched = steps(world);
      watched.endAfter(step);
      await world.restore(1);
      const isOver = watched.count() <= step;
      watched.restart();
      const at = `step ${step}`;

      const { body } = await world.list();

      const isRestored = world.text() === 'Dear An';
      expect(body.history, at).toHaveLength(isRestored ? 3 : 2);
      if (isRestored)
        expect((body.history as unknown[])[2]).toMatchObject({ user: { id: 'demo' } });
      const hash = createHash('sha256')
        .update(world.stored(fileId) ?? '')
        .digest('hex');
      expect(await world.generation(), at).toMatchObject({
        outputHash: hash,
        editStatus: 'EDITED',
      });
      const told = world.events().filter((event) => 'restoredFrom' in event);
      expect(told.length, at).toBe(Number(isRestored));
      if (isOver) return;
    }
  });

  it('is none of another tenant', async () => {
    const world = await anEditedGeneration();
    const caller = { sub: 'somebody', roles: ['admin'], tenant: 'other' };
    const fileId = encodeURIComponent(world.templates.outputs()[0] ?? '');

    const { status } = await world.get(
      `/api/v1/docs/documents/${world.id}/versions?fileId=${fileId}`,
      { caller },
    );

    expect(status).toBe(404);
  });
});
