import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../helpers/hostile-server.ts';
import { aClient, closing, errorOf } from './a-client.ts';

const MEGABYTE = 1_048_576;
const serve = async (answer: Parameters<typeof startServer>[0]) =>
  closing(await startServer(answer));
const aFile = () => join(mkdtempSync(join(tmpdir(), 'download-')), 'file');

describe('download', () => {
  it('streams the decompressed body to a writer and counts it', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('x'.repeat(100_000)));
    });
    const writer = new PassThrough();

    const [download, read] = await Promise.all([
      aClient().download(server.origin, writer),
      text(writer),
    ]);

    expect(download).toMatchObject({ status: 200, sizeBytes: 100_000 });
    expect(read).toHaveLength(100_000);
  });

  it('waits for a slow writer', async () => {
    let written = 0;
    const server = await serve((_request, response) => {
      const more = () => {
        while (written < 64 * MEGABYTE && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const writer = new Writable({ write: () => undefined });

    const error = await errorOf(
      aClient().download(server.origin, writer, { totalTimeoutMs: 500, maxBytes: 64 * MEGABYTE }),
    );

    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(written).toBeLessThan(32 * MEGABYTE);
    expect(writer.destroyed).toBe(true);
  });

  it.each([
    ['takes', {}],
    [
      'ends with',
      { final: () => undefined, write: (_chunk: unknown, _: unknown, done: () => void) => done() },
    ],
  ])('gives a writer up that never %s what has arrived', async (_what, how) => {
    const server = await serve((_request, response) => response.end('all of it'));
    const writer = new Writable({ write: () => undefined, ...how });

    const error = await errorOf(aClient().download(server.origin, writer, { totalTimeoutMs: 200 }));

    expect(error).toMatchObject({ code: 'TIMEOUT' });
    expect(writer.destroyed).toBe(true);
  });

  it("leaves a writer when the caller's signal ends the call", async () => {
    const server = await serve((_request, response) => response.end('all of it'));
    const signal = AbortSignal.timeout(100);

    const error = await errorOf(
      aClient().download(server.origin, new Writable({ write: () => undefined }), { signal }),
    );

    expect(error).toMatchObject({ code: 'ABORTED' });
  });

  it.each([
    ['ended', (writer: Writable) => writer.end()],
    ['destroyed', (writer: Writable) => writer.destroy()],
  ])('fails when the writer is %s already', async (_what, close) => {
    const server = await serve((_request, response) => response.end('all of it'));
    const writer = new PassThrough();
    close(writer);

    const call = aClient().download(server.origin, writer);

    await expect(call).rejects.toThrow(Error);
  });

  it("passes the writer's own failure on and ends the connection", async () => {
    let isClosed = false;
    const server = await serve((_request, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      response.write('x'.repeat(100_000));
    });
    const failure = new Error('disk full');
    const writer = new Writable({ write: (_chunk, _encoding, done) => done(failure) });

    const call = aClient().download(server.origin, writer);

    await expect(call).rejects.toBe(failure);
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each([404, 500, 304])('writes nothing of an answer with the status %i', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end());
    const file = aFile();

    const error = await errorOf(aClient().downloadToFile(server.origin, file));

    expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status });
    expect(existsSync(file)).toBe(false);
  });
});

describe('downloadToFile', () => {
  it('leaves the whole body in the file', async () => {
    const server = await serve((_request, response) => response.end('x'.repeat(3 * MEGABYTE)));
    const file = aFile();

    const { sizeBytes } = await aClient().downloadToFile(server.origin, file);

    expect(sizeBytes).toBe(3 * MEGABYTE);
    expect(readFileSync(file)).toHaveLength(3 * MEGABYTE);
  });

  it.each([
    ['is too large', { maxBytes: 1_000 }, 'TOO_LARGE'],
    ['stops arriving', { bodyTimeoutMs: 50 }, 'TIMEOUT'],
  ])('leaves no file of a body that %s', async (_what, limits, code) => {
    const server = await serve((_request, response) => void response.write('x'.repeat(2_000)));
    const file = aFile();

    const error = await errorOf(aClient().downloadToFile(server.origin, file, limits));

    expect(error).toMatchObject({ code });
    expect(existsSync(file)).toBe(false);
  });

  it('touches no file that is there already', async () => {
    const server = await serve((_request, response) => response.end('new'));
    const file = aFile();
    writeFileSync(file, 'old');

    await expect(aClient().downloadToFile(server.origin, file)).rejects.toMatchObject({
      code: 'EEXIST',
    });

    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});
