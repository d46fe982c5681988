import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../bin/dev/local-cloud/free-port.ts';
import { type BaseUrlProxy, startBaseUrlProxy } from '../../../bin/dev/proxy/base-url-proxy.ts';

let target: Server;
let received: IncomingMessage[];
let proxy: BaseUrlProxy;

beforeEach(async () => {
  received = [];
  target = createServer((incoming, outgoing) => {
    received.push(incoming);
    incoming.resume().once('end', () => outgoing.writeHead(200, { 'X-Kept': 'As It Is' }).end());
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const own = await freePort(23_000 + Math.floor(Math.random() * 1_000));
  proxy = await startBaseUrlProxy({
    endpoint: `http://127.0.0.1:${port}`,
    apiId: 'api',
    port: own,
  });
});

afterEach(async () => {
  await proxy.close();
  target.closeAllConnections();
  target.close();
});

async function send(
  path: string,
  headers: readonly string[] = ['Host', 'a'],
): Promise<IncomingMessage> {
  const sent = request({ host: '127.0.0.1', port: proxy.port, path, headers: [...headers] });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

describe('the base URL', () => {
  it.each(['/a//b', '/a/../b', '/%41%2F?x=%20&x=2', "/tasks/1:complete?q='"])(
    'forwards the path %s as it is',
    async (path) => {
      await send(path);

      expect(received[0]?.url).toBe(`/_aws/execute-api/api/$default${path}`);
    },
  );

  it('keeps headers in their spelling and adds where the request comes from', async () => {
    const answer = await send('/', ['Host', 'app.test', 'X-Odd', 'a', 'x-odd', 'b']);

    const sent = received[0]?.rawHeaders ?? [];
    expect(sent.slice(0, 6)).toEqual(['Host', 'app.test', 'X-Odd', 'a', 'x-odd', 'b']);
    expect(received[0]?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'app.test',
      'x-forwarded-proto': 'http',
    });
    expect(answer.rawHeaders.join()).toContain('X-Kept,As It Is');
  });

  it('says what to do when the local cloud is away', async () => {
    target.closeAllConnections();
    target.close();

    const answer = await fetch(proxy.baseUrl);

    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ code: 'LOCAL_CLOUD_UNREACHABLE' });
  });

  it('does not wait for a caller that went away while it was held back', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = proxy.whileQuiet(() => promise);
    const caller = connect(proxy.port, '127.0.0.1');
    // The answer to "Expect" says that the request has come in.
    caller.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n');
    await once(caller, 'data');
    caller.destroy();
    resolve();
    await work;

    await vi.waitFor(async () => {
      let isDone = false;
      const waiting = proxy.whileQuiet(async () => {
        isDone = true;
      });
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      const wasDoneAtOnce = isDone;
      await waiting;
      expect(wasDoneAtOnce).toBe(true);
    }, 10_000);
  });
});
