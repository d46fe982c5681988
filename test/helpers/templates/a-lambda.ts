import { createServer } from 'node:http';
import type { Socket } from 'node:net';

const INVOCATION = /^\/[\d-]+\/functions\/([^/]+)\/invocations$/;

/** Lambda on this machine, for clients that are made while it is there: every function answers the same. */
export async function aLambda(answer: object) {
  const called: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    called.push(INVOCATION.exec(request.url ?? '')?.[1] ?? '');
    request.resume().on('end', () => response.end(JSON.stringify(answer)));
  });
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const settings = {
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  };
  const before = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name]]));
  Object.assign(process.env, settings);
  return {
    /** The functions that were called. */
    called,
    connections: () => connections,
    /** Closes the connections that wait for calls, as Lambda does after some time. */
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
