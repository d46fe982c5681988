import { afterEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../../../shared/ports/documents.ts';
import { type DocumentStorage, documentStorage } from '../../../helpers/editor/document-storage.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { LETTER, pathOf } from '../editor-api.ts';
import { anOpenDocument } from './saves.ts';

const MIB = 1_048_576;
/** A storage that takes whole files only takes 64 MiB. */
const TOO_MUCH = Buffer.alloc(65 * MIB, 1);
const LIMIT = 64 * MIB;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function aDocument(storage: DocumentStorage = documentStorage()) {
  const world = await anOpenDocument({ storage });
  open.push(world.server);
  world.server.answer = (_, response) => response.end(TOO_MUCH);
  return world;
}

describe('a storage of a host that a document is too large for', () => {
  it('has the save refused, for good: nothing is stored, and it is told once', async () => {
    const world = await aDocument();

    const { status, body } = await world.save(2);

    expect([status, body]).toEqual([413, { error: 1, message: 'The document is too large.' }]);
    expect([...world.storage.files.keys()]).toEqual([LETTER]);
    expect(world.writes()).toBe(0);
    expect(world.events()).toMatchObject([
      { type: 'docs.document.save-failed', reason: 'DOCS_SAVE_TOO_LARGE', isTerminal: true },
    ]);
    const { body: sessions } = await world.get('/api/v1/docs/sessions?documentId=doc-1');
    expect(sessions.content).toMatchObject([
      { state: 'FAILED', failures: [{ reason: 'DOCS_SAVE_TOO_LARGE' }] },
    ]);
  });

  it('has the restoration of a version refused', async () => {
    const storage = versionedStorage();
    const world = await aDocument(storage);
    world.server.answer = (_, response) => response.end('small');
    await world.save(2);
    const versions = storage.versions;
    const huge: Pick<Storage, 'versions'> = {
      versions: {
        ...versions,
        async open(path, id, from) {
          const bytes = await versions.open(path, id, from);
          return bytes && parts();
        },
      },
    };
    Object.assign(storage, huge);

    const { status, body } = await world.call({
      method: 'POST',
      path: '/api/v1/docs/documents/doc-1/versions/1:restore',
    });

    expect([status, body]).toMatchObject([413, { code: 'DOCS_SAVE_TOO_LARGE', maxBytes: LIMIT }]);
    expect(world.stored()?.toString()).toBe('small');
  });

  it('opens nothing that it cannot hand out', async () => {
    const { downloadLink: _, ...storage } = documentStorage();
    const world = await aDocument(storage as DocumentStorage);
    const { url } = world.opened.document;
    world.storage.files.set(LETTER, Buffer.alloc(5 * MIB));

    const opened = await world.open();
    const file = await world.get(pathOf(url), { caller: null });

    const expected = { code: 'DOCS_FILE_TOO_LARGE', maxBytes: 4 * MIB, sizeBytes: 5 * MIB };
    expect([opened.status, opened.body]).toMatchObject([422, expected]);
    expect([file.status, file.body]).toMatchObject([422, expected]);
  });
});

async function* parts(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < TOO_MUCH.length; at += MIB) yield TOO_MUCH.subarray(at, at + MIB);
}
