import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A token issuer on this machine: discovery document and keys. */
export interface JwksServer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** How often the keys were asked for. */
  requests(): number;
  /** How often the discovery document was asked for. */
  discoveries(): number;
  /** Answers all requests with this status from now on; 0: not at all. */
  answerWith(status: number): void;
  /** Names another issuer in the discovery document from now on. */
  discoverAs(issuer: string): void;
  /** Names another address of the keys in the discovery document from now on. */
  keysAt(address: string): void;
  close(): Promise<void>;
}

/** Starts an issuer on a free port. */
export async function startJwksServer(jwks: {
  readonly keys: readonly object[];
}): Promise<JwksServer> {
  let requests = 0;
  let discoveries = 0;
  let status = 200;
  let discovered: string | undefined;
  let keyAddress: string | undefined;
  const server = createServer((request, response) => {
    const isKeys = request.url === '/jwks';
    if (isKeys) requests += 1;
    else discoveries += 1;
    if (status === 0) return;
    const document = isKeys
      ? jwks
      : { issuer: discovered ?? issuer(), jwks_uri: keyAddress ?? `${issuer()}/jwks` };
    response.writeHead(status, {
      'content-type': 'application/json',
      connection: 'close',
      ...(status === 302 ? { location: 'http://127.0.0.1:9/jwks' } : {}),
    });
    response.end(JSON.stringify(document));
  });
  const issuer = (): string => `http://127.0.0.1:${port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    issuer: issuer(),
    jwksUri: `${issuer()}/jwks`,
    requests: () => requests,
    discoveries: () => discoveries,
    answerWith: (next) => {
      status = next;
    },
    discoverAs: (next) => {
      discovered = next;
    },
    keysAt: (next) => {
      keyAddress = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
