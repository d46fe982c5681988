import { jwtVerify } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import type { DocsEditorAuthorizationService } from '../../../../shared/ports/documents.ts';
import { anEditorApi, claimsOf, LETTER, SECRET } from '../editor-api.ts';

const allow: DocsEditorAuthorizationService = { canOpen: () => true };

describe('GET /api/v1/docs/editor', () => {
  it('answers the configuration as the constructor of the editor takes it', async () => {
    const { open } = anEditorApi();

    const { status, headers, body } = await open({ templateType: 'TYPE_1' });

    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      documentServerUrl: 'https://docs.example.com/',
      apiJsUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
      documentType: 'word',
      type: 'desktop',
      document: {
        fileType: 'docx',
        key: expect.stringMatching(/^[0-9a-zA-Z_=-]{43}$/),
        title: 'Letter.docx',
        permissions: { edit: true, download: true, protect: true },
      },
      editorConfig: { mode: 'edit', lang: 'vi', region: 'vi-VN', user: { id: 'demo' } },
    });
  });

  it('answers the same under its alias', async () => {
    const { get } = anEditorApi();
    const query = `fileId=${LETTER}&fileName=a.docx&documentId=1`;

    const { status } = await get(`/api/v1/docs/config/editor?${query}`);

    expect(status).toBe(200);
  });

  it('signs everything but the two addresses with the secret, for an hour', async () => {
    const { opened, context } = anEditorApi();

    const { token, documentServerUrl: _, apiJsUrl: __, ...signed } = await opened();

    const currentDate = new Date(context.machineClock.now());
    const { payload, protectedHeader } = await jwtVerify(token, Buffer.from(SECRET), {
      currentDate,
    });
    const { iat = 0, exp = 0, ...claims } = payload;
    expect(claims).toEqual(signed);
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(exp - iat).toBe(3_600);
  });

  it.each([
    ['edit', 'edit', [true, true, true, true], true, 'desktop'],
    ['view', 'view', [false, false, false, false], false, 'desktop'],
    ['review', 'edit', [false, true, false, false], true, 'desktop'],
    ['comment', 'edit', [false, false, true, false], true, 'desktop'],
    ['fillForms', 'edit', [false, false, false, true], true, 'desktop'],
    ['embedded', 'view', [false, false, false, false], false, 'embedded'],
  ])('opens in the mode %s', async (mode, shown, rights, saves, type) => {
    const { opened } = anEditorApi();

    const config = await opened({ mode });

    const { edit, review, comment, fillForms } = config.document.permissions;
    expect([edit, review, comment, fillForms]).toEqual(rights);
    expect(config).toMatchObject({ type, editorConfig: { mode: shown } });
    expect('callbackUrl' in config.editorConfig).toBe(saves);
  });

  it.each([
    ['a.xlsx', 'cell', 'edit'],
    ['a.pptx', 'slide', 'edit'],
    ['a.pdf', 'pdf', 'view'],
    ['a.odt', 'word', 'view'],
    ['a.vsdx', 'diagram', 'view'],
    ['A.DOCX', 'word', 'edit'],
  ])('opens %s in the editor %s to %s', async (fileName, documentType, mode) => {
    const { opened } = anEditorApi();

    const config = await opened({ fileName });

    expect(config).toMatchObject({ documentType, editorConfig: { mode } });
  });

  it('opens a PDF for filling in forms', async () => {
    const { opened } = anEditorApi();

    const config = await opened({ fileName: 'a.pdf', mode: 'fillForms' });

    expect(config.editorConfig.mode).toBe('edit');
  });

  it('lets nobody change controls of a template whose fields are all bound, unless it is edited', async () => {
    const { opened } = anEditorApi();
    const mayChange = async (query: object) =>
      (await opened(query)).document.permissions.modifyContentControl;

    expect(await mayChange({ templateType: 'TYPE_2', mode: 'review' })).toBe(false);
    expect(await mayChange({ templateType: 'TYPE_1', mode: 'review' })).toBe(true);
    expect(await mayChange({ templateType: 'TYPE_2', mode: 'edit' })).toBe(true);
  });

  it('begins addresses for the editing server with the internal address', async () => {
    const { opened } = anEditorApi({ docs: { 'internal-base-url': 'http://gateway:8080/v1/' } });

    const { document, editorConfig } = await opened();

    expect(document.url).toMatch(
      /^http:\/\/gateway:8080\/v1\/api\/v1\/docs\/file\/documents\/letter\.docx\?/,
    );
    expect(editorConfig.callbackUrl).toMatch(
      /^http:\/\/gateway:8080\/v1\/api\/v1\/docs\/callback\?/,
    );
    expect(document.referenceData.instanceId).toBe('http://api.example.com');
  });

  it('begins no address with what a caller writes into a header', async () => {
    const { opened } = anEditorApi();
    const headers = { 'x-forwarded-host': 'evil.example', host: 'evil.example' };

    const config = await opened({}, { headers });

    expect(JSON.stringify(config)).not.toContain('evil');
    expect(config.document.url).toMatch(/^http:\/\/api\.example\.com\//);
  });

  it('says in the tokens of its addresses what was opened, by whom and until when', async () => {
    const { opened } = anEditorApi();

    const { document, editorConfig } = await opened({ templateType: 'TYPE_3' });

    const file = claimsOf(document.url);
    const context = claimsOf(editorConfig.callbackUrl);
    const shared = { fid: LETTER, did: 'doc-1', sub: 'demo', key: document.key };
    expect(file).toMatchObject({ typ: 'docs-file', dl: true, ...shared });
    expect(context).toMatchObject({ typ: 'docs-cb', mode: 'edit', tt: 'TYPE_3', ...shared });
    expect(Number(file.exp) - Number(file.iat)).toBe(3_600);
    expect(Number(context.exp) - Number(context.iat)).toBe(90_000);
  });

  it('gives a title without folders and control characters', async () => {
    const { opened } = anEditorApi();

    const { document } = await opened({ fileName: `..\\x/${'Hợp đồng '.repeat(25)}.docx` });

    expect(document.title).toMatch(/^Hợp đồng .*\.docx$/);
    expect([...document.title].length).toBeLessThanOrEqual(128);
  });

  it('takes the language from the browser', async () => {
    const { opened } = anEditorApi();
    const headers = { 'accept-language': 'fr-CH;q=0.5, de-DE;q=0.9, *;q=0.1' };

    const { editorConfig } = await opened({}, { headers });

    expect(editorConfig).toMatchObject({ lang: 'de', region: 'de-DE' });
  });
});

