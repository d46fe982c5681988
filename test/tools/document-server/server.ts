import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { answerCommand } from './commands.ts';
import { Documents, type DocumentsOptions } from './documents.ts';
import { checkOpening, type EditorConfiguration, OpenRefused } from './open-check.ts';
import type { Editor, OpenDocument } from './open-document.ts';
import { ServedFiles } from './served-files.ts';

export interface DocumentServerOptions extends Partial<DocumentsOptions> {
  readonly secret: string;
  /** Default: any free one. */
  readonly port?: number;
}

/** A running stand-in of the document server. */
export interface DocumentServer {
  readonly url: string;
  readonly documents: Documents;
  close(): Promise<void>;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

const PAGES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/web-apps/apps/api/documents/api.js': ['api.js', 'text/javascript'],
  '/web-apps/apps/stand-in/editor.html': ['editor.html', 'text/html; charset=utf-8'],
  '/web-apps/apps/stand-in/editor.js': ['editor.js', 'text/javascript'],
  '/web-apps/apps/stand-in/plugin-frames.js': ['plugin-frames.js', 'text/javascript'],
  '/web-apps/apps/stand-in/editor.css': ['editor.css', 'text/css'],
  '/sdkjs-plugins/v1/plugins.js': ['plugins.js', 'text/javascript'],
  '/demo': ['demo.html', 'text/html; charset=utf-8'],
};
const MAX_BODY_BYTES = 10_485_760;

/** Starts a stand-in of the document server: it speaks its protocol, and edits texts only. */
export async function startDocumentServer({
  secret,
  port = 0,
  saveDelayMs = 5_000,
  retryDelaysMs = [1_000, 2_000, 4_000],
  downloadPauseMs = 1_000,
}: DocumentServerOptions): Promise<DocumentServer> {
  const files = new ServedFiles(secret);
  const documents = new Documents({ secret, saveDelayMs, retryDelaysMs, downloadPauseMs }, files);
  const stand = new StandIn({ documents, files, secret });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    stand.answer({ request, response, url }).catch((error: unknown) => {
      sendJson(response, 500, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    documents,
    close: () => stop(server, documents),
  };
}

function stop(server: Server, documents: Documents): Promise<void> {
  documents.close();
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

class StandIn {
  readonly #documents: Documents;
  readonly #files: ServedFiles;
  readonly #secret: string;
  readonly #sessions = new Map<string, readonly [OpenDocument, Editor]>();

  constructor(parts: {
    readonly documents: Documents;
    readonly files: ServedFiles;
    readonly secret: string;
  }) {
    this.#documents = parts.documents;
    this.#files = parts.files;
    this.#secret = parts.secret;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange;
    const { pathname } = url;
    const page = PAGES[pathname];
    if (page && request.method === 'GET') await sendPage(response, page);
    else if (pathname === '/healthcheck') sendText(response, 200, 'true');
    else if (pathname.startsWith('/cache/files/')) this.#serve(exchange);
    else if (/^\/(command|coauthoring\/CommandService\.ashx)$/.test(pathname)) {
      await this.#command(exchange);
    } else if (pathname === '/stand-in/open') await this.#open(exchange);
    else if (pathname.startsWith('/stand-in/sessions/')) await this.#session(exchange);
    else sendText(response, 404, 'Not found');
  }

  #serve({ response, url }: Exchange): void {
    const found = this.#files.find(url.pathname, url.searchParams);
    if (typeof found === 'number') sendText(response, found, 'No such file');
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found);
  }

  async #command({ request, response }: Exchange): Promise<void> {
    const { authorization } = request.headers;
    const sent = { body: await readJson(request), authorization, base: baseOf(request) };
    const server = { documents: this.#documents, files: this.#files, secret: this.#secret };
    sendJson(response, 200, await answerCommand(sent, server));
  }

  async #open({ request, response }: Exchange): Promise<void> {
    try {
      const sent = (await readJson(request)) as Partial<EditorConfiguration>;
      const config = checkOpening(sent, this.#secret);
      const [document, editor] = await this.#documents.open(config, baseOf(request));
      this.#sessions.set(editor.session, [document, editor]);
      const { editorConfig, document: facts } = config;
      const shown = { title: facts.title ?? '', plugins: editorConfig.plugins ?? {} };
      sendJson(response, 200, { session: editor.session, ...shown, ...stateOf(document, editor) });
    } catch (error) {
      const code = error instanceof OpenRefused ? error.code : -82;
      sendJson(response, 400, { code, message: error instanceof Error ? error.message : '' });
    }
  }

  async #session({ request, response, url }: Exchange): Promise<void> {
    const [id = '', action = ''] = url.pathname.split('/').slice(3);
    const found = this.#sessions.get(id);
    if (!found) return sendText(response, 404, 'No such session');
    const [document, editor] = found;
    if (action === 'leave') {
      this.#sessions.delete(id);
      this.#documents.leave(document, id);
      return sendJson(response, 200, {});
    }
    if (!document.editors.has(id)) return sendText(response, 410, 'Dropped');
    if (action === 'change' && editor.isEditing) {
      const { index, text } = (await readJson(request)) as { index: number; text: string };
      document.change(editor, index, text);
    }
    const isSaved = action === 'save' && (await this.#save(document, editor));
    sendJson(response, 200, {
      ...stateOf(document, editor),
      ...(action === 'save' && { isSaved }),
    });
  }

  async #save(document: OpenDocument, editor: Editor): Promise<boolean> {
    if (!editor.isEditing) return false;
    if (!document.hasChanges || document.forcedRevision === document.revision) return true;
    return await this.#documents.forceSave(document, { type: 1, editor });
  }
}

function stateOf(document: OpenDocument, { isEditing }: Editor) {
  const { texts, revision, editing, forcedRevision } = document;
  const names = editing.map(({ userName }) => userName);
  return { texts, revision, isEditing, editors: names, isSaved: forcedRevision === revision };
}

/** Where a browser says that it found this server: these headers are whatever it sends. */
function baseOf({ headers }: IncomingMessage): string {
  const { 'x-forwarded-host': host = headers.host, 'x-forwarded-proto': protocol = 'http' } =
    headers;
  return `${protocol}://${host}${headers['x-forwarded-prefix'] ?? ''}`;
}

async function sendPage(response: ServerResponse, [file, type]: readonly [string, string]) {
  const bytes = await readFile(join(import.meta.dirname, 'pages', file));
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(bytes);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error('The request is too large');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8') || '{}');
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
