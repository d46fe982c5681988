import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenDocument, letter } from './saves.ts';

const open: { close(): Promise<void> }[] = [];
const aDocument = async (...given: Parameters<typeof anOpenDocument>) => {
  const document = await anOpenDocument(...given);
  open.push(document.server);
  return document;
};

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const plain = (file: Uint8Array | undefined): string => Buffer.from(file ?? []).toString();
const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

/** A document whose downloads below `slow/` end when they are told to. */
async function aSlowDownload() {
  const world = await aDocument();
  const slow = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.server.answer = async (request, response) => {
    if (!request.url?.includes('/slow/')) return response.end(letter('NEW'));
    begun.resolve();
    await slow.promise;
    return response.end(letter('OLD'));
  };
  const url = (speed: string) => `${world.server.url}/cache/files/${speed}/output.docx`;
  return { ...world, url, begun: begun.promise, finish: slow.resolve };
}

/** A document whose path is not the usual one. */
async function aDocumentAt(fileId: string) {
  const storage = documentStorage();
  storage.files.set(fileId, Buffer.from('x'));
  return aDocument({ storage }, { fileId, fileName: 'Letter.docx' });
}

describe('a save whose download ends late', () => {
  it.each([2, 6])('keeps what a save of status %d has stored meanwhile', async (status) => {
    const world = await aSlowDownload();
    const late = world.save(6, { url: world.url('slow') });
    await world.begun;

    await world.save(status, { url: world.url('fast') });
    world.finish();

    expect((await late).status).toBe(200);
    expect(textOf(world.stored())).toContain('NEW');
    expect(world.conflicts()).toHaveLength(1);
    expect(textOf(world.stored(world.conflicts()[0]))).toContain('OLD');
  });

  it('at the end is newer than one that was stored meanwhile', async () => {
    const world = await aSlowDownload();
    const last = world.save(2, { url: world.url('slow') });
    await world.begun;

    await world.save(6, { url: world.url('fast') });
    world.finish();

    expect((await last).status).toBe(200);
    expect([textOf(world.stored()), world.conflicts()]).toEqual([
      expect.stringContaining('OLD'),
      [],
    ]);
  });

  it('keeps a document that was replaced during the download', async () => {
    const world = await aDocument();
    world.server.answer = (_, response) => {
      world.storage.files.set(LETTER, Buffer.from('replaced meanwhile'));
      response.end(letter('edited'));
    };

    const { status } = await world.save(2);

    expect([status, plain(world.stored())]).toEqual([200, 'replaced meanwhile']);
    expect(textOf(world.stored(world.conflicts()[0]))).toContain('edited');
  });

  it('keeps a document that is replaced between its plan and its write', async () => {
    const world = await aDocument();
    const { head } = world.storage;
    let looks = 0;
    world.storage.head = async (path) => {
      const facts = await head(path);
      looks += 1;
      if (looks === 1) world.storage.files.set(LETTER, Buffer.from('replaced meanwhile'));
      return facts;
    };

    const { status } = await world.save(2);

    expect([status, plain(world.stored())]).toEqual([200, 'replaced meanwhile']);
    expect(world.conflicts()).toHaveLength(1);
  });
});

describe('the path of a save', () => {
  it.each(['documents/0f3a', 'documents/letter.bin'])('is %s as before', async (fileId) => {
    const world = await aDocumentAt(fileId);

    await world.save(2);

    expect(world.events()).toMatchObject([{ editedFilePath: fileId, conflict: false }]);
    expect(textOf(world.stored(fileId))).toContain('edited');
  });

  it.each([
    `documents/${'x'.repeat(1_024 - 15)}.docx`,
    `documents/${'ữ'.repeat(336)}.docx`,
    `documents/${'x'.repeat(1_007)}/a.docx`,
  ])('of a copy has no more bytes than storages take: %.14s…', async (fileId) => {
    const world = await aDocumentAt(fileId);
    world.storage.files.set(fileId, Buffer.from('replaced'));

    const { status } = await world.save(2);

    const [copy = ''] = world.conflicts();
    expect([status, plain(world.stored(fileId))]).toEqual([200, 'replaced']);
    expect(Buffer.byteLength(copy)).toBeLessThanOrEqual(1_024);
    expect(copy).toMatch(/^documents\/.*\.conflict-[\w-]{8}\.docx$/);
  });

  it('in another format is the same for each save of a session', async () => {
    const world = await aDocument();

    for (const text of ['one', 'two', 'three']) {
      world.server.answer = (_, response) => response.end(text);
      await world.save(6, { filetype: 'pdf' });
    }

    expect([...world.storage.files.keys()]).toEqual([LETTER, 'documents/letter.pdf']);
    expect(plain(world.stored('documents/letter.pdf'))).toBe('three');
  });
});

