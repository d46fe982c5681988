import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createEditorModule,
  type EditorConfigResponse,
} from '../../../../functions/editor/index.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { LETTER, pathOf, SECRET } from '../editor-api.ts';
import { anOpenTemplate } from '../saving/edited-templates.ts';
import { letter, type Sending } from '../saving/saves.ts';
import { aCommandedDocument } from '../sessions/commanded-document.ts';

const PREVIOUS = 'a-secret-of-the-tests-of-yesterday-0123456789';
const AUTHORITY = '-----BEGIN CERTIFICATE-----\nof-nobody\n-----END CERTIFICATE-----';
const LARGE = Buffer.alloc(4 * 1_048_576 + 1);
const SIGNED_LINK = 'X-Amz-Signature=0123456789abcdef';
const TOKEN = /eyJ[\w-]{10,}\.[\w-]+/;

/** What is said in passing, by whomever. */
function overheard() {
  const said: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      said.push(String(chunk));
      return true;
    }),
  );
  const console_ = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...given) => void said.push(inspect(given))),
  );
  onTestFinished(() => [...spies, ...console_].forEach((spy) => void spy.mockRestore()));
  return () => said.join('\n');
}

async function aWorld() {
  const said = overheard();
  const storage = versionedStorage();
  const answers: Record<string, Readonly<Record<string, unknown>>> = {};
  const world = await aCommandedDocument(answers, {
    storage,
    docs: { 'previous-secret': PREVIOUS },
  });
  storage.downloadLink = async () => `https://files.example.com/x?${SIGNED_LINK}`;
  const bad: ApiAnswer[] = [];
  const keep = (answer: ApiAnswer): ApiAnswer => {
    if (answer.status >= 400) bad.push(answer);
    return answer;
  };
  const url = (address = '') => pathOf(address);
  const get = async (path: string, more: object = {}) => keep(await world.get(path, more));
  const post = async (path: string, more: object = {}) =>
    keep(await world.call({ method: 'POST', path, ...more }));
  const save = async (
    status: number,
    more: Readonly<Record<string, unknown>> = {},
    sending: Sending = {},
  ) => keep(await world.save(status, more, sending));
  /** All that others may read: logs, events, problems, and what is printed. */
  const everything = () =>
    [
      world.context.log.text(),
      inspect(world.context.log.lines, { depth: 20, showHidden: true }),
      JSON.stringify(world.context.bus.events),
      ...bad.map(({ text, headers }) => text + JSON.stringify(headers)),
      said(),
    ].join('\n');
  return { ...world, answers, url, get, post, save, everything };
}

type World = Awaited<ReturnType<typeof aWorld>>;

const VERSIONS = '/api/v1/docs/documents/doc-1/versions';

/** Each route, as it is meant to be used. */
async function useAll(world: World): Promise<void> {
  const { opened, url, get, post, save, answers } = world;
  await get('/api/v1/docs/config/editor?fileId=documents/letter.docx&fileName=a.docx&documentId=1');
  await world.open();
  await get(url(opened.document.url), { caller: null });
  await get('/api/v1/docs/plugins/merge-field/config.json', { caller: null });
  await world.edit();
  await save(6, { changesurl: `${world.server.url}/cache/files/changes.zip`, history: {} });
  await post('/api/v1/docs/documents/doc-1:save');
  await post('/api/v1/docs/documents/doc-1:close');
  await save(2);
  await get('/api/v1/docs/sessions?documentId=doc-1');
  answers.version = { error: 0, version: '9.0.4' };
  await get('/api/v1/docs/status');
  await get(VERSIONS);
  const version = await get(`${VERSIONS}/1`);
  await get(url(String(version.body.url)), { caller: null });
  answers.info = { error: 1 };
  await post(`${VERSIONS}/1:restore`);
  await post(VERSIONS, { method: 'DELETE' });
  answers.getForgottenList = { error: 0, keys: [world.key] };
  answers.getForgotten = { error: 0, url: `${world.server.url}/cache/files/f/output.docx` };
  await world.runTask('editor.recovery');
  world.storage.files.set(LETTER, LARGE);
  const large = (await world.open()).body as unknown as EditorConfigResponse;
  await get(url(large.document.url), { caller: null });
}

