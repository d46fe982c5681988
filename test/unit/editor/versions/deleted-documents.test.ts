import { describe, expect, it, onTestFinished } from 'vitest';
import { anOpenTemplate } from '../saving/edited-templates.ts';
import { type anOpenDocument, letter } from '../saving/saves.ts';
import { history } from './edited-letter.ts';
import { anOpenGeneration } from './generated-letter.ts';

type World = Awaited<ReturnType<typeof anOpenDocument>>;

/** Saves a text with what it has changed, as somebody with a name. */
async function edit(world: World, text: string): Promise<void> {
  world.server.answer = (request, response) =>
    response.end(request.url?.includes('changes.zip') ? 'PK-changes' : letter(text));
  const changesurl = `${world.server.url}/cache/files/data/1/changes.zip`;
  const config = await world.reopen();
  const { status } = await world.save(2, { history, changesurl }, { config });
  expect(status).toBe(200);
}

/** What is kept of old versions: their records, and their changes. */
const keptOf = ({ context, storage }: World) => ({
  records: context.db.items().filter(({ type }) => type === 'DOCS_VERSION').length,
  changes: [...storage.files.keys()].filter((path) => path.includes('.changes/')).length,
});

const NOTHING = { records: 0, changes: 0 };

/** A generated document that was edited twice. */
async function anEditedGeneration() {
  const { storage, templates, id, fileId, world } = await anOpenGeneration();
  await edit(world, 'second');
  await edit(world, 'third');
  const old = () => storage.kept.get(fileId)?.length ?? 0;
  return { world, templates, id, old };
}

/** A template that was edited twice. */
async function anEditedTemplate() {
  const world = await anOpenTemplate();
  onTestFinished(() => world.server.close());
  await edit(world, 'second {{new}}');
  const { body } = await world.get(`/api/v1/docs/documents/${world.id}/versions`);
  world.opening.fileId = String(body.fileId);
  await edit(world, 'third {{new}}');
  return { ...world, remove: () => world.templates.remove(`/api/v1/templates/${world.id}`) };
}

/** What the schedule does later. */
async function forget(world: World): Promise<unknown> {
  world.context.machineClock.advance(120_000);
  return world.runTask('editor.forget');
}

describe('a generation that is cancelled', () => {
  it('leaves no old version, nor who made it and what it changed', async () => {
    const { world, templates, id, old } = await anEditedGeneration();
    const before = [keptOf(world), old()];

    const { status } = await templates.cancel(id);
    const content = old();
    const report = await forget(world);

    expect(before).toEqual([{ records: 3, changes: 2 }, 3]);
    expect([status, content, report]).toEqual([200, 0, { forgotten: 1 }]);
    expect([keptOf(world), old()]).toEqual([NOTHING, 0]);
    expect(await forget(world)).toEqual({ forgotten: 0 });
  });

  it('is left alone while calls may still read it', async () => {
    const { world, templates, id } = await anEditedGeneration();
    await templates.cancel(id);

    expect(await world.runTask('editor.forget')).toEqual({ forgotten: 0 });
  });

  it('leaves none of what was begun before and ends behind it', async () => {
    const { world, templates, id } = await anEditedGeneration();
    const config = await world.reopen();
    world.server.answer = (_, response) => response.end(letter('too late'));
    await templates.cancel(id);

    const { status } = await world.save(2, {}, { config });
    await forget(world);

    expect([status, keptOf(world)]).toEqual([200, NOTHING]);
    expect(world.conflicts()).toHaveLength(1);
  });
});

describe('a template that is deleted', () => {
  it('leaves no account of who edited it and what that changed; its files stay', async () => {
    const world = await anEditedTemplate();
    const before = keptOf(world);

    const { status } = await world.remove();
    await forget(world);

    expect(before).toEqual({ records: 3, changes: 2 });
    expect([status, keptOf(world)]).toEqual([204, NOTHING]);
    expect(await world.fileVersions()).toHaveLength(3);
  });
});

describe('several documents that have ended', () => {
  it('keep each other from nothing when one cannot be deleted, and are tried again', async () => {
    const world = await anEditedTemplate();
    await world.remove();
    const { delete: remove } = world.storage;
    world.storage.delete = () => Promise.reject(new Error('The storage is down'));

    await expect(forget(world)).rejects.toThrow('Old versions were not deleted');
    world.storage.delete = remove;

    expect(await forget(world)).toEqual({ forgotten: 1 });
    expect(keptOf(world)).toEqual(NOTHING);
  });

  it('are deleted behind more than a run takes of those that cannot be', async () => {
    const world = await anEditedTemplate();
    const { delete: remove } = world.storage;
    const locked = 'documents/.changes/locked.zip';
    const docVersion = {
      number: 1,
      key: 'k',
      path: 'p',
      at: '',
      userId: null,
      changesPath: locked,
    };
    const nowS = Math.ceil(world.context.machineClock.now() / 1_000);
    for (let made = 100; made < 300; made += 1) {
      await world.context.unitOfWork(async (unit) => {
        const version = { pk: `DOCVERSION#locked-${made}`, sk: 'VERSION#00000001' };
        unit.put({ ...version, type: 'LOCKED', docVersion, ttl: nowS + 86_400 });
        unit.put({ pk: 'TPLENDED', sk: `2026-01-01T00:00:00.${made}Z#locked-${made}` });
      });
    }
    await world.remove();
    world.storage.delete = (path) => (path === locked ? Promise.reject('locked') : remove(path));

    await expect(forget(world)).rejects.toThrow('Old versions were not deleted');
    await expect(forget(world)).rejects.toThrow('Old versions were not deleted');
    world.storage.delete = remove;

    expect(keptOf(world)).toEqual(NOTHING);
    expect([await forget(world), await forget(world)]).toEqual([
      { forgotten: 200 },
      { forgotten: 0 },
    ]);
  });
});
