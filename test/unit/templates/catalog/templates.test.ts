import { describe, expect, it } from 'vitest';
import { makeDocx } from '../../../helpers/docx/make-docx.ts';
import { aTemplatesApi, ofTenant, TEMPLATES } from '../templates-api.ts';

const contract = { code: 'contract', name: 'Hợp đồng', type: 'TYPE_1' };
const codes = (answer: { readonly body: Readonly<Record<string, unknown>> }) =>
  (answer.body.content as readonly { readonly code: string }[]).map(({ code }) => code);

describe('POST /api/v1/templates', () => {
  it('makes an active template, once for each Idempotency-Key', async () => {
    const api = aTemplatesApi();
    const headers = { 'idempotency-key': 'k1' };

    const made = await api.post(TEMPLATES, contract, { headers });
    const again = await api.post(TEMPLATES, contract, { headers });

    expect(made).toMatchObject({
      status: 201,
      headers: { etag: '"1"', location: `${TEMPLATES}/${made.body.id}` },
      body: { ...contract, status: 'ACTIVE', entityType: null, description: null, version: 1 },
    });
    expect(again.body).toEqual(made.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('declares its merge fields with it, or makes nothing', async () => {
    const api = aTemplatesApi();
    const field = { name: 'ho_ten', sourceType: 'ENTITY', required: true };
    const refused = { name: 'rate', sourceType: 'API' };

    const bad = await api.post(TEMPLATES, { ...contract, fields: [field, refused] });
    const made = await api.post(TEMPLATES, { ...contract, fields: [field] });
    const fields = await api.get(`${TEMPLATES}/${made.body.id}/merge-fields`);

    expect([bad.status, bad.body.code]).toEqual([422, 'API_SOURCE_NOT_SUPPORTED']);
    expect(bad.body.errors).toMatchObject([{ pointer: '/fields/1/sourceType' }]);
    expect(made.status).toBe(201);
    expect(fields.body).toMatchObject({ fields: [{ ...field, bound: true, occurrences: 0 }] });
  });

  it('refuses a code that another template of the tenant has, a deleted one too', async () => {
    const api = aTemplatesApi();
    const first = await api.post(TEMPLATES, contract);
    await api.remove(`${TEMPLATES}/${first.body.id}`);

    const second = await api.post(TEMPLATES, contract);
    const elsewhere = await api.post(TEMPLATES, contract, { caller: ofTenant('north') });

    expect(second).toMatchObject({ status: 409, body: { code: 'TEMPLATE_CODE_EXISTS' } });
    expect(elsewhere.status).toBe(201);
  });

  it.each([
    [{ ...contract, type: 'TYPE_4' }, '/type'],
    [{ ...contract, code: 'a/b' }, '/code'],
    [{ ...contract, name: ' ' }, '/name'],
    [{ ...contract, entityType: 'a b' }, '/entityType'],
    [{ ...contract, status: 'ACTIVE' }, '/status'],
  ])('names what is wrong in %j', async (body, pointer) => {
    const { status, body: problem } = await aTemplatesApi().post(TEMPLATES, body);

    expect(status).toBe(400);
    expect(problem.errors).toMatchObject([{ pointer }]);
  });
});

describe('a template', () => {
  it('is read by id and by code, in its tenant only', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate({ code: 'a' }, ofTenant('north'));
    const read = (path: string, tenant: string) => api.get(path, { caller: ofTenant(tenant) });

    for (const path of [`${TEMPLATES}/${id}`, `${TEMPLATES}/code/a`]) {
      expect((await read(path, 'north')).body.id).toBe(id);
      expect(await read(path, 'south')).toMatchObject({
        status: 404,
        body: { code: 'TEMPLATE_NOT_FOUND' },
      });
      expect((await api.get(path)).status).toBe(404);
    }
  });

  it('is replaced by who has read its version, in header, body or both', async () => {
    const api = aTemplatesApi();
    const path = `${TEMPLATES}/${await api.aTemplate({ description: 'Old', entityType: 'loan' })}`;
    const next = { name: 'Next', type: 'TYPE_2' };

    const replaced = await api.put(path, { ...next, version: 1 });
    const stale = await api.put(path, { ...next, version: 1 });
    const staleHeader = await api.put(path, next, { headers: { 'if-match': '"1"' } });
    const torn = await api.put(path, { ...next, version: 2 }, { headers: { 'if-match': '"1"' } });
    const sentBack = await api.put(path, { ...replaced.body, name: 'Third' });

    expect(replaced).toMatchObject({
      status: 200,
      headers: { etag: '"2"' },
      body: { ...next, description: null, entityType: null, version: 2 },
    });
    for (const refused of [stale, staleHeader, torn]) {
      expect(refused).toMatchObject({ status: 412, body: { code: 'VERSION_CONFLICT' } });
    }
    expect(sentBack.body).toMatchObject({ name: 'Third', version: 3, code: 'letter-1' });
  });

  it('is deleted for good, and its record remains', async () => {
    const api = aTemplatesApi();
    const path = `${TEMPLATES}/${await api.aTemplate()}`;

    const stale = await api.remove(path, { headers: { 'if-match': '"7"' } });
    const first = await api.remove(path);
    const again = await api.remove(path, { headers: { 'if-match': '"1"' } });

    expect([stale.status, first.status, again.status]).toEqual([412, 204, 204]);
    expect((await api.get(path)).body).toMatchObject({ status: 'DELETED', version: 2 });
    expect(await api.put(path, { name: 'x', type: 'TYPE_1' })).toMatchObject({
      status: 409,
      body: { code: 'TEMPLATE_DELETED' },
    });
  });

  it('is found, changed and deleted by permission', async () => {
    const api = aTemplatesApi();
    const path = `${TEMPLATES}/${await api.aTemplate()}`;
    const as = (...permissions: string[]) => ({ caller: { sub: 'x', permissions } });

    expect((await api.get(path, as('template:view'))).status).toBe(200);
    expect((await api.post(TEMPLATES, contract, as('template:view'))).status).toBe(403);
    expect((await api.put(path, { name: 'x', type: 'TYPE_1' }, as('template:add'))).status).toBe(
      403,
    );
    expect((await api.remove(path, as('template:edit'))).status).toBe(403);
    expect((await api.get(path, { caller: null })).status).toBe(401);
  });
});

describe('GET /api/v1/templates', () => {
  it('pages, sorts and filters the templates of the tenant', async () => {
    const api = aTemplatesApi();
    await api.aTemplate({ code: 'b', name: 'Đơn xin nghỉ', type: 'TYPE_2' });
    await api.aTemplate({ code: 'a', name: 'Hợp đồng' });
    const gone = await api.aTemplate({ code: 'c', name: 'Hợp đồng cũ' });
    await api.aTemplate({ code: 'other' }, ofTenant('north'));
    await api.remove(`${TEMPLATES}/${gone}`);
    const list = (query = '') => api.get(`${TEMPLATES}${query}`);

    expect(codes(await list())).toEqual(['a', 'b']);
    expect(codes(await list('?sort=-code'))).toEqual(['b', 'a']);
    expect(codes(await list('?sort=name'))).toEqual(['a', 'b']);
    expect(codes(await list('?q=HỢP'))).toEqual(['a']);
    expect(codes(await list('?type=TYPE_2'))).toEqual(['b']);
    expect(codes(await list('?status=DELETED'))).toEqual(['c']);
    expect(codes(await list('?code=b'))).toEqual(['b']);
    expect((await list('?size=1&page=1')).body).toMatchObject({
      ...{ totalElements: 2, totalPages: 2, number: 1, last: true, nextCursor: null },
      content: [{ code: 'b' }],
    });
    expect((await list('?size=1')).body.last).toBe(false);
    expect(await list('?sort=color')).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'sort' }] },
    });
  });
});

