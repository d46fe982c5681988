import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DownloadRequest } from '../../../../shared/ports/documents.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { ofTenant } from '../templates-api.ts';
import { aGenerationsApi, letter } from './generations-api.ts';

const HASH = /^[0-9a-f]{64}$/;

describe('POST /api/v1/templates/{id}/generate', () => {
  it('fills the file and tells of the document', async () => {
    const world = await aGenerationsApi();

    const { status, headers, body } = await world.generate({ entityData: { ho_ten: 'An & Bình' } });

    expect(status).toBe(201);
    expect(headers.location).toBe(`${world.path}/generations/${body.generationId}`);
    expect(body).toMatchObject({
      ...{
        status: 'GENERATED',
        editStatus: 'EDITABLE',
        format: 'DOCX',
        warningCodes: [],
      },
      fileName: 'HDLD_20260301-163000.docx',
      outputHash: expect.stringMatching(HASH),
      docsEditUrl: expect.stringMatching(/\/api\/v1\/docs\/editor\?fileId=documents.*&mode=edit$/),
    });
    expect(world.textOfOutput()).toBe('Dear An & Bình');
    const [output = ''] = world.outputs();
    expect(output).toMatch(new RegExp(`^documents/generations/${world.templateId}/`));
    const bytes = world.storage.files.get(output) ?? Buffer.alloc(0);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(body.outputHash);
    const link = String(body.fileUrl).replace(/^https?:\/\/[^/]+/, '');
    expect((await world.call({ method: 'GET', path: link, caller: null })).status).toBe(200);
    expect((await world.get(body.generationId)).body).toMatchObject({
      ...{ outputHash: body.outputHash, status: 'GENERATED', createdBy: 'demo' },
    });
  });

  it('makes the same file of the same values', async () => {
    const world = await aGenerationsApi();
    const request = { entityData: { ho_ten: 'An' } };

    const first = await world.generate(request);
    const second = await world.generate(request);

    expect(first.body.outputHash).toBe(second.body.outputHash);
    expect(first.body.generationId).not.toBe(second.body.generationId);
  });

  it('writes a page that runs nothing, and is not edited', async () => {
    const world = await aGenerationsApi();
    const request = { outputFormat: 'HTML', entityData: { ho_ten: '<script>alert(1)</script>' } };

    const { body } = await world.generate(request);

    expect(body).toMatchObject({
      ...{ format: 'HTML', editStatus: 'NOT_EDITABLE', fileName: 'HDLD_20260301-163000.html' },
    });
    expect(body).not.toHaveProperty('docsEditUrl');
    const [output = ''] = world.outputs();
    const page = Buffer.from(world.storage.files.get(output) ?? []).toString();
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script/i);
    expect(createHash('sha256').update(page).digest('hex')).toBe(body.outputHash);
    const { pathname, search } = new URL(String(body.fileUrl));
    const sent = await world.api.get(pathname + search, { caller: null });
    expect([sent.status, sent.text]).toEqual([200, page]);
    expect(sent.headers['content-disposition']).toMatch(/^attachment;/);
    expect((await world.cancel(body.generationId)).body.editStatus).toBe('LOCKED');
  });

  it('links files for as long as those of the editor work', async () => {
    const storage = memoryStorage();
    const links: DownloadRequest[] = [];
    const downloadLink = async (path: string, request: DownloadRequest) => {
      links.push(request);
      return `https://files.example/${path}`;
    };
    const world = await aGenerationsApi({
      storage: { ...storage, downloadLink },
      linkSeconds: 120,
    });

    const { body } = await world.generate();
    await world.get(body.generationId);
    await world.api.post(`${world.path}/preview`, { outputFormat: 'HTML' });
    await world.api.get(`${world.path}/file`);

    expect(links.map(({ expiresInSeconds }) => expiresInSeconds)).toEqual([120, 120, 120, 120]);
    expect(links.some(({ isInline }) => isInline)).toBe(false);
  });

  it('repeats what is computed for the elements of a declared list, without a warning', async () => {
    const world = await aGenerationsApi({
      text: '{{#items}}{{items.total}} {{/items}}{{^items}}nothing{{/items}}',
      fields: [
        { name: 'items', sourceType: 'ENTITY', dataType: 'LIST' },
        { name: 'items.total', sourceType: 'COMPUTED', expression: '2 * items.price' },
      ],
    });
    const items = [{ price: 1 }, { price: 2 }];

    const full = await world.generate({ entityData: { items } });
    const text = world.textOfOutput();
    const empty = await world.generate({ entityData: { items: [] } });
    const forged = await world.generate({ entityData: { items: [{ price: 1, total: 9 }] } });

    expect([text, full.body.warningCodes]).toEqual(['2 4 ', []]);
    expect(empty.body.warningCodes).toEqual([]);
    expect(forged.body.warningCodes).toEqual(['ENTITY_DATA_OVERRIDE_IGNORED']);
  });

  it('uses the version of the file that was asked for', async () => {
    const world = await aGenerationsApi({ text: 'One' });
    await world.upload(world.templateId, letter('Two'));

    const { body } = await world.generate({ fileVersion: 1 });

    expect(body.fileVersion).toBe(1);
    expect(world.textOfOutput()).toBe('One');
    expect((await world.generate({ fileVersion: 7 })).body.code).toBe('FILE_VERSION_NOT_FOUND');
  });

  it('tells of it in the unit that stores it', async () => {
    const world = await aGenerationsApi();

    const { body } = await world.generate({ entityData: { ho_ten: 'An' } });

    expect(world.events()).toEqual([
      [
        'template.generation.generated',
        {
          ...{ templateId: world.templateId, templateCode: 'HDLD', format: 'DOCX', actor: 'demo' },
          ...{ generationId: body.generationId, outputHash: body.outputHash },
          ...{ entityType: null, entityId: null, failure: null },
        },
      ],
    ]);
  });

  it('counts document numbers that a document shows, and no others', async () => {
    const world = await aGenerationsApi({ text: '{{documentNumber}}' });
    const other = await aGenerationsApi();

    const numbers = [];
    for (let count = 0; count < 3; count += 1) {
      numbers.push((await world.generate()).body.documentNumber);
    }

    expect(numbers).toEqual(['0001/2026/HDLD', '0002/2026/HDLD', '0003/2026/HDLD']);
    expect((await other.generate()).body.documentNumber).toBeNull();
    const pattern = { name: 'x', type: 'TYPE_1', numberPattern: 'HD-{yy}{MM}-{seq}' };
    await world.put(world.path, pattern);
    expect((await world.generate()).body.documentNumber).toBe('HD-2603-4');
    const wrong = await world.put(world.path, { ...pattern, numberPattern: '{yyyy}' });
    expect(wrong.body.errors).toMatchObject([{ pointer: '/numberPattern' }]);
  });

  it('refuses what nothing is generated from', async () => {
    const world = await aGenerationsApi({
      fields: [{ name: 'ho_ten', sourceType: 'ENTITY', required: true }],
    });
    const bare = await world.aTemplate();

    const missing = await world.generate();
    const noFile = await world.post(`/api/v1/templates/${bare}/generate`, { outputFormat: 'DOCX' });
    await world.remove(world.path);
    const deleted = await world.generate({ entityData: { ho_ten: 'An' } });

    expect([missing.status, missing.body.code]).toEqual([422, 'REQUIRED_FIELD_MISSING']);
    expect(missing.body.errors).toMatchObject([{ pointer: '/entityData/ho_ten' }]);
    expect([noFile.status, noFile.body.code]).toEqual([409, 'TEMPLATE_FILE_MISSING']);
    expect([deleted.status, deleted.body.code]).toEqual([409, 'TEMPLATE_NOT_ACTIVE']);
    expect((await world.list()).body.content).toEqual([]);
    expect(world.outputs()).toEqual([]);
  });

  it.each([
    [{ outputFormat: 'XLS' }, '/outputFormat'],
    [{ entityId: 'x' }, '/entityId'],
    [{ idempotencyKey: 'a b' }, '/idempotencyKey'],
    [{ entityData: [] }, '/entityData'],
    [{ fileVersion: 0 }, '/fileVersion'],
    [{ color: 1 }, '/color'],
  ])('names what is wrong in %j', async (body, pointer) => {
    const { status, body: problem } = await (await aGenerationsApi()).generate(body);

    expect(status).toBe(400);
    expect(problem.errors).toMatchObject([{ pointer }]);
  });

  it('shows names of missing fields in a preview, which is no generation', async () => {
    const world = await aGenerationsApi({ text: '{{ho_ten}} {{documentNumber}}' });

    const { status, body } = await world.post(`${world.path}/preview`, { outputFormat: 'DOCX' });

    expect(status).toBe(200);
    expect(body).toMatchObject({ format: 'DOCX', fileName: 'HDLD_20260301-163000.docx' });
    expect(body.warningCodes).toContain('FIELD_NOT_BOUND');
    expect((await world.list()).body.content).toEqual([]);
    expect((await world.generate()).body.documentNumber).toBe('0001/2026/HDLD');
  });

  it('keeps to the tenant of the caller and to its permissions', async () => {
    const world = await aGenerationsApi();
    const { body } = await world.generate({ idempotencyKey: 'k' });
    const path = `${world.path}/generations/${body.generationId}`;
    const north = { caller: ofTenant('north') };
    const viewer = { caller: { sub: 'x', permissions: ['template:generation:view'] } };

    expect((await world.generate({ idempotencyKey: 'k' }, north)).status).toBe(404);
    expect((await world.call({ method: 'GET', path, ...north })).status).toBe(404);
    expect((await world.finalize(body.generationId, north)).status).toBe(404);
    expect((await world.cancel(body.generationId, north)).status).toBe(404);
    expect((await world.call({ method: 'GET', path, ...viewer })).status).toBe(200);
    expect((await world.generate({}, viewer)).status).toBe(403);
    expect((await world.cancel(body.generationId, viewer)).status).toBe(403);
  });
});

describe('GET /api/v1/templates/{id}/generations', () => {
  it('lists them newest first, by status and record', async () => {
    const world = await aGenerationsApi({ template: { entityType: 'employee' } });
    const entityId = '0197b4c0-0000-7000-8000-000000000009';
    const first = await world.generate();
    const second = await world.generate({ entityId });
    await world.cancel(first.body.generationId);
    const ids = async (query: string) =>
      ((await world.list(query)).body.content as { generationId: string }[]).map(
        ({ generationId }) => generationId,
      );
    const [one, two] = [first.body.generationId, second.body.generationId];

    expect(await ids('')).toEqual([two, one]);
    expect(await ids('?status=CANCELLED')).toEqual([one]);
    expect(await ids(`?entityId=${entityId}`)).toEqual([two]);
    expect(await ids('?entityType=employee&status=GENERATED')).toEqual([two]);
    expect((await world.list('?size=1')).body).toMatchObject({ last: false, size: 1 });
  });
});
