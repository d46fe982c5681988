import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { unzipSync } from 'fflate';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { readParagraphs } from '../../helpers/docx/independent-reader.ts';
import { makeDocx } from '../../helpers/docx/make-docx.ts';
import { readPdf } from '../../helpers/templates/read-pdf.ts';

const TEMPLATES = '/api/v1/templates';

let api: ApiClient;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'journey', roles: ['admin'] }),
  });
});

describe('a template', () => {
  it('is made once, found, changed and deleted', async () => {
    const code = `contract-${randomUUID()}`;
    const request = {
      body: { code, name: 'Hợp đồng lao động', type: 'TYPE_1' },
      headers: { 'idempotency-key': randomUUID() },
    };

    const made = await api.post(TEMPLATES, request);
    const again = await api.post(TEMPLATES, request);
    const path = `${TEMPLATES}/${made.body.id}`;

    expect([made.status, again.body.id]).toEqual([201, made.body.id]);
    expect((await api.get(`${TEMPLATES}/code/${code}`)).body).toEqual(made.body);
    expect((await api.get(TEMPLATES, { query: { code } })).body.content).toEqual([made.body]);
    const changed = await api.put(path, {
      body: { name: 'Hợp đồng 2026', type: 'TYPE_2' },
      headers: { 'if-match': String(made.headers.etag) },
    });
    expect(changed.body).toMatchObject({ name: 'Hợp đồng 2026', version: 2 });
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).body.status).toBe('DELETED');
    expect((await api.post(TEMPLATES, { body: request.body })).status).toBe(409);
  });
});

const file = (text: string) => makeDocx({ body: `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>` });

const upload = async (path: string, content: Uint8Array) => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(content)]), 'contract.docx');
  const sent = new Response(form);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  return api.put(`${path}/file`, { body: new Uint8Array(await sent.arrayBuffer()), headers });
};

describe('the file of a template', () => {
  it('is stored in versions, described, downloaded, restored and copied', async () => {
    const code = `contract-${randomUUID()}`;
    const { body } = await api.post(TEMPLATES, { body: { code, name: 'x', type: 'TYPE_1' } });
    const path = `${TEMPLATES}/${body.id}`;

    const first = await upload(path, file('{{ho_ten}} [[hotline]]'));
    await upload(path, file('Nothing'));
    const restored = await api.post(`${path}/file-versions/1:restore`);
    const fields = [{ name: 'ho_ten', sourceType: 'ENTITY', sourceRef: 'employee.fullName' }];
    const declared = await api.put(`${path}/merge-fields`, { body: { fields } });

    expect(first.body).toMatchObject({ fileVersion: 1, fields: [{ name: 'ho_ten' }, {}] });
    expect(restored.body).toMatchObject({ fileVersion: 3, fileHash: first.body.fileHash });
    expect((await api.get(`${path}/file-versions`)).body.content).toHaveLength(3);
    expect(declared.body.fields).toMatchObject([{ name: 'ho_ten', bound: true }, { bound: false }]);
    expect((await api.get(`${path}/merge-fields`)).body).toEqual(declared.body);
    expect((await api.get(`${path}/merge-fields/inspect`)).body.unbound).toEqual(['hotline']);
    const unknown = await new SignJWT({ typ: 'docs-plugin', sub: 'x', tid: path.slice(-36) })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'docs-plugin+jwt', kid: 'A'.repeat(43) })
      .setExpirationTime('1h')
      .sign(generateKeyPairSync('ed25519').privateKey);
    const asReader = createApiClient({ baseUrl: cloud.baseUrl, token: unknown });
    expect((await asReader.get(`${path}/merge-fields`)).status).toBe(401);
    const link = await fetch(`${cloud.baseUrl}${path}/file`, {
      headers: { authorization: `Bearer ${await cloud.token({ sub: 'x', roles: ['admin'] })}` },
    });
    expect(link.redirected).toBe(true);
    const bytes = Buffer.from(await link.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(first.body.fileHash);
    const copy = await api.post(`${path}:copy`, { body: { code: `${code}-2` } });
    expect(copy.body.file).toMatchObject({ fileVersion: 1, fileHash: first.body.fileHash });
  });
});

