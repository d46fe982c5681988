import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { anEditorApi, LETTER, pathOf, SECRET } from '../editor-api.ts';

const LARGE = 4 * 1_048_576 + 1;

async function aDownload(options: Parameters<typeof anEditorApi>[0] = {}, fileId = LETTER) {
  const api = anEditorApi(options);
  if (!api.storage.files.has(fileId)) api.storage.files.set(fileId, Buffer.from('letter'));
  const { document } = await api.opened({ fileId, fileName: 'a.docx' });
  const path = pathOf(document.url);
  const download = (more: object = {}, at = path) => api.get(at, { caller: null, ...more });
  return { ...api, path, url: document.url, download };
}

describe('GET /api/v1/docs/file/**', () => {
  it('gives the file to whoever has its token, as often as it is asked for', async () => {
    const { download } = await aDownload();

    const answers = [await download(), await download(), await download()];

    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([200, 'letter']);
      expect(headers).toMatchObject({
        'content-type': expect.stringContaining('wordprocessingml'),
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'attachment; filename=letter.docx',
      });
    }
  });

  it.each([
    'documents/a b.docx',
    'documents/50%.docx',
    'documents/50%25.docx',
    'documents/a+b.docx',
    'documents/a#1?.docx',
    'documents/Hợp đồng/lao động số 1.docx',
    "documents/it's (1) & [2].docx",
  ])('gives %s, however the gateway hands its path on', async (fileId) => {
    const { download, path } = await aDownload({}, fileId);
    const [encoded = '', query = ''] = path.split('?');

    const sent = await download();

    expect([sent.status, sent.text]).toEqual([200, 'letter']);
    if (/[?]/.test(fileId)) return;
    const decoded = await download({}, `${decodeURIComponent(encoded)}?${query}`);
    expect([decoded.status, decoded.text]).toEqual([200, 'letter']);
  });

  it('gives a single range', async () => {
    const { download } = await aDownload();

    const { status, text, headers } = await download({ headers: { range: 'bytes=1-3' } });

    expect([status, text, headers['content-range']]).toEqual([206, 'ett', 'bytes 1-3/6']);
  });

  it('refuses a range beyond the end', async () => {
    const { download } = await aDownload();

    const { status, headers } = await download({ headers: { range: 'bytes=6-' } });

    expect([status, headers['content-range']]).toEqual([416, 'bytes */6']);
  });

  it('leads to another host for more than 4 MiB, for at most 5 minutes', async () => {
    const asked: unknown[] = [];
    const { storage } = anEditorApi();
    storage.downloadLink = async (path, { expiresInSeconds }) => {
      asked.push([path, expiresInSeconds]);
      return 'https://files.example.com/x?signed';
    };
    storage.files.set(LETTER, Buffer.alloc(LARGE));
    const { download, url } = await aDownload({ storage });

    const { status, headers } = await download();

    expect([status, headers.location]).toEqual([302, 'https://files.example.com/x?signed']);
    expect(asked).toEqual([[LETTER, 300]]);
    expect(new URL(headers.location ?? '').host).not.toBe(new URL(url).host);
  });

  it('gives a link no longer than the token lives', async () => {
    const asked: unknown[] = [];
    const { storage } = anEditorApi();
    storage.downloadLink = async (_, { expiresInSeconds }) => {
      asked.push(expiresInSeconds);
      return 'https://files.example.com/x';
    };
    storage.files.set(LETTER, Buffer.alloc(LARGE));
    const { download, context } = await aDownload({ storage });
    context.clock.advance(3_590_000);

    await download();

    expect(asked).toEqual([10]);
  });

  it('demands a token', async () => {
    const { download, path } = await aDownload();

    const answers = [
      await download({}, path.split('?')[0]),
      await download({}, `${path.split('?')[0]}?accessToken=`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 403]);
  });

  it('refuses the token of another file, one that has expired and one that was changed', async () => {
    const { download, path, context } = await aDownload();
    const [own = '', query = ''] = path.split('?');

    const other = await download({}, `${own.replace('letter', 'other')}?${query}`);
    const changed = await download({}, `${path.slice(0, -3)}abc`);
    context.clock.advance(3_600_000);
    const late = await download();

    expect([other, changed, late].map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(late.body.code).toBe('ACCESS_TOKEN_INVALID');
  });

  it('takes no other token of the platform or of the editing server', async () => {
    const { opened, download, path } = await aDownload();
    const { token, editorConfig } = await opened();
    const context = new URL(editorConfig.callbackUrl ?? '').searchParams.get('contextToken');
    const byServer = await new SignJWT({ typ: 'docs-file', fid: LETTER, dl: true })
      .setProtectedHeader({ alg: 'HS256', typ: 'docs-file+jwt' })
      .setExpirationTime('5m')
      .sign(Buffer.from(SECRET));

    const [own] = path.split('?');
    const tried = [token, context, byServer].map((each) =>
      download({}, `${own}?accessToken=${each}`),
    );

    expect((await Promise.all(tried)).map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('answers 404 for a file that is gone', async () => {
    const { download, storage } = await aDownload();
    storage.files.delete(LETTER);

    expect((await download()).status).toBe(404);
  });

  it('ignores what else the editing server writes into the query', async () => {
    const { download, path } = await aDownload();

    expect((await download({}, `${path}&shardkey=1`)).status).toBe(200);
  });
});

describe('a document whose user may not download it', () => {
  const noDownload = { docsEditorPermissionResolver: { resolve: () => ({ download: false }) } };
  const signed = (payload: object, nowMs: number, secret = SECRET) =>
    new SignJWT({ payload })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(nowMs / 1_000) + 300)
      .sign(Buffer.from(secret));

  it('is given to the editing server only', async () => {
    const { download, url, context } = await aDownload({ also: noDownload });
    const now = context.machineClock.now();
    const header = async (token: Promise<string>) => ({
      headers: { authorization: `Bearer ${await token}` },
    });

    const bare = await download();
    const server = await download(await header(signed({ url }, now)));
    const otherFile = await download(
      await header(signed({ url: url.replace('letter', 'other') }, now)),
    );
    const otherSecret = await download(await header(signed({ url }, now, 'x'.repeat(32))));
    const noPayload = await download(await header(signed({ key: 'x' }, now)));

    expect([bare, server, otherFile, otherSecret, noPayload].map(({ status }) => status)).toEqual([
      ...[403, 200, 403, 403, 403],
    ]);
  });

  it.each([
    ['another host', (url: string) => url.replace('api.example.com', 'pictures.example.net')],
    ['another port', (url: string) => url.replace('api.example.com', 'api.example.com:8443')],
  ])('is not given for what the editing server has signed for %s', async (_, elsewhere) => {
    const { download, url, context } = await aDownload({ also: noDownload });
    const foreign = elsewhere(url);
    const token = await signed({ url: foreign }, context.machineClock.now());

    const { status } = await download({ headers: { authorization: `Bearer ${token}` } });

    expect([foreign === url, status]).toEqual([false, 403]);
  });

  it('is given by its internal address', async () => {
    const docs = { 'internal-base-url': 'http://platform.internal:8080/' };
    const { download, url, context } = await aDownload({ also: noDownload, docs });
    const token = await signed({ url }, context.machineClock.now());

    const { status } = await download({ headers: { authorization: `Bearer ${token}` } });

    expect([new URL(url).origin, status]).toEqual(['http://platform.internal:8080', 200]);
  });

  it('is not given for the token of a file whose path ends alike', async () => {
    const { download, url, context } = await aDownload({ also: noDownload });
    const other = url.replace('documents/letter', 'documents/sub/documents/letter');
    const token = await signed({ url: other }, context.machineClock.now());

    const { status } = await download({ headers: { authorization: `Bearer ${token}` } });

    expect([other === url, status]).toEqual([false, 403]);
  });

  it('is given by the header that the configuration names', async () => {
    const docs = { 'token-header': 'AuthorizationJwt' };
    const { download, url, context } = await aDownload({ also: noDownload, docs });
    const token = await signed({ url }, context.machineClock.now());

    const { status } = await download({ headers: { authorizationjwt: `Bearer ${token}` } });

    expect(status).toBe(200);
  });
});
