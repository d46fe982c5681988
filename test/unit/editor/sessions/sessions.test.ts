import { describe, expect, it } from 'vitest';
import { LETTER } from '../editor-api.ts';
import { letter } from '../saving/saves.ts';
import { type Answer, aCommandedDocument as aDocument } from './commanded-document.ts';

describe('GET /api/v1/docs/sessions', () => {
  it('shows who edits, the last save and what has failed', async () => {
    const world = await aDocument();
    await world.edit();
    await world.save(6);
    await world.save(2, { url: 'http://evil.example/x' });
    world.storage.beforePut = () => {
      throw new Error('The storage is down');
    };
    await world.save(6);

    const { status, body } = await world.sessions();

    expect(status).toBe(200);
    expect(body.content).toMatchObject([
      {
        ...{ key: world.key, fileId: LETTER, documentId: 'doc-1', state: 'OPEN', users: ['lan'] },
        lastSave: { status: 6, path: LETTER, conflict: false },
      },
    ]);
  });

  it('shows a failed save', async () => {
    const world = await aDocument();
    world.storage.beforePut = () => {
      throw new Error('The storage is down');
    };
    await world.save(2);

    const { body } = await world.sessions();

    expect(body.content).toMatchObject([
      { failures: [{ status: 2, reason: 'DOCS_SAVE_FAILED' }], lastSave: null },
    ]);
  });

  it('shows sessions that have ended, newest first', async () => {
    const world = await aDocument();
    world.context.clock.advance(1_000);
    await world.save(2);

    const { body } = await world.sessions();

    expect(body.content).toMatchObject([{ state: 'NEW' }, { state: 'SAVED', users: [] }]);
  });

  it('asks the host, and shows nothing of other tenants', async () => {
    const world = await aDocument();

    const denied = await world.sessions(undefined, { caller: { sub: 'eve' } });
    const elsewhere = await world.sessions(undefined, {
      caller: { sub: 'mai', roles: ['admin'], tenant: 'other' },
    });

    expect(denied.status).toBe(403);
    expect(elsewhere.body.content).toEqual([]);
  });
});

describe('POST /api/v1/docs/documents/{documentId}:save', () => {
  it('has the editing server save, and waits until it is stored', async () => {
    const world = await aDocument();
    await world.edit();
    const { download } = { download: world.server.answer };
    let saving: Promise<unknown> = Promise.resolve();
    world.server.answer = (request, response) => {
      if (request.url?.startsWith('/command')) saving = world.save(6);
      download(request, response);
    };

    const { status, body } = await world.command('save');
    await saving;

    expect(status).toBe(200);
    expect(body.sessions).toMatchObject([{ key: world.key, fileId: LETTER }]);
    expect(world.commands).toEqual([{ c: 'forcesave', key: world.key }]);
  });

  it.each([
    [1, 'CLOSED'],
    [4, 'UNCHANGED'],
  ])('says what became of it: error %d is %s', async (error, result) => {
    const world = await aDocument({ forcesave: { error } });

    const { body } = await world.command('save');

    expect(body.sessions).toMatchObject([{ result }]);
  });

  it('answers 502 where the editing server refuses, and 404 for a document that was not opened', async () => {
    const world = await aDocument({ forcesave: { error: 6 } });

    const refused = await world.command('save');
    const unknown = await world.command('save', 'another');

    expect([refused.status, refused.body.code]).toEqual([502, 'DOCS_SERVER_UNAVAILABLE']);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'DOCS_SESSION_NOT_FOUND']);
  });

  it('asks the host in the mode edit', async () => {
    const world = await aDocument();

    const { status } = await world.command('save', 'doc-1', {
      caller: { sub: 'lan', permissions: ['docs:view'] },
    });

    expect([status, world.commands]).toEqual([403, []]);
  });
});

describe('POST /api/v1/docs/documents/{documentId}:close', () => {
  it('sends the editors away', async () => {
    const world = await aDocument();
    await world.edit();

    const { body } = await world.command('close');

    expect(body.sessions).toMatchObject([{ result: 'REQUESTED' }]);
    expect(world.commands).toEqual([{ c: 'drop', key: world.key }]);
  });
});

describe('GET /api/v1/docs/status', () => {
  it.each([
    [
      { error: 0, version: '9.0.4' },
      { version: '9.0.4', secretAgrees: true, fault: null },
    ],
    [{ error: 6 }, { version: null, secretAgrees: false, fault: 'SECRET_DIFFERS' }],
  ])('says what the editing server answers: %j', async (version, expected) => {
    const world = await aDocument({ version });

    const { status, body } = await world.get('/api/v1/docs/status');

    expect([status, body]).toEqual([
      200,
      { documentServerUrl: world.server.url, isReachable: true, ...expected },
    ]);
  });

  it('says that it does not answer', async () => {
    const world = await aDocument();
    await world.server.close();

    const { body } = await world.get('/api/v1/docs/status');

    expect(body).toMatchObject({
      isReachable: false,
      secretAgrees: null,
      fault: 'CONNECTION_FAILED',
    });
  });

  it('needs docs:view', async () => {
    const world = await aDocument();

    expect((await world.get('/api/v1/docs/status', { caller: { sub: 'eve' } })).status).toBe(403);
  });
});

