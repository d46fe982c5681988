import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER, pathOf } from '../editor-api.ts';
import { aLetterWithChanges, anEditedLetter, history } from './edited-letter.ts';

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
    const world = await anEditedLetter();
    await world.edit('second', 2, more);

    const { status, body } = await world.open(2);

    expect([status, body.changesUrl]).toEqual([200, undefined]);
  });

  it('is for the editing server only where its user may not download', async () => {
    const docsEditorPermissionResolver = { resolve: () => ({ download: false }) };
    const world = await aLetterWithChanges({ also: { docsEditorPermissionResolver } });

    const { body } = await world.open(2);

    const urls = [body.url, body.changesUrl, (body.previous as { url: string }).url];
    for (const url of urls) {
      expect((await world.get(pathOf(String(url)), { caller: null })).status).toBe(403);
    }
  });

  it('is gone when its storage has it no more, and shown without the one before then', async () => {
    const storage = versionedStorage();
    const world = await anEditedLetter({ storage });
    await world.edit('second');
    await storage.versions.delete(LETTER, storage.kept.get(LETTER)?.[0]?.id ?? '');

    expect((await world.open(1)).body).toMatchObject({ status: 410, code: 'DOCS_VERSION_GONE' });
    expect((await world.restore(1)).status).toBe(410);
    expect((await world.open(2)).body).not.toHaveProperty('previous');
  });

  it('is the newest one only where a storage keeps no others', async () => {
    const world = await anEditedLetter({ storage: documentStorage() });
    await world.edit('second');

    expect((await world.open(2)).status).toBe(200);
    expect((await world.open(1)).status).toBe(410);
  });

  it.each([
    ['/3', 404, 'DOCS_VERSION_NOT_FOUND'],
    ['/0', 400, 'INVALID_PARAMETER'],
    ['/x', 400, 'INVALID_PARAMETER'],
    ['/1e0', 400, 'INVALID_PARAMETER'],
    ['/%202', 400, 'INVALID_PARAMETER'],
    ['/123456789', 400, 'INVALID_PARAMETER'],
    ['?fileId=documents/none.docx', 404, 'DOCS_FILE_NOT_FOUND'],
    ['?fileId=documents/.changes/a.zip', 404, 'DOCS_FILE_NOT_FOUND'],
    ['?fileId=../x', 400, 'INVALID_PARAMETER'],
  ])('is not found by %s', async (rest, status, code) => {
    const world = await anEditedLetter();
    await world.edit('second');

    const { body } = await world.get(`/api/v1/docs/documents/doc-1/versions${rest}`);

    expect(body).toMatchObject({ status, code });
  });

  it('is for those who may open the document', async () => {
    const world = await anEditedLetter();
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
