import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { readPart } from '../../../helpers/docx/read-output.ts';
import { control, p, run } from '../../../helpers/docx/render-template.ts';
import { LETTER, pathOf } from '../editor-api.ts';
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

const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

describe('a save at the end', () => {
  it('is stored, told of and uses up the key', async () => {
    const world = await aDocument();

    const { status, body } = await world.save();

    expect([status, body]).toEqual([200, { error: 0 }]);
    expect(textOf(world.stored())).toContain('edited');
    expect(world.events()).toEqual([
      {
        ...{ type: 'docs.document.saved', documentId: 'doc-1', editedFilePath: LETTER },
        ...{ status: 2, key: world.key, userId: 'lan', forceSaveType: null },
        ...{ conflict: false, isTerminal: true },
      },
    ]);
    expect((await world.reopen()).document.key).not.toBe(world.key);
  });

  it('makes markers of merge fields controls', async () => {
    const world = await aDocument();
    world.server.answer = (_, response) => response.end(letter('Dear {{ho_ten}}'));

    await world.save();

    const { openDocx, readXml } = await import('../../../../shared/docx/index.ts');
    const pkg = await openDocx(world.stored() ?? Buffer.alloc(0));
    expect(readXml(pkg, 'word/document.xml')).toContain('svc:mf:ho_ten');
  });

  it('keeps what controls of merge fields show', async () => {
    const world = await aDocument();
    const body = p(control('ho_ten', 'Lê Tám'), run(' {{lop}}'));
    world.server.answer = (_, response) => response.end(makeDocx({ body }));

    await world.save();

    const { controls } = readPart(world.stored() ?? Buffer.alloc(0));
    expect(controls.map(({ tag, text }) => [tag, text])).toEqual([
      ['svc:mf:ho_ten', 'Lê Tám'],
      ['svc:mf:lop', '{{lop}}'],
    ]);
  });

  it('keeps what is no Word document as it was sent', async () => {
    const world = await aDocument();
    world.server.answer = (_, response) => response.end('PK dummy');

    const { status } = await world.save();

    expect([status, Buffer.from(world.stored() ?? []).toString()]).toEqual([200, 'PK dummy']);
  });

  it('is stored under another extension when the format has changed', async () => {
    const world = await aDocument({}, { fileName: 'a.docx' });

    await world.save(2, { filetype: 'pdf' });

    expect(world.events()).toMatchObject([
      { editedFilePath: 'documents/letter.pdf', conflict: false },
    ]);
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('letter');
  });

  it('takes no other document its place when the format has changed', async () => {
    const world = await aDocument();
    world.storage.files.set('documents/letter.pdf', Buffer.from('another document'));

    await world.save(2, { filetype: 'pdf' });

    expect(Buffer.from(world.stored('documents/letter.pdf') ?? []).toString()).toBe(
      'another document',
    );
    expect(world.events()).toMatchObject([
      { editedFilePath: expect.stringMatching(/^documents\/letter\.converted-[0-9a-f]{8}\.pdf$/) },
    ]);
  });

  it('brings a document back that was deleted meanwhile', async () => {
    const world = await aDocument();
    world.storage.files.delete(LETTER);

    await world.save();

    expect(textOf(world.stored())).toContain('edited');
  });
});

describe('a save while the document is edited', () => {
  it('keeps the key, and the one at the end stores the same content no second time', async () => {
    const world = await aDocument();

    await world.save(6, { forcesavetype: 1, actions: [{ type: 2, userid: 'mai' }] });
    const during = (await world.reopen()).document.key;
    await world.save(2, { notmodified: true });

    expect(during).toBe(world.key);
    expect(world.writes()).toBe(1);
    expect(world.events()).toMatchObject([
      { status: 6, userId: 'mai', forceSaveType: 1, isTerminal: false },
      { status: 2, isTerminal: true, conflict: false },
    ]);
  });

  it('is followed by others over the same document', async () => {
    const world = await aDocument();

    await world.save(6);
    world.server.answer = (_, response) => response.end(letter('twice'));
    await world.save(2);

    expect(textOf(world.stored())).toContain('twice');
    expect(world.conflicts()).toEqual([]);
  });
});