describe('a constant of a tenant', () => {
  it('is added, shown, changed and deleted', async () => {
    const builtins = '/api/v1/builtin-merge-fields';
    const code = `hotline_${randomUUID().slice(0, 8)}`;
    const facts = { label: 'Hotline', value: '1900 1234' };

    const made = await api.post(builtins, { body: { code, ...facts } });
    const texts = await api.post(`${builtins}/resolve`, { body: { codes: [code, 'today'] } });
    const next = await api.put(`${builtins}/${code}`, { body: { ...facts, value: '1' } });

    expect(made.body).toMatchObject({ code, ...facts, version: 1 });
    expect(texts.body[code]).toBe('1900 1234');
    expect(next.body).toMatchObject({ value: '1', version: 2 });
    const company = `Công ty ${code}`;
    await api.post('/api/v1/setting/save', {
      body: { name: 'template.company.name', value: company, desc: '' },
    });
    const shown = async () => {
      const answer = await api.post(`${builtins}/resolve`, { body: { codes: ['companyName'] } });
      return answer.body.companyName;
    };
    await expect.poll(shown, { timeout: 120_000, interval: 500 }).toBe(company);
    const list = await api.get(builtins, { query: { q: code } });
    expect(list.body.content).toMatchObject([{ code, value: '1' }]);
    expect((await api.delete(`${builtins}/${code}`)).status).toBe(204);
    expect((await api.get(`${builtins}/${code}`)).status).toBe(404);
  });
});

