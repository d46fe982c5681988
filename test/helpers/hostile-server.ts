import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

/** A server on this machine that answers as a test wishes, and remembers what came. */
export interface HostileServer {
  readonly origin: string;
  readonly port: number;
  /** How many connections were made. */
  connections(): number;
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

/** An HTTP server on 127.0.0.1; an HTTPS one with a key and a certificate. */
export async function startServer(
  answer: RequestListener,
  tls?: { readonly key: string; readonly cert: string },
): Promise<HostileServer> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const running = await listen(server, tls ? 'https' : 'http');
  return { ...running, requests };
}

/** A server that is no HTTP server: it does with each connection what it is told. */
export async function startTcpServer(answer: (socket: Socket) => void): Promise<HostileServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    answer(socket);
  });
  return { ...(await listen(server, 'http')), requests: [] };
}

async function listen(server: Server, scheme: string) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
