import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../../../shared/files/create-files.ts';
import { fileRoutes } from '../../../../shared/files/file-routes.ts';
import { MAX_PIECE_BYTES } from '../../../../shared/files/files.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const BASE = 'https://api.example.com';
const place = { path: '/api/v1/files/things', keyPrefix: 'THING', baseUrl: () => BASE };

function aModule() {
  const storage = memoryStorage();
  const context = aContext({ host: { storage } });
  const services = createFiles(context, place);
  const module = connect(() => ({ routes: fileRoutes(place.path, 'Things', services) }), context);
  const call = (method: string, url: string, more: object = {}) =>
    module.call({ method, path: url.replace(BASE, ''), caller: null, ...more });
  return { ...services, storage, context, call };
}

const announced = (text: string) => ({
  contentType: 'text/csv',
  sizeBytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});
const bytesOnly = { 'content-type': 'application/octet-stream' };

describe('GET of a download link', () => {
  it('answers the file under its name, without a token of the caller', async () => {
    const { files, call } = aModule();
    await files.write('a', Buffer.from('Xin chào'), 'text/plain');
    const link = await files.downloadLink('a', {
      fileName: 'Lời chào.txt',
      contentType: 'text/plain',
    });

    const answer = await call('GET', link);

    expect(answer).toMatchObject({ status: 200, text: 'Xin chào' });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': expect.stringContaining(
        "filename*=UTF-8''L%E1%BB%9Di%20ch%C3%A0o.txt",
      ),
      'cache-control': 'no-store',
    });
  });

  it('lets a file that browsers show run nothing in the name of the platform', async () => {
    const { files, call } = aModule();
    await files.write('a', Buffer.from('<script>alert(1)</script>'), 'text/html');
    const link = await files.downloadLink('a', { fileName: 'a.html', isInline: true });

    const { headers } = await call('GET', link);

    expect(headers['content-disposition']).toMatch(/^inline/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*form-action 'none'/);
    expect(headers['content-security-policy']).not.toContain('script-src');
  });

  it('answers parts', async () => {
    const { files, call } = aModule();
    await files.write('a', Buffer.from('0123456789'), '');
    const link = await files.downloadLink('a', { fileName: 'a' });

    const part = await call('GET', link, { headers: { range: 'bytes=3-5' } });
    const beyond = await call('GET', link, { headers: { range: 'bytes=10-' } });

    expect(part).toMatchObject({ status: 206, text: '345' });
    expect(part.headers['content-range']).toBe('bytes 3-5/10');
    expect(beyond).toMatchObject({ status: 416, body: { code: 'RANGE_NOT_SATISFIABLE' } });
    expect(beyond.headers['content-range']).toBe('bytes */10');
  });

  it('asks for ranges of a file that no answer holds, and answers no larger ones', async () => {
    const { files, call } = aModule();
    await files.write('a', Buffer.alloc(MAX_PIECE_BYTES + 1), '');
    const link = await files.downloadLink('a', { fileName: 'a' });

    const whole = await call('GET', link);
    const first = await call('GET', link, { headers: { range: 'bytes=0-' } });

    expect(whole).toMatchObject({
      status: 422,
      body: { code: 'FILE_NEEDS_RANGE', maxBytes: MAX_PIECE_BYTES, sizeBytes: MAX_PIECE_BYTES + 1 },
    });
    expect(first.headers['content-range']).toBe(
      `bytes 0-${MAX_PIECE_BYTES - 1}/${MAX_PIECE_BYTES + 1}`,
    );
  });

  it('is refused when the link is made up, has expired, is for uploads or its file is gone', async () => {
    const { files, call, context } = aModule();
    await files.write('a', Buffer.from('x'), '');
    const upload = await files.uploadLink('a', announced('x'));
    const gone = await files.downloadLink('b', { fileName: 'b' });
    const late = await files.downloadLink('a', { fileName: 'a', expiresInSeconds: 60 });

    const answers = [
      await call('GET', `${place.path}?token=abc`),
      await call('GET', upload.url),
      await call('GET', gone),
    ];
    context.clock.advance(60_000);
    answers.push(await call('GET', late));

    expect(answers.map(({ body }) => body.code)).toEqual([
      'FILE_LINK_INVALID',
      'FILE_LINK_INVALID',
      'FILE_NOT_FOUND',
      'FILE_LINK_INVALID',
    ]);
  });
});

describe('PUT of an upload link', () => {
  it('stores what was announced, under its content type', async () => {
    const { files, storage, call } = aModule();
    const { method, url, headers, expiresAt } = await files.uploadLink('in', announced('a,b'));

    const answer = await call(method, url, { headers, body: Buffer.from('a,b') });

    expect(answer.status).toBe(204);
    expect(Buffer.from(storage.files.get('in') ?? []).toString()).toBe('a,b');
    expect(Date.parse(expiresAt)).toBeGreaterThan(0);
  });

  it.each([
    ['another content', 'a,c', 422, 'UPLOAD_MISMATCH'],
    ['more bytes', 'a,b ', 422, 'UPLOAD_MISMATCH'],
    ['too many bytes', 'x'.repeat(MAX_PIECE_BYTES + 1), 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s', async (_, text, status, code) => {
    const { files, storage, call } = aModule();
    const { url } = await files.uploadLink('in', announced('a,b'));

    const answer = await call('PUT', url, { headers: bytesOnly, body: Buffer.from(text) });

    expect(answer).toMatchObject({ status, body: { code } });
    expect(storage.files.size).toBe(0);
  });

  it('does not take a link for downloads', async () => {
    const { files, call } = aModule();
    const link = await files.downloadLink('in', { fileName: 'in' });

    const answer = await call('PUT', link, { headers: bytesOnly, body: Buffer.from('a,b') });

    expect(answer).toMatchObject({ status: 403, body: { code: 'FILE_LINK_INVALID' } });
  });

  it('keeps no token in the table', async () => {
    const { files, context } = aModule();
    const { url } = await files.uploadLink('in', announced('a,b'));
    const token = new URL(url).searchParams.get('token') ?? '';

    expect(token.length).toBeGreaterThan(40);
    expect(JSON.stringify([...context.db.items()])).not.toContain(token);
  });
});
