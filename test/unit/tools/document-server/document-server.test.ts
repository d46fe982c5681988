import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { sign, verify } from '../../../tools/document-server/jwt.ts';
import { type DocumentServer, startDocumentServer } from '../../../tools/document-server/server.ts';

const SECRET = 'the secret that both know, 32 bytes';
const DOCX = makeDocx({
  body: '<w:p><w:r><w:t>Xin chào</w:t></w:r></w:p><w:p><w:r><w:t>B</w:t></w:r></w:p>',
});

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A platform that answers callbacks as it is told. */
interface Platform {
  readonly url: string;
  readonly downloads: Received[];
  readonly callbacks: Received[];
  /** Answers of the next callbacks; then all are accepted. */
  readonly answers: (readonly [status: number, body: string])[];
  readonly downloadStatuses: number[];
  close(): void;
}

async function startPlatform(): Promise<Platform> {
  const downloads: Received[] = [];
  const callbacks: Received[] = [];
  const answers: (readonly [number, string])[] = [];
  const downloadStatuses: number[] = [];
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { url = '', headers, method } = request;
    const received = { url, headers, body: text === '' ? {} : JSON.parse(text) };
    if (method === 'POST') {
      callbacks.push(received);
      const [status, body] = answers.shift() ?? [200, '{"error":0}'];
      response.writeHead(status).end(body);
    } else {
      downloads.push(received);
      const status = downloadStatuses.shift() ?? 200;
      response.writeHead(status).end(status === 200 ? DOCX : '');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, downloads, callbacks, answers, downloadStatuses },
    close: () => server.close(),
  };
}

let platform: Platform;
let server: DocumentServer;
beforeEach(async () => {
  platform = await startPlatform();
  server = await startDocumentServer({
    ...{ secret: SECRET, saveDelayMs: 0, retryDelaysMs: [1, 2, 4], downloadPauseMs: 1 },
  });
});
afterEach(async () => {
  platform.close();
  await server.close();
});

const configOf = (more: { readonly mode?: string; readonly key?: string } = {}) => ({
  document: {
    ...{ key: more.key ?? 'key-1', url: `${platform.url}/file`, fileType: 'docx' },
    permissions: { edit: true },
  },
  editorConfig: {
    ...{ mode: more.mode ?? 'edit', callbackUrl: `${platform.url}/callback` },
    user: { id: 'an', name: 'Nguyễn Văn An' },
  },
});

async function post(path: string, body: object, headers = {}) {
  const answer = await fetch(server.url + path, {
    ...{ method: 'POST', body: JSON.stringify(body), headers },
  });
  return {
    status: answer.status,
    body: (await answer.json()) as Readonly<Record<string, unknown>>,
  };
}

async function open(config: object = configOf(), headers = {}) {
  const { status, body } = await post(
    '/stand-in/open',
    { ...config, token: sign(config, SECRET) },
    headers,
  );
  const act = (action: string, more = {}) =>
    post(`/stand-in/sessions/${body.session}/${action}`, more);
  return { status, body, act };
}

const command = (claims: object) => post('/command', { token: sign(claims, SECRET) });

const callback = (status: number) =>
  vi.waitFor(() => {
    const found = platform.callbacks.find(({ body }) => body.status === status);
    if (!found) throw new Error(`There is no callback ${status}`);
    return found;
  });

