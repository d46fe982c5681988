import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER, pathOf } from '../editor-api.ts';
import { anEditedLetter } from './edited-letter.ts';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function aLetter(...given: Parameters<typeof anEditedLetter>) {
  const world = await anEditedLetter(...given);
  servers.push(world.server);
  return world;
}

const user = { id: 'lan', name: 'Lan Nguyễn' };
const history = { serverVersion: '9.0.4', changes: [{ created: '2026-03-01 09:44:10', user }] };

/** A letter whose second version has changes of the editing server. */
async function aLetterWithChanges(docs = {}, also = {}) {
  const world = await aLetter({ docs, also });
  const changesurl = `${world.server.url}/cache/files/data/1/changes.zip`;
  await world.edit('second', 2, { history, changesurl });
  return world;
}

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
        { version: 2, user, ...history },
        { version: 3, user: { id: 'lan', name: 'lan' } },
        { version: 4 },
      ],
    });
    const listed = await world.listed();
    expect(listed[0]).not.toHaveProperty('user');
    expect(new Set(listed.map(({ key }) => key)).size).toBe(4);
  });

  it('are as many as what was stored: the same again is none, a copy is none', async () => {
    const world = await aLetter();
    await world.edit('second', 6);
    await world.edit('second');
    await world.save(2, { url: `${world.server.url}/cache/files/late/output.docx` });

    expect(world.conflicts()).toHaveLength(1);
    expect((await world.listed()).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('are one for a save that is reported five times at once', async () => {
    const world = await aLetter({ pause: () => sleep(5) });
    const url = `${world.server.url}/cache/files/same/output.docx`;

    await Promise.all(Array.from({ length: 5 }, () => world.save(2, { url })));

    expect((await world.listed()).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('have what was put from outside', async () => {
    const world = await aLetter();
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
    const world = await aLetter();
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
    const world = await aLetter({ storage, docs: { 'max-versions': 2 } });
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
    const world = await aLetter();
    const changes = Array.from({ length: 300 }, () => history.changes[0]);

    await world.edit('second', 2, { history: { ...history, changes } });

    expect((await world.listed())[1]).not.toHaveProperty('changes');
  });

  it('end 90 days after they were made', async () => {
    const world = await aLetter();
    await world.edit('second');
    world.context.machineClock.advance(91 * 86_400_000);

    const { body } = await world.get(
      `/api/v1/docs/documents/doc-1/versions?fileId=${encodeURIComponent(LETTER)}`,
    );

    expect(body).toMatchObject({ currentVersion: 1, history: [{ version: 1 }] });
  });
});

describe('a version for an editor', () => {
  it('is signed, with the one before and the changes between them', async () => {
    const world = await aLetterWithChanges();
    await world.edit('third');

    const { status, body, headers } = await world.open(2);

    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const { token, ...signed } = body;
    expect(decodeJwt(String(token))).toMatchObject(signed);
    const [first, second] = await world.listed();
    const opened = { fileType: 'docx', url: expect.stringContaining(LETTER) };
    const previous = { ...opened, key: first?.key };
    expect(signed).toMatchObject({ ...opened, version: 2, key: second?.key, previous });
    const get = (url: unknown) => world.get(pathOf(String(url)), { caller: null });
    expect((await get(signed.url)).headers['content-disposition']).toContain('letter.docx');
    expect((await get((signed.previous as { url: string }).url)).text).toBe('letter');
    expect((await get(signed.changesUrl)).text).toBe('PK-changes');
  });

  it.each([
    ['nothing', {}],
    ['an address of others', { history, changesurl: 'http://127.0.0.1:1/changes.zip' }],
    ['no history', { history: {}, changesurl: 'changes.zip' }],
  ])('has no changes when the editing server gave %s', async (_, more) => {
    const world = await aLetter();
    await world.edit('second', 2, more);

    const { status, body } = await world.open(2);

    expect([status, body.changesUrl]).toEqual([200, undefined]);
  });

  it('is for the editing server only where its user may not download', async () => {
    const docsEditorPermissionResolver = { resolve: () => ({ download: false }) };
    const world = await aLetterWithChanges({}, { docsEditorPermissionResolver });

    const { body } = await world.open(2);

    const urls = [body.url, body.changesUrl, (body.previous as { url: string }).url];
    for (const url of urls) {
      expect((await world.get(pathOf(String(url)), { caller: null })).status).toBe(403);
    }
  });

  it('is gone when its storage has it no more, and shown without the one before then', async () => {
    const storage = versionedStorage();
    const world = await aLetter({ storage });
    await world.edit('second');
    await storage.versions.delete(LETTER, storage.kept.get(LETTER)?.[0]?.id ?? '');

    expect((await world.open(1)).body).toMatchObject({ status: 410, code: 'DOCS_VERSION_GONE' });
    expect((await world.restore(1)).status).toBe(410);
    expect((await world.open(2)).body).not.toHaveProperty('previous');
  });

  it('is the newest one only where a storage keeps no others', async () => {
    const world = await aLetter({ storage: documentStorage() });
    await world.edit('second');

    expect((await world.open(2)).status).toBe(200);
    expect((await world.open(1)).status).toBe(410);
  });

  it.each([
    ['/3', 404, 'DOCS_VERSION_NOT_FOUND'],
    ['/0', 400, 'INVALID_PARAMETER'],
    ['/x', 400, 'INVALID_PARAMETER'],
    ['?fileId=documents/none.docx', 404, 'DOCS_FILE_NOT_FOUND'],
    ['?fileId=documents/.changes/a.zip', 404, 'DOCS_FILE_NOT_FOUND'],
    ['?fileId=../x', 400, 'INVALID_PARAMETER'],
  ])('is not found by %s', async (rest, status, code) => {
    const world = await aLetter();
    await world.edit('second');

    const { body } = await world.get(`/api/v1/docs/documents/doc-1/versions${rest}`);

    expect(body).toMatchObject({ status, code });
  });

  it('is for those who may open the document', async () => {
    const world = await aLetter();
    await world.edit('second');
    const caller = { sub: 'nobody', permissions: [] };
    const viewer = { sub: 'viewer', permissions: ['docs:view'] };

    expect((await world.list('doc-1', { caller })).status).toBe(403);
    expect((await world.open(1, '', { caller })).status).toBe(403);
    expect((await world.restore(1, { caller: viewer })).status).toBe(403);
    expect((await world.open(1, '', { caller: viewer })).status).toBe(200);
    expect((await world.list('doc-2')).body.code).toBe('DOCS_SESSION_NOT_FOUND');
    const ofOthers = await world.list('doc-1', { caller: { ...viewer, tenant: 'other' } });
    expect(ofOthers.status).toBe(404);
  });
});