/** Each route, as it fails. */
async function failEverywhere(world: World): Promise<void> {
  const { opened, url, get, post, save, answers, storage } = world;
  const { url: file } = opened.document;
  const { callbackUrl = '' } = opened.editorConfig;
  await get(`/api/v1/docs/file/documents/other.docx${new URL(file).search}`, { caller: null });
  await get(`${url(file)}x`, { caller: null });
  await get(`${url(file).replace('accessToken', 'contextToken')}`, { caller: null });
  await post(`${url(callbackUrl)}x`, { caller: null, body: { token: opened.token } });
  await post(url(callbackUrl), { caller: null, body: { token: opened.token } });
  await post(url(callbackUrl), { caller: null, body: `{"token":"${opened.token}` });
  await post(url(callbackUrl), { caller: null, body: { token: `${opened.token}x`, key: 'k' } });
  await get(url(callbackUrl), { caller: null });
  await save(2, {}, { secret: 'x'.repeat(32) });
  await save(2, { url: `http://evil.example/x?token=${opened.token}` });
  await save(9);
  world.server.answer = (_, response) => response.writeHead(500, { 'x-token': SECRET }).end(SECRET);
  await save(2, { url: `${world.server.url}/cache/files/x?md5=${SIGNED_LINK}` });
  await get('/api/v1/docs/status');
  await post('/api/v1/docs/documents/doc-1:save');
  await world.runTask('editor.recovery').catch(() => undefined);
  await world.server.close();
  await save(2, { url: `${world.server.url}/cache/files/y?md5=${SIGNED_LINK}` });
  await get('/api/v1/docs/status');
  await get('/api/v1/docs/editor?fileId=../x&fileName=a&documentId=1');
  await get('/api/v1/docs/editor', { token: opened.token });
  await get('/api/v1/docs/sessions?documentId=doc-1', { token: new URL(file).search.slice(13) });
  await get(`${VERSIONS}/999`);
  await get(`/api/v1/docs/plugins/merge-field/x.js?accessToken=${opened.token}`, {
    caller: null,
  });
  answers.version = { error: 6 };
  const { open } = storage;
  storage.open = () => Promise.reject(new Error('The storage is down'));
  await get(url(file), { caller: null });
  storage.open = open;
  const off = world.context.db.before('GetItem', () => {
    throw new Error('The table is down');
  });
  await world.open();
  await save(2);
  off();
}

describe('tokens, secrets and links', () => {
  it('are in no log, event and problem of any route, whatever fails', async () => {
    const world = await aWorld();

    await useAll(world);
    await failEverywhere(world);

    const routes = new Set(world.context.log.named('request').map(({ route }) => String(route)));
    const all = createEditorModule(world.context).routes;
    const missing = all.filter(({ method, path }) => !routes.has(`${method} ${path}`));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
    const text = world.everything();
    const { document, editorConfig, token } = world.opened;
    const secrets = [SECRET, PREVIOUS, SIGNED_LINK, token, document.url, editorConfig.callbackUrl];
    expect(secrets.filter((each) => each === undefined || text.includes(each))).toEqual([]);
    expect(TOKEN.exec(text)).toBeNull();
    expect(text).not.toMatch(/(?:accessToken|contextToken)=/);
    expect(text).not.toMatch(/md5=/);
  });

  it('are nowhere when the store of secrets, or an authority, fails', async () => {
    const said = overheard();
    const readSecret = Object.assign(
      async (reference: string) => {
        if (reference === 'docs#ca') return AUTHORITY;
        throw new Error(`There is no ${reference}`);
      },
      { versionOf: async () => undefined },
    );
    const world = await aCommandedDocument(
      {},
      { docs: { ca: 'secretsmanager:docs#ca' }, readSecret },
    );

    const status = await world.get('/api/v1/docs/status');

    const text = `${world.context.log.text()}${status.text}${said()}`;
    expect(text).not.toContain('of-nobody');
    expect(text).not.toContain(SECRET);
  });

  it('of the plugin are in no log and event', async () => {
    const said = overheard();
    const world = await anOpenTemplate();
    onTestFinished(() => world.server.close());
    const { plugins } = world.opened.editorConfig as unknown as { readonly plugins: object };
    world.edit(letter('edited').toString('latin1').slice(0, 10));
    await world.save(2);

    const token = TOKEN.exec(JSON.stringify(plugins))?.[0];
    const { log, bus } = world.context;

    expect(token).toBeDefined();
    expect(`${log.text()}${JSON.stringify(bus.events)}${said()}`).not.toMatch(TOKEN);
  });
});
