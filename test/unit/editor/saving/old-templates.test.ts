import { afterEach, describe, expect, it } from 'vitest';
import { anOpenTemplate } from './edited-templates.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function aTemplate() {
  const world = await anOpenTemplate();
  open.push(world.server);
  const mode = async () => (await world.reopen()).editorConfig.mode;
  return { ...world, mode };
}

describe('an old file of a template', () => {
  it('is opened for viewing', async () => {
    const world = await aTemplate();
    const before = await world.mode();

    await world.upload('second');

    expect([before, await world.mode()]).toEqual(['edit', 'view']);
  });

  it('is edited on by those who have it open, and makes the next file with each save', async () => {
    const world = await aTemplate();
    await world.send({ key: world.key, status: 1, users: ['lan'] });

    await world.save(6);
    const during = await world.mode();
    world.edit('third {{new}}');
    await world.save(2);

    expect([during, await world.mode()]).toEqual(['edit', 'view']);
    expect(await world.fileVersions()).toMatchObject([
      { fileVersion: 3, origin: 'EDITOR' },
      { fileVersion: 2, origin: 'EDITOR' },
      { fileVersion: 1 },
    ]);
    expect(world.conflicts()).toEqual([]);
  });

  it.each([
    ['before its first save', 0],
    ['between two saves', 1],
  ])(
    'takes no place of a newer one that came %s: its save is a copy, and told',
    async (_, saves) => {
      const world = await aTemplate();
      for (let save = 0; save < saves; save += 1) await world.save(6);

      await world.upload('of somebody else');
      world.edit('mine');
      const { status } = await world.save(2);

      expect(status).toBe(200);
      const [newest] = (await world.fileVersions()) as readonly { origin: string }[];
      expect(newest).toMatchObject({ fileVersion: saves + 2, origin: 'UPLOAD' });
      expect(world.events().at(-1)).toMatchObject({
        editedFilePath: world.conflicts()[0],
        conflict: true,
      });
    },
  );

  it('is none once it is the newest again', async () => {
    const world = await aTemplate();
    await world.save(2);
    const [, newest = ''] = [...world.storage.files.keys()].filter((path) =>
      /\d-.*docx$/.test(path),
    );

    const { body } = await world.open({ ...world.opening, fileId: newest });

    expect(body).toMatchObject({ editorConfig: { mode: 'edit' } });
  });
});