describe('documents that the editing server could not deliver', () => {
  it('are fetched, stored and deleted there; keys of others stay', async () => {
    const answers: Record<string, Answer> = {};
    const world = await aDocument(answers);
    answers.getForgottenList = { error: 0, keys: ['of-another-application', world.key] };
    answers.getForgotten = { error: 0, url: `${world.server.url}/cache/files/f/output.docx` };

    const report = await world.runTask('editor.recovery');

    expect(report).toEqual({ found: 1, recovered: 1, failed: 0 });
    expect(world.writes()).toBe(1);
    expect(world.events()).toMatchObject([{ editedFilePath: LETTER, conflict: false }]);
    expect(world.commands.at(-1)).toEqual({ c: 'deleteForgotten', key: world.key });
  });

  it('go beside a document that has changed meanwhile', async () => {
    const answers: Record<string, Answer> = {};
    const world = await aDocument(answers);
    answers.getForgottenList = { error: 0, keys: [world.key] };
    answers.getForgotten = { error: 0, url: `${world.server.url}/cache/files/f/output.docx` };
    world.storage.files.set(LETTER, Buffer.from(letter('newer')));

    await world.runTask('editor.recovery');

    expect(world.conflicts()).toHaveLength(1);
    expect(world.events()).toMatchObject([{ conflict: true }]);
  });

  it('stay there when they cannot be stored', async () => {
    const answers: Record<string, Answer> = {};
    const world = await aDocument(answers);
    answers.getForgottenList = { error: 0, keys: [world.key] };
    answers.getForgotten = { error: 0, url: 'http://evil.example/x' };

    const report = await world.runTask('editor.recovery');

    expect(report).toEqual({ found: 1, recovered: 0, failed: 1 });
    expect(world.commands.map(({ c }) => c)).toEqual(['getForgottenList', 'getForgotten']);
  });
});

describe('more documents than one run fetches', () => {
  it('are fetched by the next runs, whatever fails before them', async () => {
    const answers: Record<string, Answer | ((command: Answer) => Answer)> = {};
    const world = await aDocument(answers);
    const keys: string[] = [];
    for (let each = 0; each < 45; each += 1) {
      const fileId = `documents/${each}.docx`;
      world.storage.files.set(fileId, letter('before'));
      const { body } = await world.open({ fileId });
      keys.push((body as { document: { key: string } }).document.key);
    }
    const [last = ''] = keys.toSorted().slice(-1);
    const others = Array.from({ length: 150 }, (_, at) => `of-another-application-${at}`);
    answers.getForgottenList = { error: 0, keys: [...others, ...keys] };
    answers.getForgotten = ({ key }) => ({
      error: 0,
      url: `${world.server.url}/cache/${key === last ? 'file' : 'busy'}`,
    });
    const { answer } = world.server;
    world.server.answer = (request, response) =>
      request.url === '/cache/busy' ? response.writeHead(503).end() : answer(request, response);

    const reports = [];
    for (let run = 0; run < 4; run += 1) {
      reports.push(await world.runTask('editor.recovery'));
      world.context.machineClock.advance(900_000);
    }

    const recovered = world.commands.filter(({ c }) => c === 'deleteForgotten');
    expect(recovered).toMatchObject([{ key: last }]);
    const asked = world.commands.filter(({ c }) => c === 'getForgotten').map(({ key }) => key);
    expect(new Set(asked)).toEqual(new Set(keys));
    expect(reports.every((report) => JSON.stringify(report).includes('"found":20'))).toBe(true);
  });
});

describe('a document that is edited again under its key', () => {
  it.each([
    ['is left to those who edit it', 0, []],
    ['is fetched when nobody does', 1, [LETTER]],
  ])('%s', async (_, error, saved) => {
    const answers: Record<string, Answer> = {};
    const world = await aDocument(answers);
    answers.getForgottenList = { error: 0, keys: [world.key] };
    answers.getForgotten = { error: 0, url: `${world.server.url}/cache/files/f/output.docx` };
    answers.info = { error };
    await world.edit();

    await world.runTask('editor.recovery');

    expect(world.events()).toMatchObject(saved.map((editedFilePath) => ({ editedFilePath })));
    expect(world.events()).toHaveLength(saved.length);
    expect((await world.reopen()).document.key === world.key).toBe(saved.length === 0);
  });
});

describe('a command to save, while somebody joins', () => {
  it('takes no save of before for its own', async () => {
    const world = await aDocument();
    await world.edit();
    await world.save(6);
    const { answer } = world.server;
    world.server.answer = async (request, response) => {
      await world.send({ key: world.key, status: 1, users: ['lan', 'mai'] });
      return answer(request, response);
    };

    const { body } = await world.command('save');

    expect(JSON.stringify(body)).toContain('REQUESTED');
    expect(JSON.stringify(body)).not.toContain('SAVED');
  });
});