describe('who may open a document', () => {
  it.each([
    ['none', []],
    ['two', [allow, allow]],
  ])(
    'nobody where the host has %s authorization services, whatever is asked',
    async (_, services) => {
      const { open, context, storage } = anEditorApi({
        also: { docsEditorAuthorizationServices: services },
      });

      const answers = [await open(), await open({ fileId: '../x', mode: 'nonsense' })];

      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [403, 'FORBIDDEN'],
        [403, 'FORBIDDEN'],
      ]);
      expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
      expect(
        context.log.lines.some(({ code }) =>
          /^DOCS_AUTHORIZATION_SERVICE_(MISSING|AMBIGUOUS)$/.test(String(code)),
        ),
      ).toBe(true);
      expect(storage.asked.size).toBe(0);
    },
  );

  it.each([
    ['false', () => false],
    ['no boolean', () => 'yes' as unknown as boolean],
    ['an error', () => Promise.reject(new Error('directory is down'))],
    [
      'a thrown error',
      () => {
        throw new Error('broken');
      },
    ],
  ])('nobody where the service answers %s', async (_, canOpen) => {
    const { open, storage } = anEditorApi({
      also: { docsEditorAuthorizationServices: [{ canOpen }] },
    });

    const { status } = await open({ fileId: 'documents/absent.docx' });

    expect(status).toBe(403);
    expect(storage.asked.size).toBe(0);
  });

  it('asks with the mode that was requested, the user and the principal', async () => {
    const canOpen = vi.fn<DocsEditorAuthorizationService['canOpen']>(() => true);
    const { open } = anEditorApi({ also: { docsEditorAuthorizationServices: [{ canOpen }] } });

    await open({ fileName: 'a.pdf', mode: 'review' });

    const [query, userId, principal] = canOpen.mock.calls[0] ?? [];
    expect(query).toEqual({
      ...{ fileId: LETTER, fileName: 'a.pdf', documentId: 'doc-1', mode: 'review' },
    });
    expect([userId, principal?.id]).toEqual(['demo', 'demo']);
  });

  it.each([
    [['docs:view'], 'view', 200],
    [['docs:view'], 'embedded', 200],
    [['docs:view'], 'edit', 403],
    [['docs:view'], 'comment', 403],
    [['docs:edit'], 'fillForms', 200],
    [['docs:edit'], 'view', 200],
    [['docs:*'], 'edit', 200],
    [['template:edit'], 'view', 403],
  ])('somebody with %s to %s: %d', async (permissions, mode, expected) => {
    const { open } = anEditorApi();

    const { status } = await open({ mode }, { caller: { sub: 'lan', permissions } });

    expect(status).toBe(expected);
  });

  it('demands a token', async () => {
    const { open } = anEditorApi();

    expect((await open({}, { caller: null })).status).toBe(401);
  });

  it('narrows what a user may take out, and shows another name', async () => {
    const { opened } = anEditorApi({
      also: {
        docsEditorPermissionResolver: {
          resolve: () => ({ download: false, print: false, displayName: 'Lan' }),
        },
      },
    });

    const { document, editorConfig } = await opened();

    expect(document.permissions).toMatchObject({ download: false, print: false, copy: true });
    expect(editorConfig.user.name).toBe('Lan');
    expect(claimsOf(document.url)).toMatchObject({ dl: false });
  });
});

