import { describe, expect, it, onTestFinished } from 'vitest';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { pathOf } from '../editor-api.ts';
import { anOpenDocument, letter } from '../saving/saves.ts';

const NAMES = [
  ...['a b+c%20d#e?f&g=h.docx', 'Hợp đồng số 1/Phụ lục.docx', '😀 𝒳.docx', '100%.docx', '%41.docx'],
  ...[`a;b:c@d,e!$(f)*'"<>[x]|^\`{}~.docx`, 'UPPER.DOCX', 'con.docx', '.docx', 'a..b.docx'],
  ...[' leading.docx', 'e\u0301.docx', '__proto__/constructor.docx', `${'đ'.repeat(490)}.docx`],
];

const IDS = ['doc/1', 'a%25b', 'a#b?c&d', 'tài liệu', '1:save', '..', "'", '+', '__proto__', '\\'];

describe('a document with an odd name', () => {
  it.each(NAMES)('is opened, downloaded, saved, listed and restored: %s', async (name) => {
    const fileId = `documents/${name}`;
    const storage = versionedStorage();
    storage.files.set(fileId, letter('original'));
    const world = await anOpenDocument({ storage }, { fileId, fileName: name.slice(-200) });
    onTestFinished(() => world.server.close());
    const versions = `/api/v1/docs/documents/doc-1/versions`;
    const query = `?${new URLSearchParams({ fileId })}`;

    const downloaded = await world.get(pathOf(world.opened.document.url), { caller: null });
    const saved = [(await world.save(6)).status, (await world.save(2)).status];
    const listed = await world.get(versions + query);
    const old = await world.get(`${versions}/1${query}`);
    const content = await world.get(pathOf(String(old.body.url)), { caller: null });
    const restored = await world.call({ method: 'POST', path: `${versions}/1:restore${query}` });

    expect([downloaded.status, ...saved, content.status, restored.status]).toEqual(
      Array.from({ length: 5 }, () => 200),
    );
    expect(listed.body).toMatchObject({ fileId, currentVersion: 2 });
    expect(Buffer.from(world.stored(fileId) ?? '')).toEqual(letter('original'));
    expect([...storage.files.keys()].filter((path) => path.startsWith(fileId))).toEqual([fileId]);
  });
});

describe('a document with an odd id', () => {
  it.each(IDS)('is found by it: %s', async (documentId) => {
    const world = await anOpenDocument({ storage: versionedStorage() }, { documentId });
    onTestFinished(() => world.server.close());
    await world.save(2);
    const id = encodeURIComponent(documentId);

    const versions = await world.get(`/api/v1/docs/documents/${id}/versions`);
    const sessions = await world.get(`/api/v1/docs/sessions?documentId=${id}`);

    expect(versions.body).toMatchObject({ currentVersion: 2 });
    expect(sessions.body.content).toMatchObject([{ documentId }, { documentId }]);
    expect(world.events()).toMatchObject([{ documentId }]);
  });
});
