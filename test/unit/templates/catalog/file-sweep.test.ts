import { describe, expect, it } from 'vitest';
import { editedDocumentsPort } from '../../../../functions/templates/index.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import { dyingAt } from '../dying-at.ts';
import { aGenerationsApi, letter } from '../generations/generations-api.ts';
import { TEMPLATES } from '../templates-api.ts';

/** Longer than any function runs. */
const LATER_MS = 17 * 60_000;

/** A template with a file, and what adds versions of files. */
async function aWorld() {
  const world = await aGenerationsApi();
  const { storage, path, templateId, context, api } = world;
  const edits = bindPort(editedDocumentsPort, context).use();
  const [fileId = ''] = storage.files.keys();
  const save = { fileId, content: letter('{{d}}'), userId: 'lan', isTerminal: true };
  const ways = {
    upload: () => api.upload(templateId, letter('{{b}}')),
    restore: () => api.post(`${path}/file-versions/1:restore`),
    copy: () => api.post(`${TEMPLATES}/${templateId}:copy`, { code: 'C' }),
    'editor save': () => context.unitOfWork((unit) => edits.save(unit, save)),
  };
  return {
    ...{ ...world, ways },
    sweep: () => api.runTask('templates.sweep'),
    /** Objects of versions, and those that versions refer to. */
    objects: () => {
      const versions = context.db.items().filter(({ type }) => type === 'TEMPLATE_FILE');
      const named = versions.flatMap(({ file }) => {
        const { path: bytes, inspectionPath } = file as { path: string; inspectionPath: string };
        return [bytes, inspectionPath];
      });
      return { stored: [...storage.files.keys()].toSorted(), named: named.toSorted() };
    },
  };
}

describe('the sweep of files', () => {
  it.each(['upload', 'restore', 'copy', 'editor save'] as const)(
    'deletes what a function has written that died, and nothing else: %s',
    async (way) => {
      let leftOver = 0;
      for (let writes = 0; ; writes += 1) {
        const world = await aWorld();
        const hasEnded = await dyingAt(writes, world, world.ways[way]);
        const before = world.objects();
        leftOver += before.stored.length - before.named.length;

        await world.sweep();
        expect(world.objects(), `at once, dead at write ${writes}`).toEqual(before);
        world.context.clock.advance(LATER_MS);
        await world.sweep();

        const { stored, named } = world.objects();
        expect(stored, `dead at write ${writes}`).toEqual(named);
        expect(named).toEqual(before.named);
        if (hasEnded) break;
      }
      expect(leftOver).toBeGreaterThan(0);
    },
  );

  it.each(['upload', 'restore', 'copy', 'editor save'] as const)(
    'leaves what a version names whose commit was not answered: %s',
    async (way) => {
      const world = await aWorld();
      const { length } = world.objects().named;
      world.context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });

      await world.ways[way]().catch(() => undefined);

      const { stored, named } = world.objects();
      expect(named).toHaveLength(length + 2);
      expect(stored).toEqual(named);
      world.context.clock.advance(LATER_MS);
      await world.sweep();
      expect(world.objects().stored).toEqual(named);
    },
  );

  it('looks at each version once, and again at what it could not delete', async () => {
    const world = await aWorld();
    await dyingAt(2, world, world.ways.upload);
    const { delete: remove } = world.storage;
    world.storage.delete = () => Promise.reject(new Error('The store does not answer'));
    world.context.clock.advance(LATER_MS);

    await expect(world.sweep()).rejects.toThrow('files');
    world.storage.delete = remove;
    await world.sweep();
    const { stored, named } = world.objects();
    const again = await world.context.db.meter.costOf(() => world.sweep());

    expect(stored).toEqual(named);
    expect(again.requests.filter((request) => request.startsWith('GetItem'))).toEqual([]);
  });

  it('costs an upload one write unit', async () => {
    const world = await aWorld();
    const { meter } = world.context.db;

    const { requests } = await meter.costOf(world.ways.upload);

    expect(requests.filter((request) => request.startsWith('BatchWriteItem'))).toHaveLength(1);
    const announced = world.context.db.items().filter(({ pk }) => pk === 'TPLNEW');
    expect(announced).toHaveLength(2);
    for (const { ttl } of announced) expect(ttl).toBeGreaterThan(0);
    for (const item of announced) expect(JSON.stringify(item).length).toBeLessThan(1_024);
  });
});