describe('what is refused', () => {
  it.each<[object, string]>([
    [{ fileId: undefined }, 'fileId'],
    [{ fileName: undefined }, 'fileName'],
    [{ documentId: undefined }, 'documentId'],
    [{ mode: 'write' }, 'mode'],
    [{ templateType: 'TYPE_4' }, 'templateType'],
    [{ colour: 'red' }, 'colour'],
    ...[
      ...['../x', 'a/../../x', 'documents/%2e%2e%2fx', 'documents/..\\x', '/abs', 'documents//x'],
      ...['documents/\u0000x', 'documents/', `documents/${'x'.repeat(1_020)}`, 'documents/./x'],
    ].map((fileId): [object, string] => [{ fileId }, 'fileId']),
  ])('%j is a 400 that names %s, before the storage is asked', async (query, parameter) => {
    const { open, storage } = anEditorApi();

    const { status, body } = await open(query);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter }]);
    expect(storage.asked.size).toBe(0);
  });

  it('answers 404 for a file that does not exist', async () => {
    const { open } = anEditorApi();

    const { status, body } = await open({ fileId: 'documents/absent.docx' });

    expect([status, body.code]).toEqual([404, 'DOCS_FILE_NOT_FOUND']);
  });

  it.each([
    ...['outbox/2026/x.docx', 'entities/exports/x.docx', 'workflow/cases/x.docx'],
    ...['templates/locks/x.docx', 'documents/previews/x.docx'],
    ...['documents/batches/anna/x.pdf', 'documents/.changes/x.docx'],
  ])('answers 404 for %s, which a module keeps for itself', async (fileId) => {
    const { open, storage } = anEditorApi();
    storage.files.set(fileId, Buffer.from('secret'));

    const { status } = await open({ fileId });

    expect(status).toBe(404);
    expect(storage.asked.has(fileId)).toBe(false);
  });

  it('answers 415 for a file that no editor opens', async () => {
    const { open } = anEditorApi();

    const { status, body } = await open({ fileName: 'a.exe' });

    expect([status, body.code]).toEqual([415, 'DOCS_FILE_TYPE_UNSUPPORTED']);
  });

  it('refuses more than 4 MiB of a storage that makes no links', async () => {
    const { downloadLink: _, ...storage } = anEditorApi().storage;
    const { open } = anEditorApi({ also: { storage } });
    storage.files.set(LETTER, Buffer.alloc(4 * 1_048_576 + 1));

    const { status, body } = await open();

    expect([status, body.code]).toEqual([422, 'DOCS_FILE_TOO_LARGE']);
  });
});
