import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pluginRoutes } from '../../../../functions/editor/plugin/plugin-routes.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

/** A request that the panel has sent. */
export interface SeenRequest {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** Answers of an API by path, without the query. */
export type Answers = Record<string, readonly [status: number, body: unknown]>;

/** Something that is served on a port of its own, and so is an origin of its own. */
export interface Served {
  readonly url: string;
  close(): void;
}

/** Serves by a function. */
export async function serve(
  answer: (request: IncomingMessage) => Promise<{
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string | Buffer;
  }>,
): Promise<Served> {
  const server: Server = createServer(async (request, response) => {
    const { status, headers = {}, body } = await answer(request);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const PNG = /\.png$/;

/**
 * The plugin's real files by the real route, and an API beside them as a gateway has it: it lets browsers of one origin in.
 * @param svc what is configured besides the document server
 */
export async function startPluginServer(
  documentServerUrl: string,
  answers: Answers,
  svc: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<Served & { readonly seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const docs = { enabled: true, 'document-server-url': documentServerUrl, secret: 's'.repeat(32) };
  const context = aContext({ module: 'editor', svc: { ...svc, docs: { ...docs, ...svc.docs } } });
  const module = connect(({ config }) => ({ routes: pluginRoutes(config) }), context);
  const cors = {
    'access-control-allow-origin': documentServerUrl,
    'access-control-allow-headers': 'authorization',
  };
  const served = await serve(async ({ method, url = '', headers }) => {
    const path = url.split('?')[0] ?? '';
    if (method === 'OPTIONS') return { status: 204, headers: cors, body: '' };
    const answer = answers[path];
    if (answer) {
      seen.push({ url, authorization: headers.authorization });
      const [status, body] = answer;
      const type = { 'content-type': 'application/json' };
      return { status, headers: { ...cors, ...type }, body: JSON.stringify(body) };
    }
    const given = await module.call({ method: 'GET', path: url, caller: null });
    const body = PNG.test(path) ? Buffer.alloc(0) : given.text;
    return { status: given.status, headers: { ...given.headers, ...cors }, body };
  });
  return { ...served, seen };
}
