import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Gate } from './gate.ts';

/** A stable address in front of an HTTP API whose own address changes with every fresh deployment. */
export interface BaseUrlProxy {
  readonly baseUrl: string;
  readonly port: number;
  /** Sends requests to another API from now on. */
  setApi(apiId: string): void;
  /**
   * Does `work` while no request is under way: those that run may end first (for a second at most), new ones wait.
   * Replacing a function's code would otherwise end the calls in it.
   */
  whileQuiet<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Where the proxy listens and what it stands for. */
export interface BaseUrlProxyOptions {
  /** Address of the local cloud. */
  readonly endpoint: string;
  readonly apiId: string;
  /** Port of 127.0.0.1. */
  readonly port: number;
}

/**
 * Starts the proxy. Method, path, headers and bodies pass through byte for byte; `X-Forwarded-For`, `-Host` and
 * `-Proto` are added.
 */
export async function startBaseUrlProxy(options: BaseUrlProxyOptions): Promise<BaseUrlProxy> {
  const agent = new Agent({ keepAlive: true });
  const target = new URL(options.endpoint);
  let prefix = apiPath(options.apiId);
  const gate = new Gate();
  const server = createServer((incoming, outgoing) => {
    void gate.enter().then(() => {
      outgoing.once('close', () => gate.leave());
      forward(incoming, outgoing, { agent, target, path: `${prefix}${incoming.url ?? '/'}` });
    });
  });
  server.keepAliveTimeout = 75_000;
  await listen(server, options.port);
  return {
    baseUrl: `http://127.0.0.1:${options.port}`,
    port: options.port,
    setApi: (apiId) => {
      prefix = apiPath(apiId);
    },
    whileQuiet: (work) => gate.whileQuiet(work),
    close: () => close(server, agent),
  };
}

function apiPath(apiId: string): string {
  return `/_aws/execute-api/${apiId}/$default`;
}

interface Forwarding {
  readonly agent: Agent;
  readonly target: URL;
  readonly path: string;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, to: Forwarding): void {
  const upstream = request({
    agent: to.agent,
    hostname: to.target.hostname,
    port: to.target.port,
    method: incoming.method,
    path: to.path,
    setHost: false,
    headers: [...incoming.rawHeaders, ...forwardedHeaders(incoming)],
  });
  upstream.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  upstream.once('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy(error);
    else badGateway(outgoing, error);
  });
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  incoming.pipe(upstream);
}

function forwardedHeaders({ headers, socket }: IncomingMessage): string[] {
  const before = headers['x-forwarded-for'];
  const client = socket.remoteAddress ?? '127.0.0.1';
  const added = ['X-Forwarded-For', client, 'X-Forwarded-Proto', 'http'];
  // Headers of a proxy further out stay as they are.
  if (before !== undefined) return [];
  return headers.host ? [...added, 'X-Forwarded-Host', headers.host] : added;
}

function badGateway(outgoing: ServerResponse, error: Error): void {
  outgoing.writeHead(502, { 'content-type': 'application/problem+json' });
  outgoing.end(
    JSON.stringify({
      type: 'urn:svc-cloud:problem:LOCAL_CLOUD_UNREACHABLE',
      title: 'The local cloud does not answer',
      status: 502,
      detail: `${error.message}. Run "npm run status"; "npm start" starts it again.`,
      code: 'LOCAL_CLOUD_UNREACHABLE',
    }),
  );
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
