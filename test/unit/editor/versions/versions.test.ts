import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER, pathOf } from '../editor-api.ts';
import { aLetterWithChanges, anEditedLetter, history } from './edited-letter.ts';

describe('the versions of a document', () => {
  it('are what it was opened with, and each save', async () => {
    const world = await aLetterWithChanges();
    await world.edit('third', 6);
    await world.edit('fourth');

    const { status, body, headers } = await world.list();

    expect([status, headers.etag, body.fileId]).toEqual([200, '"4"', LETTER]);
    expect(body).toMatchObject({
      currentVersion: 4,
      history: [
        { version: 1 },
        { version: 2, user: history.changes[0]?.user, ...history },
        { version: 3, user: { id: 'lan', name: 'lan' } },
        { version: 4 },
      ],
    });
    const listed = await world.listed();
    expect(listed[0]).not.toHaveProperty('user');
    expect(new Set(listed.map(({ key }) => key)).size).toBe(4);
  });

  it('are as many as what was stored: the same again is none, a copy is none', async () => {
    const world = await anEditedLetter();
    await world.edit('second', 6);
    await world.edit('second');
    await world.save(2, { url: `${world.server.url}/cache/files/late/output.docx` });

    expect(world.conflicts()).toHaveLength(1);
    expect((await world.listed()).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('are one for a save that is reported five times at once', async () => {
    const world = await anEditedLetter({ pause: () => sleep(5) });
    const url = `${world.server.url}/cache/files/same/output.docx`;

    await Promise.all(Array.from({ length: 5 }, () => world.save(2, { url })));

    expect((await world.listed()).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('are the same when a call ends behind its write, and the save is reported again', async () => {
    const world = await anEditedLetter();
    const { put } = world.storage;
    world.storage.put = async (...given) => {
      await put(...given);
      throw new Error('The function has ended');
    };
    const url = `${world.server.url}/cache/files/same/output.docx`;
    const first = await world.save(2, { url });
    world.storage.put = put;

    const second = await world.save(2, { url });

    expect([first.status, second.status]).toEqual([503, 200]);
    expect((await world.listed()).map(({ version }) => version)).toEqual([1, 2]);
    const { body } = await world.open(1);
    expect((await world.get(pathOf(String(body.url)), { caller: null })).text).toBe('letter');
  });

  it('have what was put from outside', async () => {
    const world = await anEditedLetter();
    await world.edit('second');
    world.storage.files.set(LETTER, Buffer.from('from outside'));

    const before = await world.listed();
    await world.edit('fourth');

    expect(before.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(await world.listed()).toMatchObject([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4, user: { id: 'lan' } },
    ]);
    const { body } = await world.open(3);
    expect((await world.get(pathOf(String(body.url)), { caller: null })).text).toBe('from outside');
  });

  it('are one where nobody has edited it, also without a session', async () => {
    const world = await anEditedLetter();
    world.storage.files.set('documents/other.docx', Buffer.from('other'));

    const known = await world.list();
    const { status, body } = await world.get(
      '/api/v1/docs/documents/2/versions?fileId=documents/other.docx',
    );

    expect(known.body).toMatchObject({ currentVersion: 1, history: [{ version: 1 }] });
    expect([status, body.fileId]).toEqual([200, 'documents/other.docx']);
  });

  it('are no more than are kept: older ones go with their content', async () => {
    const storage = versionedStorage();
    const world = await anEditedLetter({ storage, docs: { 'max-versions': 2 } });
    const changesurl = `${world.server.url}/cache/files/data/1/changes.zip`;
    await world.edit('second', 2, { history, changesurl });
    const packed = [...storage.files.keys()].filter((path) => path.includes('.changes'));
    for (const text of ['third', 'fourth']) await world.edit(text);

    expect((await world.listed()).map(({ version }) => version)).toEqual([3, 4]);
    expect(storage.kept.get(LETTER)).toHaveLength(2);
    expect(packed).toHaveLength(1);
    expect(storage.files.has(packed[0] ?? '')).toBe(false);
  });

  it('are listed without changes that are too large for it', async () => {
    const world = await anEditedLetter();
    const changes = Array.from({ length: 300 }, () => history.changes[0]);

    await world.edit('second', 2, { history: { ...history, changes } });

    expect((await world.listed())[1]).not.toHaveProperty('changes');
  });

  it('end 90 days after they were made', async () => {
    const world = await anEditedLetter();
    await world.edit('second');
    world.context.machineClock.advance(91 * 86_400_000);

    const { body } = await world.get(
      `/api/v1/docs/documents/doc-1/versions?fileId=${encodeURIComponent(LETTER)}`,
    );

    expect(body).toMatchObject({ currentVersion: 11, history: [{ version: 11 }] });
  });
});