describe('the stand-in of the document server', () => {
  it('downloads by a signed GET, and again after a failure of any kind', async () => {
    platform.downloadStatuses.push(404, 403);

    expect((await open()).body).toMatchObject({ texts: ['Xin chào', 'B'], isEditing: true });

    const { authorization = '' } = platform.downloads[2]?.headers ?? {};
    expect(verify(authorization.replace('Bearer ', ''), SECRET)).toMatchObject({
      payload: { url: `${platform.url}/file` },
    });
  });

  it('tells of joining, saves what was changed, and forgets the key', async () => {
    const { act } = await open();
    await act('change', { index: 0, text: 'Đã sửa <b> & xong' });
    await act('leave');

    const { body, headers } = await callback(2);
    const claims = verify(String(body.token), SECRET);
    const { payload } = verify(String(headers.authorization).replace('Bearer ', ''), SECRET);
    expect((await callback(1)).body).toMatchObject({
      users: ['an'],
      actions: [{ type: 1, userid: 'an' }],
    });
    expect(claims).toMatchObject({ key: 'key-1', status: 2, filetype: 'docx', notmodified: false });
    const { token, ...plain } = body;
    expect(payload).toEqual(plain);
    const saved = await fetch(String(body.url));
    const paragraphs = await readParagraphs(Buffer.from(await saved.arrayBuffer()));
    expect(JSON.stringify([...paragraphs])).toContain('Đã sửa <b> & xong');
    expect((await open()).body).toMatchObject({ message: 'updateversion' });
  });

  it('tells of closing without changes, and keeps the key', async () => {
    await (await open()).act('leave');

    expect((await callback(4)).body).not.toHaveProperty('users');
    expect((await open()).status).toBe(200);
  });

  it('saves by force without ending the key; then nothing is modified', async () => {
    const { act } = await open();
    await act('change', { index: 0, text: 'A' });
    expect((await act('save')).body).toMatchObject({ isSaved: true });
    expect((await callback(6)).body).toMatchObject({ forcesavetype: 1, actions: [{ type: 2 }] });
    await act('leave');

    expect((await callback(2)).body).toMatchObject({ notmodified: true });
  });

  it('tries a save four times with other tokens and addresses, then keeps the file', async () => {
    platform.answers.push([200, '{"error":0}'], [500, ''], [503, ''], [429, ''], [502, '']);
    const { act } = await open();
    await callback(1);
    await act('change', { index: 0, text: 'A' });
    await act('leave');

    await vi.waitFor(() => expect(server.documents.forgotten.has('key-1')).toBe(true));
    const saves = platform.callbacks.filter(({ body }) => body.status === 2);
    const paths = saves.map(({ body }) => new URL(String(body.url)).pathname);
    expect(saves).toHaveLength(4);
    expect(new Set(paths).size).toBe(1);
    expect(new Set(saves.map(({ body }) => body.url)).size).toBe(4);
    expect((await command({ c: 'getForgottenList' })).body).toEqual({ error: 0, keys: ['key-1'] });
    const { body } = await command({ c: 'getForgotten', key: 'key-1' });
    expect((await fetch(String(body.url))).status).toBe(200);
    expect((await open()).body).toMatchObject({ texts: ['A', 'B'] });
    await command({ c: 'deleteForgotten', key: 'key-1' });
    expect((await command({ c: 'getForgottenList' })).body).toEqual({ error: 0, keys: [] });
  });

  it.each([
    [400, ''],
    [200, '{"error":1}'],
    [204, ''],
    [200, 'ok'],
  ] as const)('tries nothing again after %i %s', async (status, text) => {
    platform.answers.push([200, '{"error":0}'], [status, text]);
    const { act } = await open();
    await callback(1);
    await act('change', { index: 0, text: 'A' });
    await act('leave');

    await vi.waitFor(() => expect(server.documents.forgotten.has('key-1')).toBe(true));
    expect(platform.callbacks.filter(({ body }) => body.status === 2)).toHaveLength(1);
  });

  it('names the host that a browser claims in the address of the file', async () => {
    const forged = { 'x-forwarded-host': 'evil.example:6666', 'x-forwarded-prefix': '/pfx' };
    const { act } = await open(configOf(), forged);
    await act('change', { index: 0, text: 'A' });
    await act('leave');

    expect((await callback(2)).body.url).toMatch(
      /^http:\/\/evil\.example:6666\/pfx\/cache\/files\//,
    );
  });

  it('says that a conversion failed, with or without a file', async () => {
    server.documents.breakNextConversion('no file');
    const { act } = await open();
    await act('change', { index: 0, text: 'A' });
    await act('leave');

    const { body } = await callback(3);
    expect(Object.keys(body).sort()).toEqual(
      ['actions', 'key', 'lastsave', 'notmodified', 'status', 'token', 'users'].sort(),
    );
  });

  it('leaves what makes the header too long out of the body, not out of its token', async () => {
    const { act } = await open();
    for (let i = 0; i < 120; i += 1) await act('change', { index: 0, text: `A ${i}` });
    await act('leave');

    const { body } = await callback(2);
    expect(body).toMatchObject({ history: {} });
    expect(body).not.toHaveProperty('changesurl');
    expect(verify(String(body.token), SECRET)).toHaveProperty('changesurl');
  });

  it('answers commands by their token only', async () => {
    const { act } = await open();
    expect((await command({ c: 'version' })).body).toMatchObject({ error: 0 });
    expect((await post('/command', { c: 'version' })).body).toEqual({ error: 6 });
    expect((await command({ c: 'forcesave', key: 'key-1' })).body).toMatchObject({ error: 4 });
    await act('change', { index: 0, text: 'A' });
    const forced = { c: 'forcesave', key: 'key-1', userdata: 'u' };
    expect((await command(forced)).body).toEqual({ error: 0, key: 'key-1' });
    const { body } = await callback(6);
    expect(body).toMatchObject({ forcesavetype: 0, userdata: 'u' });
    expect(body).not.toHaveProperty('actions');
    expect((await command({ c: 'info', key: 'none' })).body).toMatchObject({ error: 1 });
    await command({ c: 'drop', key: 'key-1', users: ['an'] });
    expect((await callback(2)).body).toMatchObject({ users: ['an'] });
  });

  it.each([
    ['an unsigned one', (config: object) => ({ ...config })],
    ['one of another secret', (config: object) => ({ ...config, token: sign(config, 'x') })],
    [
      'a wrapped one',
      (config: object) => ({ ...config, token: sign({ payload: config }, SECRET) }),
    ],
    [
      'other permissions',
      (config: object) => ({
        ...{ ...config, document: { permissions: {} } },
        token: sign(config, SECRET),
      }),
    ],
    [
      'the token of a callback',
      (config: object) => ({
        ...config,
        token: sign({ ...config, url: 'http://x' }, SECRET),
      }),
    ],
  ])('refuses a configuration: %s', async (_, make) => {
    expect((await post('/stand-in/open', make(configOf()))).status).toBe(400);
  });
});
