import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { answerMalformed } from './malformed-request.ts';

/** Target of one request. */
export interface Forwarding {
  /** Host and port count. */
  readonly target: URL;
  /** Path with query, sent as it is. */
  readonly path: string;
  /** Headers to add, names and values in turn. */
  readonly addedHeaders?: readonly string[];
  /** Receives the whole body once the caller has sent it. */
  readonly onBody?: (body: Buffer) => void;
}

export interface ForwardingOptions {
  /** Port of 127.0.0.1. */
  readonly port: number;
  /** Chooses the target of a request; 503 without one. */
  readonly route: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) => Promise<Forwarding | undefined>;
  /** Response when the target cannot be reached. */
  readonly onUnreachable: (outgoing: ServerResponse, error: Error) => void;
}

/**
 * Forwards requests and responses byte for byte: a signed request stays valid. Libraries for this merge slashes and
 * escape characters of the path.
 * @returns a function that stops the proxy.
 */
export async function startForwardingProxy(
  options: ForwardingOptions,
): Promise<() => Promise<void>> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    options
      .route(incoming, outgoing)
      .then((forwarding) => {
        if (forwarding) forward(incoming, outgoing, { ...options, ...forwarding, agent });
        else outgoing.writeHead(503).end();
      })
      .catch((error: Error) => outgoing.destroy(error));
  });
  server.on('clientError', answerMalformed);
  server.keepAliveTimeout = 75_000;
  await listen(server, options.port);
  return () => close(server, agent);
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: Forwarding & ForwardingOptions & { readonly agent: Agent },
): void {
  const upstream = request({
    agent: to.agent,
    hostname: to.target.hostname,
    port: to.target.port,
    method: incoming.method,
    path: to.path,
    setHost: false,
    headers: [...incoming.rawHeaders, ...(to.addedHeaders ?? [])],
  });
  upstream.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  upstream.once('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy(error);
    else to.onUnreachable(outgoing, error);
  });
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  if (to.onBody) collectBody(incoming, to.onBody);
  incoming.pipe(upstream);
}

function collectBody(incoming: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => onBody(Buffer.concat(chunks)));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server: Server, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    agent.destroy();
  });
}
