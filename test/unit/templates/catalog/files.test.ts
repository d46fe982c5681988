import { describe, expect, it } from 'vitest';
import { openDocx } from '../../../../shared/docx/index.ts';
import { makeDocx, zipped } from '../../../helpers/docx/make-docx.ts';
import { aTemplatesApi, ofTenant, TEMPLATES } from '../templates-api.ts';

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const letter = (text = 'Dear {{ho_ten}}, [[city]]') => makeDocx({ body: paragraph(text) });

async function withFile(text?: string) {
  const api = aTemplatesApi();
  const id = await api.aTemplate();
  const uploaded = await api.upload(id, letter(text));
  return { api, id, uploaded, path: `${TEMPLATES}/${id}` };
}

describe('PUT /api/v1/templates/{id}/file', () => {
  it('stores a normalised file and tells of its merge fields', async () => {
    const { api, uploaded, path, id } = await withFile();

    expect(uploaded.status).toBe(200);
    expect(uploaded.body).toMatchObject({
      ...{ templateId: id, fileVersion: 1, fileName: 'letter.docx', warnings: [] },
      fields: [
        { name: 'ho_ten', bound: false, sourceType: null, occurrences: 1 },
        { name: 'city', bound: false, occurrences: 1 },
      ],
    });
    const { fileHash, fileSize } = uploaded.body;
    const file = { fileVersion: 1, fileName: 'letter.docx', fileHash, fileSize };
    expect((await api.get(path)).body).toMatchObject({ version: 2, file });
    const stored = [...api.storage.files].find(([name]) => name.endsWith('.docx'));
    expect(stored?.[0]).toMatch(new RegExp(`^documents/templates/${id}/1-`));
    expect(stored?.[1]).toHaveLength(Number(fileSize));
    const document = (await openDocx(stored?.[1] ?? Buffer.alloc(0))).entries.get(
      'word/document.xml',
    );
    expect(Buffer.from(document ?? []).toString()).toContain('svc:mf:ho_ten');
  });

  it.each([
    ['text', Buffer.from('hello'), 415, 'UNSUPPORTED_FILE_TYPE'],
    ['a broken file', letter().subarray(0, 300), 422, 'INVALID_DOCX'],
    ['another package', zipped({ 'a.txt': 'x' }), 415, 'UNSUPPORTED_FILE_TYPE'],
    [
      'macros',
      makeDocx({ body: '', entries: { 'word/vbaProject.bin': 'x' } }),
      422,
      'MACROS_NOT_ALLOWED',
    ],
  ])('refuses %s', async (_, file, status, code) => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();

    const answer = await api.upload(id, file);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(api.storage.files.size).toBe(0);
  });

  it('needs one file, the version that was read and a template that is not deleted', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();
    const path = `${TEMPLATES}/${id}`;

    const stale = await api.upload(id, letter(), { version: 7 });
    const staleHeader = await api.upload(id, letter(), { headers: { 'if-match': '"7"' } });
    const json = await api.put(`${path}/file`, { file: 'x' });
    const elsewhere = await api.upload(id, letter(), { caller: ofTenant('north') });
    await api.remove(path);
    const deleted = await api.upload(id, letter());

    expect(stale.body.code).toBe('VERSION_CONFLICT');
    expect(staleHeader.status).toBe(412);
    expect(json.status).toBe(415);
    expect(elsewhere.status).toBe(404);
    expect([deleted.status, deleted.body.code]).toEqual([409, 'TEMPLATE_DELETED']);
    expect(api.storage.files.size).toBe(0);
  });

  it.each([
    ['../../secret.docx', 'secret.docx'],
    ['\u0000a\u202etxt.docx', 'atxt.docx'],
    [' ', 'template.docx'],
    [`${'x'.repeat(300)}.docx`, `${'x'.repeat(250)}.docx`],
  ])('shows the name of a file without what nobody sees: %j', async (fileName, shown) => {
    const api = aTemplatesApi();

    const { body } = await api.upload(await api.aTemplate(), letter(), { fileName });

    expect(body.fileName).toBe(shown);
  });

  it('refuses parts with names that no item holds', async () => {
    const api = aTemplatesApi();
    const name = `word/${'h'.repeat(300)}.xml`;
    const file = makeDocx({ body: '', entries: { [name]: '<w:hdr/>' } });

    const { status, body } = await api.upload(await api.aTemplate(), file);

    expect([status, body.code]).toEqual([422, 'DOCX_TOO_COMPLEX']);
    expect(body.detail).toContain('250 bytes');
  });

  it('tells of the beginnings of markers that are very long', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();
    const long = 'long '.repeat(100);
    const { status } = await api.upload(id, letter(`{{a|before:"${long}"}} {{#b}}{{/b}}`));

    const inspected = await api.get(`${TEMPLATES}/${id}/merge-fields/inspect`);
    const restored = await api.post(`${TEMPLATES}/${id}/file-versions/1:restore`);

    expect([status, inspected.status, restored.status]).toEqual([200, 200, 200]);
    expect(inspected.body.fields).toMatchObject([
      { occurrences: [{ raw: expect.stringMatching(/^\{\{a\|before:.{180,200}…$/) }] },
    ]);
  });

  it('gives each of several uploads at once a version of its own', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();

    const answers = await Promise.all([1, 2, 3].map(() => api.upload(id, letter())));

    expect(answers.map(({ body }) => body.fileVersion).sort()).toEqual([1, 2, 3]);
    const documents = [...api.storage.files.keys()].filter((name) => name.endsWith('.docx'));
    expect(documents).toHaveLength(3);
  });
});

