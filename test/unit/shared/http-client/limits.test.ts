import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gatewayStatusOf } from '../../../../shared/http-client/http-client-error.ts';
import { startServer, startTcpServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf } from './a-client.ts';

type Answer = Parameters<typeof startServer>[0];

const serve = async (answer: Answer) => closing(await startServer(answer));
const MEGABYTE = 1_048_576;

describe('a server that takes too long', () => {
  it.each<[string, Answer, object]>([
    ['to answer', () => undefined, { totalTimeoutMs: 200 }],
    ['to send its headers', () => undefined, { headersTimeoutMs: 50 }],
    [
      'in the middle of the body',
      (_request, response) => void response.write('part'),
      { bodyTimeoutMs: 50 },
    ],
    [
      'by sending little for ever',
      (_request, response) => {
        const timer = setInterval(() => response.write('.'), 5);
        response.on('close', () => clearInterval(timer));
      },
      { totalTimeoutMs: 200 },
    ],
  ])('is given up: %s', async (_what, answer, limits) => {
    const server = await serve(answer);

    const error = await errorOf(aClient().request(server.origin, limits));

    expect(error).toMatchObject({ code: 'TIMEOUT', origin: server.origin });
    expect(gatewayStatusOf(error)).toBe(504);
  });

  it('is given up when it leads on and on', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 20);
    });

    const error = await errorOf(
      aClient().request(server.origin, { maxRedirects: 1_000, totalTimeoutMs: 200 }),
    );

    expect(error).toMatchObject({ code: 'TIMEOUT' });
  });

  it('is given up when it takes the connection and never speaks TLS', async () => {
    const server = closing(await startTcpServer(() => undefined));
    const client = aClient({ connectTimeoutMs: 50 });

    const error = await errorOf(client.request(server.origin.replace('http', 'https')));

    expect(error).toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('an answer without a body', () => {
  it.each([
    ['HEAD', 200, { 'content-length': '99999999' }],
    ['GET', 204, {}],
    ['GET', 304, {}],
  ] as const)('is taken though its headers describe one: %s %i', async (method, status, more) => {
    const server = await serve((_request, response) => {
      response.writeHead(status, { 'content-encoding': 'gzip', ...more }).end();
    });

    const answer = await aClient({ maxBytes: 1_000 }).request(server.origin, { method });

    expect(answer).toMatchObject({ status, headers: more });
    expect(answer.body).toHaveLength(0);
  });

  it('is taken when it has a content encoding', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 0 }).end();
    });

    const { body } = await aClient().request(server.origin);

    expect(body).toHaveLength(0);
  });
});

describe('a limit that is given as undefined', () => {
  it('is the usual one', async () => {
    const server = await serve((_request, response) => response.end('x'.repeat(2_000)));
    const client = aClient({ totalTimeoutMs: undefined, maxBytes: 1_000 });

    const error = await errorOf(client.request(server.origin, { maxBytes: undefined }));

    expect(error).toMatchObject({ code: 'TOO_LARGE' });
  });
});

describe('a request that cannot be sent', () => {
  it.each([
    ['expect', '100-continue'],
    ['content-length', '1'],
  ])('is told from a broken answer: %s', async (name, value) => {
    const server = await serve((_request, response) => response.end());

    const error = await errorOf(
      aClient().request(server.origin, { method: 'POST', body: 'abc', headers: { [name]: value } }),
    );

    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('an answer that is too large', () => {
  it.each<[string, Answer]>([
    ['as its length says', (_request, response) => response.end('x'.repeat(2_000))],
    [
      'and does not say its length',
      (_request, response) => {
        response.write('x'.repeat(600));
        response.end('x'.repeat(600));
      },
    ],
    [
      'and never ends',
      (_request, response) => {
        const more = () => {
          while (response.write('x'.repeat(16_384)));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'once it is decompressed',
      (_request, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(gzipSync('x'.repeat(MEGABYTE), { level: 1 }).subarray(0, 900));
      },
    ],
  ])('is cut off: %s', async (_what, answer) => {
    const server = await serve(answer);

    const error = await errorOf(aClient().request(server.origin, { maxBytes: 1_000 }));

    expect(error).toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('1000') });
    expect(gatewayStatusOf(error)).toBe(502);
  });

  it('is cut off before a bomb has unfolded', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE), { level: 1 });
    const server = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(bomb);
    });
    const before = process.memoryUsage().arrayBuffers;

    const error = await errorOf(aClient().request(server.origin, { maxBytes: MEGABYTE }));

    expect(error).toMatchObject({ code: 'TOO_LARGE' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MEGABYTE);
  });

  it('may be as large as the limit', async () => {
    const server = await serve((_request, response) => response.end('x'.repeat(1_000)));

    const answer = await aClient().request(server.origin, { maxBytes: 1_000 });

    expect(answer.body).toHaveLength(1_000);
  });
});

describe('an answer that is broken', () => {
  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['ends within the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['ends within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
    ['ends within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['is not compressed as it says', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nplain'],
    ['is compressed in a way nobody knows', 'HTTP/1.1 200 OK\r\ncontent-encoding: x\r\n\r\nplain'],
    ['is compressed twice', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\n\r\nplain'],
    ['is nothing', ''],
  ])('is an error: it %s', async (_what, text) => {
    const server = closing(await startTcpServer((socket) => socket.end(text)));

    const error = await errorOf(aClient().request(server.origin));

    expect(error).toMatchObject({ code: 'BROKEN_ANSWER' });
    expect(gatewayStatusOf(error)).toBe(502);
  });

  it('is an error: the compressed body ends early', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('x'.repeat(100_000)).subarray(0, 60));
    });

    const error = await errorOf(aClient().request(server.origin));

    expect(error).toMatchObject({ code: 'BROKEN_ANSWER' });
  });
});

describe('a connection', () => {
  it('that nobody takes is an error', async () => {
    const server = await startServer(() => undefined);
    await server.close();

    const error = await errorOf(aClient().request(server.origin));

    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', origin: server.origin });
  });

  it('that was closed while it was kept is made again for a call that may be repeated', async () => {
    const server = await serve((request, response) => {
      if (server.requests.length === 2) request.socket.destroy();
      else response.end(`${server.requests.length}`);
    });
    const client = aClient();
    await client.request(server.origin);

    const answer = await client.request(server.origin);

    expect(answer.body.toString()).toBe('3');
  });

  it('that was closed does not repeat a POST', async () => {
    const server = await serve((request) => request.socket.destroy());

    const error = await errorOf(aClient().request(server.origin, { method: 'POST', body: 'x' }));

    expect(error).toMatchObject({ code: 'BROKEN_ANSWER' });
    expect(server.requests).toHaveLength(1);
  });

  it('that is always closed is tried twice', async () => {
    const server = await serve((request) => request.socket.destroy());

    const error = await errorOf(aClient().request(server.origin));

    expect(error).toMatchObject({ code: 'BROKEN_ANSWER' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('the signal of a caller', () => {
  it('ends a call', async () => {
    const server = await serve(() => undefined);
    const ending = new AbortController();

    const call = aClient().request(server.origin, { signal: ending.signal });
    setTimeout(() => ending.abort(), 20);

    expect(await errorOf(call)).toMatchObject({ code: 'ABORTED' });
  });

  it('that was given before prevents a call', async () => {
    const server = await serve((_request, response) => response.end());

    const error = await errorOf(aClient().request(server.origin, { signal: AbortSignal.abort() }));

    expect(error).toMatchObject({ code: 'ABORTED' });
    expect(server.requests).toEqual([]);
  });
});