describe('a document that has changed meanwhile', () => {
  it('keeps what somebody else stored, and the save becomes a copy beside it', async () => {
    const world = await aDocument();
    world.storage.files.set(LETTER, Buffer.from('replaced'));

    const { body } = await world.save();

    expect(body).toEqual({ error: 0 });
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('replaced');
    const [copy = ''] = world.conflicts();
    expect(copy).toBe(`documents/letter.conflict-${world.key.slice(0, 8)}.docx`);
    expect(textOf(world.stored(copy))).toContain('edited');
    expect(world.events()).toMatchObject([{ editedFilePath: copy, conflict: true }]);
  });

  it('keeps what a newer session stored', async () => {
    const world = await aDocument();
    await world.save(2);
    world.server.answer = (_, response) => response.end(letter('late'));

    await world.save(2);

    expect(textOf(world.stored())).toContain('edited');
    expect(world.conflicts()).toHaveLength(1);
  });
});

describe('a save that is reported again', () => {
  it('is stored once, when five reports come at once', async () => {
    const world = await aDocument({ pause: () => sleep(5) });
    const url = `${world.server.url}/cache/files/data/x/output.docx`;

    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => world.save(2, { url: `${url}?md5=${at}` })),
    );

    expect(answers.map(({ body }) => body)).toEqual(Array(5).fill({ error: 0 }));
    expect(world.writes()).toBe(1);
    expect(world.events()).toHaveLength(1);
    expect(world.server.asked).toHaveLength(1);
  });

  it('is taken over by the next report when the one before has failed', async () => {
    const world = await aDocument();
    const url = `${world.server.url}/cache/files/data/x/output.docx`;
    world.storage.beforePut = () => {
      throw new Error('The storage is down');
    };
    const failed = await world.save(2, { url });
    world.storage.beforePut = () => undefined;

    const repeated = await world.save(2, { url });

    expect([failed.status, repeated.status]).toEqual([503, 200]);
    expect(failed.body).toMatchObject({ error: 1 });
    expect(world.events().map(({ type }) => type)).toEqual([
      ...['docs.document.save-failed', 'docs.document.saved'],
    ]);
    expect(world.conflicts()).toEqual([]);
  });

  it('finds its document stored when an earlier call ended before it could say so', async () => {
    const world = await aDocument();
    const url = `${world.server.url}/cache/files/data/x/output.docx`;
    world.storage.beforePut = () => undefined;
    const { put } = world.storage;
    world.storage.put = async (...given) => {
      await put(...given);
      throw new Error('The connection broke after the write');
    };
    const failed = await world.save(2, { url });
    world.storage.put = put;

    const repeated = await world.save(2, { url });

    expect([failed.status, repeated.status]).toEqual([503, 200]);
    expect([world.writes(), world.conflicts()]).toEqual([1, []]);
    expect(world.events().at(-1)).toMatchObject({ editedFilePath: LETTER, conflict: false });
  });
});

