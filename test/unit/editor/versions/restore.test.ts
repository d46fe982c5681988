import { describe, expect, it, onTestFinished } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenTemplate } from '../saving/edited-templates.ts';
import { anEditedLetter } from './edited-letter.ts';

const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

/** A letter with three versions. */
async function aLetter(...given: Parameters<typeof anEditedLetter>) {
  const world = await anEditedLetter(...given);
  await world.edit('second');
  await world.edit('third');
  return world;
}

describe('an old version that is restored', () => {
  it('is the newest one, under the next key, and told', async () => {
    const world = await aLetter();
    const { key } = (await world.reopen()).document;

    const { status, body, headers } = await world.restore(2, { headers: { 'if-match': '"3"' } });

    expect([status, headers.etag, body.currentVersion]).toEqual([200, '"4"', 4]);
    expect(textOf(world.stored())).toContain('second');
    expect((await world.reopen()).document.key).not.toBe(key);
    expect(world.events().at(-1)).toMatchObject({
      ...{ type: 'docs.document.saved', documentId: 'doc-1', editedFilePath: LETTER, key },
      ...{ isTerminal: true, conflict: false, restoredFrom: 2 },
    });
    expect(await world.listed()).toMatchObject([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4, user: { id: 'demo' } },
    ]);
  });

  it('is edited on, and what it replaced can be restored, too', async () => {
    const world = await aLetter();
    await world.restore(1);
    await world.edit('fifth');

    const { body } = await world.restore(3);

    expect(body.currentVersion).toBe(6);
    expect(textOf(world.stored())).toContain('third');
    expect(world.conflicts()).toEqual([]);
  });

  it('changes nothing when it is the current one', async () => {
    const world = await aLetter();
    const events = world.events().length;

    const { status, body } = await world.restore(3);

    expect([status, body.currentVersion]).toEqual([200, 3]);
    expect(world.events()).toHaveLength(events);
  });

  it('is none when the caller has seen another one as the current one', async () => {
    const world = await aLetter();

    const { body } = await world.restore(1, { headers: { 'if-match': '"2"' } });

    expect(body).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
    expect(textOf(world.stored())).toContain('third');
  });

  it('is stored in parts when it is too large for the memory, as it is', async () => {
    const storage = versionedStorage();
    const large = Buffer.alloc(26 * 1_048_576, 'x');
    storage.files.set(LETTER, large);
    const world = await anEditedLetter({ storage });
    await world.edit('second');

    const { status } = await world.restore(1);

    expect(status).toBe(200);
    expect(large.equals(world.stored() ?? Buffer.alloc(0))).toBe(true);
    expect([...storage.files.keys()].filter((path) => path.includes('.part-'))).toEqual([]);
  });
});

describe('a document that is edited', () => {
  it('is not restored, until nobody edits it', async () => {
    const world = await aLetter();
    const config = await world.reopen();
    const { key } = config.document;
    await world.send({ key, status: 1, users: ['lan'] }, { config });
    world.answerCommands({ error: 0 });

    const during = await world.restore(1);
    world.answerCommands({ error: 1 });
    const left = await world.restore(1);

    expect(during.body).toMatchObject({ status: 409, code: 'DOCS_DOCUMENT_OPEN', users: ['lan'] });
    expect(left.status).toBe(200);
  });

  it('is not restored when the editing server cannot say who edits', async () => {
    const world = await aLetter();
    const config = await world.reopen();
    await world.send({ key: config.document.key, status: 1, users: ['lan'] }, { config });
    await world.server.close();

    expect((await world.restore(1)).body).toMatchObject({ code: 'DOCS_SERVER_UNAVAILABLE' });
  });

  it('keeps what was restored: who has an old configuration saves a copy', async () => {
    const world = await aLetter();
    const config = await world.reopen();
    await world.restore(1);

    const { status } = await world.save(2, {}, { config });

    expect([status, Buffer.from(world.stored() ?? []).toString()]).toEqual([200, 'letter']);
    expect(world.conflicts()).toHaveLength(1);
  });

  it('is not restored over a save that was stored between the look and the write', async () => {
    const storage = versionedStorage();
    const world = await aLetter({ storage });
    const config = await world.reopen();
    const { open } = storage.versions;
    Object.assign(storage.versions, {
      open: async (...given: Parameters<typeof open>) => {
        Object.assign(storage.versions, { open });
        await world.save(2, {}, { config });
        world.storage.files.set(LETTER, Buffer.from('at once'));
        return open(...given);
      },
    });

    const { body } = await world.restore(1, { headers: { 'if-match': '"3"' } });

    expect(body).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('at once');
  });

  it('is restored while somebody opens it', async () => {
    const world = await aLetter();
    let opened = 0;
    const off = world.context.db.before('PutItem', async ({ input }) => {
      if (opened > 0 || !JSON.stringify(input).includes('restored')) return;
      opened += 1;
      await world.openAs({ documentId: 'another' });
    });

    const { status, body } = await world.restore(2);
    off();

    expect([opened, status, body.currentVersion]).toEqual([1, 200, 4]);
  });

  it('keeps what is stored between the look and the write', async () => {
    const world = await aLetter();
    const { head } = world.storage;
    let looks = 0;
    world.storage.head = async (path) => {
      const facts = await head(path);
      if (++looks === 1) world.storage.files.set(LETTER, Buffer.from('at once'));
      return facts;
    };

    const { body } = await world.restore(1);

    expect(body).toMatchObject({ status: 409, code: 'DOCS_DOCUMENT_CHANGED' });
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('at once');
  });
});

