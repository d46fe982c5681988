import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../bin/dev/local-cloud/free-port.ts';
import { startBaseUrlProxy } from '../../../bin/dev/proxy/base-url-proxy.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A proxy before a server that answers with the address it was asked for. */
async function aProxy() {
  const server: Server = createServer((request, response) => response.end(request.url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => server.close());
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const proxy = await startBaseUrlProxy({ endpoint, apiId: 'api', port: await freePort(port + 1) });
  open.unshift(() => proxy.close());
  return proxy;
}

/** Sends a path as the bytes of its UTF-8, as curl does. */
async function ask(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

describe('the proxy of the base URL', () => {
  it('shows how a URL with letters beyond ASCII is written', async () => {
    const { port } = await aProxy();

    const answer = await ask(port, '/customers?name=Nguyễn%20An');

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      detail: 'A URL has ASCII characters only; write /customers?name=Nguy%E1%BB%85n%20An',
    });
  });

  it('answers other requests that cannot be read as Node does', async () => {
    const { port } = await aProxy();

    expect(await ask(port, '/ HTTP/1.1\r\nbad header')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(await ask(port, `/ HTTP/1.1\r\na: ${'x'.repeat(20_000)}\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it('leaves every other path as it is', async () => {
    const { port } = await aProxy();

    expect(await ask(port, '//a/%2F/%c3?x=[1]&y=%zz')).toContain(
      '/_aws/execute-api/api/$default//a/%2F/%c3?x=[1]&y=%zz',
    );
  });
});