describe('who is listened to', () => {
  it.each(['body', 'header', 'both'] as const)('a token in the %s', async (as) => {
    const world = await aDocument();

    expect((await world.save(2, {}, { as })).status).toBe(200);
  });

  it.each([
    ['another secret', { secret: 'another-secret-of-32-bytes-length!' }],
    ['another algorithm', { algorithm: 'HS384' }],
    ['no token at all', { as: 'none' as const }],
  ])('not: %s', async (_, sending) => {
    const world = await aDocument();

    const { status, body } = await world.save(2, {}, sending);

    expect([status, body.error]).toEqual([403, 1]);
    expect([world.writes(), world.server.asked, world.events()]).toEqual([0, [], []]);
  });

  it('takes what is signed, and nothing that stands beside it', async () => {
    const world = await aDocument();
    const beside = { key: world.key, status: 2, url: 'http://evil.example/x', users: ['eve'] };

    await world.save(2, {}, { beside });

    expect(world.events()).toMatchObject([{ userId: 'lan' }]);
  });

  it('refuses a bad token in the body, whatever the header says', async () => {
    const world = await aDocument();

    const { status } = await world.save(2, {}, { as: 'header', beside: { token: 'x.y.z' } });

    expect(status).toBe(403);
  });

  it.each([
    [
      'the configuration of an editor',
      (world: Awaited<ReturnType<typeof aDocument>>) => world.opened.token,
    ],
    [
      'a download',
      async (world: Awaited<ReturnType<typeof aDocument>>) =>
        world.sign({ payload: { url: world.opened.document.url } }),
    ],
  ])('refuses %s in the place of a callback', async (_, tokenOf) => {
    const world = await aDocument();
    const token = await tokenOf(world);
    const path = pathOf(world.opened.editorConfig.callbackUrl ?? '');
    const body = { key: world.key, status: 2, url: `${world.server.url}/x`, token };

    const { status } = await world.call({ method: 'POST', path, caller: null, body });

    expect([status, world.writes()]).toEqual([403, 0]);
  });

  it('refuses a callback without, with another or with a late context token', async () => {
    const world = await aDocument();
    const other = world.opened;
    const claims = { key: world.key, status: 1, users: [] };
    const post = async (path: string) =>
      world.call({
        ...{ method: 'POST', path, caller: null },
        body: { ...claims, token: await world.sign(claims) },
      });

    const without = await post('/api/v1/docs/callback');
    const wrong = await post(`/api/v1/docs/callback?contextToken=${other.token}`);
    const mismatch = await world.send({ ...claims, key: 'another' });
    world.context.clock.advance(90_000_000);
    const late = await world.send(claims);

    expect([without, wrong, mismatch, late].map(({ status }) => status)).toEqual([
      ...[403, 403, 403, 403],
    ]);
  });

  it('needs no token where the configuration says so, but still the context', async () => {
    const world = await aDocument({ docs: { 'callback-token-required': false } });

    const unsigned = await world.save(2, {}, { as: 'none' });
    const badlySigned = await world.save(2, {}, { as: 'body', secret: 'x'.repeat(32) });

    expect([unsigned.status, badlySigned.status]).toEqual([200, 403]);
  });
});

describe('what is refused', () => {
  it.each([
    [{ status: 8 }, 400],
    [{ status: '2' }, 400],
    [{ url: undefined }, 400],
    [{ url: 'http://evil.example:6666/x' }, 400],
    [{ url: 'file:///etc/passwd' }, 400],
    [{ url: 'http://user:pass@127.0.0.1/x' }, 400],
  ])('%j with %d and an answer that the editing server understands', async (more, expected) => {
    const world = await aDocument();

    const { status, body, text } = await world.save(2, more);

    expect([status, body.error]).toEqual([expected, 1]);
    expect(text).not.toContain('evil');
    expect([world.server.asked, world.writes()]).toEqual([[], 0]);
  });

  it('asks its own server for the path, whatever host a signed address names', async () => {
    const world = await aDocument();
    const url = 'http://evil.example:6666/pfx/cache/files/data/k/output.docx?md5=1';

    const { status } = await world.save(2, { url });

    expect([status, world.server.asked]).toEqual([200, ['/cache/files/data/k/output.docx?md5=1']]);
  });

  it.each([
    ['what is no JSON', '{"key":', 400],
    ['a list', '[]', 400],
    ['nothing', '', 400],
    ['too much', `"${'x'.repeat(5_000_000)}"`, 413],
  ])('%s', async (_, body, expected) => {
    const world = await aDocument();
    const path = pathOf(world.opened.editorConfig.callbackUrl ?? '');
    const headers = { 'content-type': 'application/json' };

    const answer = await world.call({ method: 'POST', path, caller: null, body, headers });

    expect([answer.status, answer.body.error]).toEqual([expected, 1]);
  });

  it('answers other methods with 405, and never leads anywhere', async () => {
    const world = await aDocument();
    const path = pathOf(world.opened.editorConfig.callbackUrl ?? '');

    const { status, headers } = await world.call({ method: 'GET', path, caller: null });

    expect([status, headers.location]).toEqual([405, undefined]);
  });
});