describe('numbers of versions', () => {
  it('are of one content each, also of what nobody has saved', async () => {
    const world = await aLetter();
    world.storage.files.set(LETTER, Buffer.from('from outside'));
    const seen = await world.list();
    world.storage.files.set(LETTER, Buffer.from('from outside again'));

    const { body } = await world.restore(1, { headers: { 'if-match': seen.headers.etag ?? '' } });

    expect([seen.headers.etag, body.code]).toEqual(['"4"', 'VERSION_CONFLICT']);
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('from outside again');
    expect(await world.listed()).toMatchObject([1, 2, 3, 4, 5].map((version) => ({ version })));
  });

  it('go on when all versions have ended', async () => {
    const world = await aLetter();
    world.context.machineClock.advance(91 * 86_400_000);
    const query = `?fileId=${encodeURIComponent(LETTER)}`;

    const { body } = await world.get(`/api/v1/docs/documents/doc-1/versions${query}`);

    expect(body).toMatchObject({ currentVersion: 11, history: [{ version: 11 }] });
  });
});

describe('a template', () => {
  async function anEditedTemplate() {
    const world = await anOpenTemplate();
    onTestFinished(() => world.server.close());
    world.edit('second {{new}}');
    await world.save(2);
    const base = `/api/v1/docs/documents/${world.id}/versions`;
    const restore = (version: number) =>
      world.call({ method: 'POST', path: `${base}/${version}:restore` });
    return { ...world, restore, listed: () => world.get(base) };
  }

  it('has its files as versions, and its fields again when one is restored', async () => {
    const world = await anEditedTemplate();
    const before = await world.fields();

    const { status, body } = await world.restore(1);

    expect([status, body.currentVersion]).toEqual([200, 3]);
    expect(before).toMatchObject([{ name: 'new' }]);
    expect(await world.fields()).toMatchObject([{ name: 'city' }]);
    expect(await world.fileVersions()).toMatchObject([
      { fileVersion: 3, origin: 'RESTORE', restoredFrom: 1, createdBy: 'demo' },
      { fileVersion: 2, origin: 'EDITOR' },
      { fileVersion: 1, origin: 'UPLOAD' },
    ]);
    expect(body.fileId).toMatch(/\/3-/);
  });

  it('has files that came past the editor as versions, too', async () => {
    const world = await anEditedTemplate();
    await world.upload('third');

    const { body } = await world.listed();

    expect(body).toMatchObject({
      currentVersion: 3,
      history: [{ version: 1 }, { version: 2, user: { id: 'lan' } }, { version: 3 }],
    });
  });

  it('is not restored once it is deleted', async () => {
    const world = await anEditedTemplate();
    await world.templates.remove(`/api/v1/templates/${world.id}`);

    expect((await world.restore(1)).body).toMatchObject({ code: 'DOCS_DOCUMENT_CLOSED' });
  });
});