describe('a generated document', () => {
  const data = { outputFormat: 'DOCX', entityData: { city: 'Huế' } };

  it('is filled from a record once for its key, kept when finalized and gone when cancelled', async () => {
    const entity = `employee-${randomUUID()}`;
    const uiSchemaJson = { type: 'object', properties: { fullName: { type: 'string' } } };
    const definition = { code: entity, name: 'Employee', uiSchemaJson };
    await api.post('/api/v1/entity-definitions', { body: definition });
    const record = await api.post(`/api/v1/dynamic/${entity}`, { body: { fullName: 'An' } });
    const body = { code: `letter-${randomUUID()}`, name: 'x', type: 'TYPE_1', entityType: entity };
    const { body: template } = await api.post(TEMPLATES, { body });
    const path = `${TEMPLATES}/${template.id}`;
    await upload(path, file('{{ho_ten}}, {{city}}, {{documentNumber}}'));
    const fields = [
      { name: 'ho_ten', sourceType: 'ENTITY', sourceRef: 'fullName', lockedInOutput: true },
    ];
    await api.put(`${path}/merge-fields`, { body: { fields } });
    const request = { body: { ...data, entityId: record.body.id, idempotencyKey: 'k' } };

    const answers = await Promise.all([1, 2].map(() => api.post(`${path}/generate`, request)));
    const headers = { 'idempotency-key': randomUUID() };
    const other = await api.post(`${path}/generate`, { body: data, headers });

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    const [made] = answers;
    expect(new Set(answers.map((answer) => answer.body.generationId)).size).toBe(1);
    expect(made?.body).toMatchObject({ status: 'GENERATED', warningCodes: [] });
    const bytes = Buffer.from(await (await fetch(made?.body.fileUrl)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(made?.body.outputHash);
    const [text = []] = readParagraphs(bytes).get('word/document.xml') ?? [];
    expect(text.map((stretch) => stretch.text).join('')).toMatch(/^An, Huế, 0001\//);
    const preview = await api.post(`${path}/preview`, { body: data });
    expect((await fetch(preview.body.fileUrl)).status).toBe(200);

    const generation = `${path}/generations/${made?.body.generationId}`;
    const final = await api.put(`${generation}/finalize`);
    expect(final.body).toMatchObject({ status: 'FINALIZED', outputHash: made?.body.outputHash });
    expect((await api.put(`${generation}/cancel`)).body.code).toBe('GENERATION_FINALIZED');
    const gone = await api.put(`${path}/generations/${other.body.generationId}/cancel`);
    expect(gone.body).toMatchObject({ status: 'CANCELLED', fileUrl: null });
    expect((await fetch(other.body.fileUrl)).status).toBe(404);
    expect((await api.get(generation)).body.fileUrl).toContain('final.docx');
    const list = await api.get(`${path}/generations`);
    expect(list.body.content).toMatchObject([{ status: 'CANCELLED' }, { status: 'FINALIZED' }]);
  });

  it('is generated by a job for a caller who prefers not to wait, or has many records', async () => {
    const { body: template } = await api.post(TEMPLATES, {
      body: { code: `later-${randomUUID()}`, name: 'x', type: 'TYPE_1' },
    });
    const path = `${TEMPLATES}/${template.id}`;
    await upload(path, file('{{city}}'));
    const headers = { prefer: 'respond-async' };

    const asked = await api.post(`${path}/generate`, { body: data, headers });

    expect([asked.status, asked.headers['preference-applied']]).toEqual([202, 'respond-async']);
    const poll = async () => (await api.get(String(asked.headers.location))).body.status;
    await expect.poll(poll, { timeout: 30_000, interval: 500 }).toBe('GENERATED');
    const records = ['Huế', 'Hội An'].map((city) => ({ entityData: { city } }));
    const batch = await api.post(`${path}/batches`, { body: { outputFormat: 'DOCX', records } });
    expect(batch.status).toBe(202);
    const made = async () => (await api.get(String(batch.headers.location))).body;
    const done = { state: 'DONE', processed: 2, failed: 0 };
    await expect.poll(made, { timeout: 30_000, interval: 500 }).toMatchObject(done);
    const archive = await fetch((await made()).fileUrl);
    expect(Object.keys(unzipSync(new Uint8Array(await archive.arrayBuffer())))).toHaveLength(2);
    const results = await api.get(`${String(batch.headers.location)}/results`);
    expect(results.body.content).toMatchObject([{ index: 0 }, { index: 1, status: 'GENERATED' }]);
    const late = await api.put(`${String(batch.headers.location)}/cancel`);
    expect(late.body.code).toBe('BATCH_ENDED');
  });

  it('is printed, with Vietnamese text that can be found', async () => {
    const { body: template } = await api.post(TEMPLATES, {
      body: { code: `print-${randomUUID()}`, name: 'x', type: 'TYPE_3' },
    });
    const path = `${TEMPLATES}/${template.id}`;
    await upload(path, file('Kính gửi {{ho_ten}}'));

    const body = { outputFormat: 'PDF', entityData: { ho_ten: 'Nguyễn Văn Ấn' } };
    // The first start of the engine may take longer than a request; the same key goes on then.
    let made = await api.post(`${path}/generate`, { body: { ...body, idempotencyKey: 'k' } });
    for (let asked = 1; asked < 4 && [503, 504].includes(made.status); asked += 1) {
      made = await api.post(`${path}/generate`, { body: { ...body, idempotencyKey: 'k' } });
    }

    expect(made.body, JSON.stringify(made.body)).toMatchObject({
      ...{ status: 'GENERATED', format: 'PDF', editStatus: 'NOT_EDITABLE' },
    });
    const bytes = Buffer.from(await (await fetch(made.body.fileUrl)).arrayBuffer());
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(made.body.outputHash);
    const [page] = await readPdf(bytes);
    expect(page?.text).toContain('Kính gửi Nguyễn Văn Ấn');
    const preview = await api.post(`${path}/preview`, { body: { outputFormat: 'PDF' } });
    const shown = await readPdf(
      Buffer.from(await (await fetch(preview.body.fileUrl)).arrayBuffer()),
    );
    expect(shown[0]?.text).toContain('«ho_ten»');
    expect((await api.get('/api/v1/template-files', { query: { token: 'none' } })).status).toBe(
      403,
    );
  });

  it('is ended by the sweep when its function is gone', async () => {
    const lambda = new LambdaClient(cloud.awsClientConfig());

    const { FunctionError } = await lambda.send(
      new InvokeCommand({
        FunctionName: cloud.outputs.functions.templates,
        Payload: JSON.stringify({ task: 'templates.sweep' }),
      }),
    );

    expect(FunctionError).toBeUndefined();
  });
});