describe('what the editing server has not for us', () => {
  it.each([
    ['an error', 500, 'broken'],
    ['a redirect', 302, ''],
    ['nothing', 200, ''],
    ['a page of a proxy', 200, '<!DOCTYPE html><html>Sorry</html>'],
  ])('%s is a 503: it tries again', async (_, code, body) => {
    const world = await aDocument();
    world.server.answer = (__, response) => {
      response.writeHead(code, { location: 'http://169.254.169.254/' });
      response.end(body);
    };

    const { status } = await world.save();

    expect([status, world.writes()]).toEqual([503, 0]);
    expect((await world.save(1, { users: ['lan'] })).status).toBe(200);
  });

  it('a document without an end is a 413, and nothing is stored', async () => {
    const world = await aDocument({ docs: { 'max-file-size': 1_048_576 } });
    world.server.answer = (_, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    };

    const { status } = await world.save();

    expect([status, world.writes()]).toEqual([413, 0]);
    expect(world.events()).toMatchObject([
      { type: 'docs.document.save-failed', reason: 'DOCS_SAVE_TOO_LARGE' },
    ]);
  });
});

describe('other reports', () => {
  it('of a lost save uses up the key, once, and tells of it', async () => {
    const world = await aDocument();
    const lost = { key: world.key, status: 3, users: ['lan'], notmodified: false };

    const answers = [await world.send(lost), await world.send(lost)];

    expect(answers.map(({ body }) => body)).toEqual([{ error: 0 }, { error: 0 }]);
    expect(world.events()).toMatchObject([
      { type: 'docs.document.save-failed', reason: 'DOCS_CONVERSION_FAILED', isTerminal: true },
    ]);
    expect(world.writes()).toBe(0);
  });

  it('of a rescued save stores it beside the document', async () => {
    const world = await aDocument();

    await world.save(3);

    const path = `documents/letter.recovered-${world.key.slice(0, 8)}.docx`;
    expect(world.events()).toMatchObject([{ editedFilePath: path, conflict: true, status: 3 }]);
    expect(Buffer.from(world.stored() ?? []).toString()).toBe('letter');
  });

  it.each([0, 1, 4, 5, 7])('of status %d stores nothing', async (status) => {
    const world = await aDocument();

    const { body } = await world.save(status);

    expect(body).toEqual({ error: 0 });
    expect([world.writes(), world.server.asked]).toEqual([0, []]);
  });

  it('keeps the key when editors leave without changes, and come back', async () => {
    const world = await aDocument();
    const { key } = world;

    await world.send({ key, status: 1, users: ['lan'] });
    await world.send({ key, status: 4 });
    const again = (await world.reopen()).document.key;
    await world.send({ key, status: 1, users: ['lan'] });
    await world.save(2);

    expect(again).toBe(key);
    expect(world.events()).toMatchObject([{ conflict: false }]);
  });
});

describe('tokens and secrets', () => {
  it('are in no line of the log', async () => {
    const world = await aDocument();
    await world.save(6);
    await world.save(2, { url: 'http://evil.example/x' });
    await world.get(pathOf(world.opened.document.url), { caller: null });
    await world.save(2, {}, { secret: 'x'.repeat(32) });

    const log = JSON.stringify(world.context.log.lines);

    for (const secret of ['eyJ', 'a-secret-of', 'accessToken=', 'contextToken=']) {
      expect(log).not.toContain(secret);
    }
  });
});