describe('a save in another format', () => {
  const PDF = 'documents/letter.pdf';

  /** Saves in sessions one after the other. */
  async function saveEach(world: Awaited<ReturnType<typeof aDocument>>, texts: readonly string[]) {
    for (const text of texts) {
      world.server.answer = (_, response) => response.end(text);
      await world.save(2, { filetype: 'pdf' }, { config: await world.reopen() });
    }
  }

  it('takes the place of that of an earlier session', async () => {
    const world = await aDocument();

    await saveEach(world, ['one', 'two']);
    const config = await world.reopen();
    world.server.answer = (_, response) => response.end(letter('usual'));
    await world.save(2, {}, { config });
    await saveEach(world, ['three']);

    expect([...world.storage.files.keys()]).toEqual([LETTER, PDF]);
    expect(plain(world.stored(PDF))).toBe('three');
  });

  it('leaves what somebody else has put there meanwhile', async () => {
    const world = await aDocument();

    await saveEach(world, ['one']);
    world.storage.files.set(PDF, Buffer.from('of somebody else'));
    await saveEach(world, ['two', 'three']);

    const paths = [...world.storage.files.keys()];
    expect(paths).toEqual([LETTER, PDF, expect.stringMatching(/^documents\/letter\.converted-/)]);
    expect(plain(world.stored(PDF))).toBe('of somebody else');
    expect(plain(world.stored(paths.at(-1)))).toBe('three');
  });

  it.each([{}, { memory: { mostInMemory: 2, partBytes: 2 } }])(
    'is there once when the function has ended behind its write: %j',
    async (options) => {
      const world = await aDocument(options);
      world.server.answer = (_, response) => response.end('converted');
      const url = `${world.server.url}/cache/files/x/output.pdf`;
      const off = world.context.db.before('TransactWriteItems', () => {
        if (world.writes(PDF) > 0) throw new Error('the function has ended');
      });

      const broken = await world.save(2, { filetype: 'pdf', url });
      off();
      world.context.clock.advance(120_000);
      const { status } = await world.save(2, { filetype: 'pdf', url });

      expect([broken.status, status]).toEqual([503, 200]);
      expect([...world.storage.files.keys()]).toEqual([LETTER, PDF]);
      expect(world.writes(PDF)).toBe(1);
      expect(world.events().at(-1)).toMatchObject({ editedFilePath: PDF, conflict: false });
    },
  );
});

describe('a save of what is stored already', () => {
  it('makes no version', async () => {
    const world = await aDocument();
    world.server.answer = (_, response) => response.end(world.stored());

    const { status } = await world.save(2);

    expect([status, world.writes()]).toEqual([200, 0]);
    expect(world.events()).toMatchObject([{ status: 2, editedFilePath: LETTER }]);
  });
});

describe('a save that fails', () => {
  it('is told of even when its claim cannot be released', async () => {
    const world = await aDocument();
    world.server.answer = (_, response) => {
      world.context.db.failNext('throttling', { operation: 'PutItem', times: 8 });
      response.writeHead(500).end();
    };

    const { status } = await world.save(2);

    expect(status).toBe(503);
    expect(world.events()).toMatchObject([{ type: 'docs.document.save-failed', status: 2 }]);
  });
});

describe('reports of who edits', () => {
  it('open a session again whose save has failed for good', async () => {
    const world = await aDocument({ docs: { 'max-file-size': 1_048_576 } });
    world.server.answer = (_, response) => response.end(Buffer.alloc(1_100_000, 'x'));
    await world.save(2);

    await world.send({ key: world.key, status: 1, users: ['lan'] });

    const { body } = await world.get('/api/v1/docs/sessions?documentId=doc-1');
    expect(body.content).toMatchObject([{ state: 'OPEN', users: ['lan'] }]);
  });

  it('name nobody whose id is longer than any', async () => {
    const world = await aDocument();

    const { status } = await world.send({
      ...{ key: world.key, status: 1, users: ['x'.repeat(500_000), 'lan'] },
    });

    const { body } = await world.get('/api/v1/docs/sessions?documentId=doc-1');
    expect([status, body.content]).toMatchObject([200, [{ users: ['lan'] }]]);
  });

  it('are accepted where they cannot be kept: the next one tells', async () => {
    const world = await aDocument();
    const { db } = world.context;
    db.failNext('conflict', { operation: 'TransactWriteItems', times: 60 });
    db.failNext('conflict', { operation: 'PutItem', times: 60 });

    const { status, body } = await world.send({ key: world.key, status: 1, users: ['lan'] });

    expect([status, body]).toEqual([200, { error: 0 }]);
  });
});

describe('a document that is opened while a save writes it', () => {
  it('keeps the key of those who edit it', async () => {
    const world = await aDocument();
    const opened: string[] = [];
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (world.writes() === 0) return;
      off();
      const opening = world.reopen();
      opened.push('begun');
      void opening.then(({ document }) => opened.push(document.key));
      await Promise.race([opening, sleep(300)]);
    });

    const { status } = await world.save(6);
    await expect.poll(() => opened, { timeout: 10_000 }).toEqual(['begun', world.key]);

    expect(status).toBe(200);
  });
});