describe('versions of a file', () => {
  it('are listed newest first, downloaded and restored', async () => {
    const { api, id, path } = await withFile('{{one}}');
    await api.upload(id, letter('{{two}}'));

    const restored = await api.post(`${path}/file-versions/1:restore`);
    const list = await api.get(`${path}/file-versions`);
    const newest = await api.get(`${path}/file`);
    const second = await api.get(`${path}/file?fileVersion=2`);

    expect(restored.body).toMatchObject({ fileVersion: 3, origin: 'RESTORE', restoredFrom: 1 });
    expect(list.body.content).toMatchObject([
      { fileVersion: 3, fileHash: restored.body.fileHash },
      { fileVersion: 2, origin: 'UPLOAD', restoredFrom: null },
      { fileVersion: 1, fileHash: restored.body.fileHash },
    ]);
    const fields = await api.get(`${path}/merge-fields`);
    expect(fields.body).toMatchObject({ fileVersion: 3, fields: [{ name: 'one' }] });
    const download = async (location: string | undefined) =>
      (await api.get(String(location).replace(/^https?:\/\/[^/]+/, ''), { caller: null })).status;
    expect([newest.status, await download(newest.headers.location)]).toEqual([302, 200]);
    expect([second.status, await download(second.headers.location)]).toEqual([302, 200]);
    expect((await api.get(`${path}/file?fileVersion=9`)).body.code).toBe('FILE_VERSION_NOT_FOUND');
    expect((await api.post(`${path}/file-versions/9:restore`)).status).toBe(404);
  });

  it('are none before the first upload', async () => {
    const api = aTemplatesApi();
    const path = `${TEMPLATES}/${await api.aTemplate()}`;

    expect((await api.get(`${path}/file`)).body.code).toBe('FILE_VERSION_NOT_FOUND');
    expect((await api.get(`${path}/file-versions`)).body.content).toEqual([]);
    expect((await api.get(`${path}/merge-fields`)).body.fields).toEqual([]);
    expect((await api.get(`${path}/merge-fields/inspect`)).body.code).toBe('TEMPLATE_FILE_MISSING');
  });
});

describe('POST /api/v1/templates/{id}:copy', () => {
  it('copies the file and the declarations, or nothing', async () => {
    const { api, path } = await withFile();
    await api.put(`${path}/merge-fields`, {
      fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }],
    });
    const before = api.storage.files.size;

    const copy = await api.post(`${path}:copy`, { code: 'copy' });
    const taken = await api.post(`${path}:copy`, { code: 'copy', name: 'Again' });

    expect(copy).toMatchObject({
      status: 201,
      body: { code: 'copy', name: 'Letter 1', version: 1, file: { fileVersion: 1 } },
    });
    expect(taken.body.code).toBe('TEMPLATE_CODE_EXISTS');
    expect(api.storage.files.size).toBe(before + 2);
    const fields = await api.get(`${TEMPLATES}/${copy.body.id}/merge-fields`);
    expect(fields.body.fields).toMatchObject([
      { name: 'ho_ten', bound: true, lockedInOutput: true, occurrences: 1 },
      { name: 'city', bound: false },
    ]);
  });
});
