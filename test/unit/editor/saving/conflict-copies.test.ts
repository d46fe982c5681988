import { afterEach, describe, expect, it } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenDocument, letter } from './saves.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

/** A document that was replaced while it is edited, with the copy of a save beside it. */
async function aConflict() {
  const world = await anOpenDocument();
  open.push(world.server);
  world.storage.files.set(LETTER, Buffer.from('replaced'));
  world.server.answer = (_, response) => response.end(letter('FIRST'));
  await world.save(6);
  world.server.answer = (_, response) => response.end(letter('SECOND'));
  return { ...world, copy: world.conflicts()[0] ?? '' };
}

describe('a copy beside a document', () => {
  it('is that of the last save of its session', async () => {
    const world = await aConflict();

    await world.save(2);

    expect(world.conflicts()).toEqual([world.copy]);
    expect(textOf(world.stored(world.copy))).toContain('SECOND');
  });

  it('is kept when somebody else has changed it: the next save makes another', async () => {
    const world = await aConflict();
    world.storage.files.set(world.copy, letter('OF SOMEBODY ELSE'));

    await world.save(2);

    const [first, second] = world.conflicts();
    expect(textOf(world.stored(first))).toContain('OF SOMEBODY ELSE');
    expect(textOf(world.stored(second))).toContain('SECOND');
    expect(world.events().at(-1)).toMatchObject({ editedFilePath: second, conflict: true });
  });

  it('replaces nothing that is put there between the look and the write', async () => {
    const world = await aConflict();
    const { head } = world.storage;
    let looks = 0;
    world.storage.head = async (path) => {
      const facts = await head(path);
      if (path === world.copy && ++looks === 1) world.storage.files.set(path, letter('AT ONCE'));
      return facts;
    };

    const { status } = await world.save(2);

    expect([status, textOf(world.stored(world.copy))]).toEqual([
      200,
      expect.stringContaining('AT ONCE'),
    ]);
    expect(world.conflicts()).toHaveLength(2);
  });
});