describe('docsEditUrl', () => {
  const file = makeDocx({ body: '<w:p/>' });

  it('opens the newest file of an active template in the editor', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate({ type: 'TYPE_2' });
    const bare = await api.get(`${TEMPLATES}/${id}`);
    await api.upload(id, file, { fileName: 'letter.docx' });
    const { body } = await api.get(`${TEMPLATES}/${id}`);
    await api.remove(`${TEMPLATES}/${id}`);

    const url = new URL(String(body.docsEditUrl));
    expect(url.origin).toBe('http://api.example.com');
    expect(url.pathname).toBe('/api/v1/docs/editor');
    const { fileId, ...query } = Object.fromEntries(url.searchParams);
    expect(query).toEqual({
      ...{ fileName: 'letter.docx', documentId: id, templateType: 'TYPE_2', mode: 'edit' },
    });
    expect(api.storage.files.has(String(fileId))).toBe(true);
    expect(body.file).not.toHaveProperty('path');
    expect(bare.body).not.toHaveProperty('docsEditUrl');
    expect((await api.get(`${TEMPLATES}/${id}`)).body).not.toHaveProperty('docsEditUrl');
  });

  it('begins with the public address, and is absent without an editor', async () => {
    const svc = { web: { 'public-url': 'https://docs.example.com' } };
    const open = aTemplatesApi({ svc });
    const closed = aTemplatesApi({ hasEditor: false });
    const shown = async (api: typeof open) => {
      const id = await api.aTemplate();
      await api.upload(id, file);
      const made = await api.post(`${TEMPLATES}/${id}/generate`, { outputFormat: 'DOCX' });
      return [(await api.get(`${TEMPLATES}/${id}`)).body.docsEditUrl, made.body.docsEditUrl];
    };

    const links = await shown(open);

    const begin = expect.stringMatching(/^https:\/\/docs\.example\.com\/api\/v1\/docs\/editor\?/);
    expect(links).toEqual([begin, begin]);
    expect(await shown(closed)).toEqual([undefined, undefined]);
  });
});
