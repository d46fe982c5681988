import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf } from './a-client.ts';

const schema = z.object({ name: z.string() });
const serve = async (answer: Parameters<typeof startServer>[0]) =>
  closing(await startServer(answer));

const answering = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });

describe('the JSON of an answer', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'application/scim+json'])(
    'is parsed by a schema (%s)',
    async (type) => {
      const server = await answering('{"name":"Mai","more":1}', { 'content-type': type });

      expect(await aClient().json(server.origin, schema)).toEqual({ name: 'Mai' });
      expect(server.requests[0]?.headers).toMatchObject({ accept: 'application/json' });
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is decompressed from %s', async (encoding, compress) => {
    const server = await answering(compress('{"name":"Mai"}'), { 'content-encoding': encoding });

    expect(await aClient().json(server.origin, schema)).toEqual({ name: 'Mai' });
  });

  it.each([
    ['text/html', '{"name":"Mai"}'],
    ['application/json', '<html>'],
    ['application/json', ''],
    ['application/json', '{"name":'],
    ['application/json', Buffer.from('{"name":"\xff"}', 'latin1')],
    ['application/json', '{"name":7}'],
    ['application/json', '[]'],
  ])('is refused when it is something else: %s %s', async (type, body) => {
    const server = await answering(body, { 'content-type': type });

    const error = await errorOf(aClient().json(server.origin, schema));

    expect(error).toMatchObject({ code: 'UNEXPECTED_CONTENT', status: 200 });
  });

  it.each([
    [404, {}, undefined],
    [429, { 'retry-after': '17' }, 17],
    [503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, undefined],
    [304, {}, undefined],
  ])('is refused with a status of %i', async (status, headers, retryAfterSeconds) => {
    const server = await answering('', headers, status);

    const error = await errorOf(aClient().json(server.origin, schema));

    expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status, retryAfterSeconds });
  });

  it('of an error is at hand for those who ask for the answer', async () => {
    const server = await answering('{"scimType":"uniqueness"}', {}, 409);

    const answer = await aClient().request(server.origin, { method: 'POST', body: '{}' });

    expect(answer).toMatchObject({ status: 409, body: Buffer.from('{"scimType":"uniqueness"}') });
  });
});

describe('an error', () => {
  it.each([
    ['a redirect', { location: '/login?token=secret-there' }, 302],
    ['a status', { 'x-debug': 'secret-header' }, 500],
    ['a body', {}, 200],
    ['a broken length', { 'content-length': '99' }, 200],
    ['an unknown encoding', { 'content-encoding': 'secret-encoding' }, 200],
  ])('over %s tells no secret', async (_what, headers, status) => {
    const server = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.write('secret-body');
      setTimeout(() => response.socket?.end(), 20);
    });

    const error = await errorOf(
      aClient().json(`${server.origin}/secret-path?token=secret-query`, schema, {
        method: 'POST',
        headers: { authorization: 'Bearer secret-token' },
        body: 'secret-form',
        bodyTimeoutMs: 100,
      }),
    );

    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain('secret');
  });

  it.each(['https://mai:secret@example.com/', 'secret://x', 'https://[secret]/'])(
    'over the address %s tells no secret',
    async (address) => {
      const error = await errorOf(aClient().request(address));

      expect(inspect(error, { depth: 12, showHidden: true })).not.toContain('secret');
    },
  );

  it('over a header that is not one tells no secret', async () => {
    const server = await answering('{}');

    const error = await errorOf(
      aClient().request(server.origin, { headers: { authorization: 'Bearer secret\r\nx: y' } }),
    );

    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });
});
