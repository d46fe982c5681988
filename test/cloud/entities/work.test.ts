import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';

let api: ApiClient;
let bills: string;

beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'mai', roles: ['admin'] }),
  });
  const code = `bill-${randomUUID().slice(0, 8)}`;
  const text = { type: 'string' };
  const properties = {
    number: { ...text, 'x-number': 'INV-{yyyy}-{0000}' },
    state: { ...text, enum: ['open', 'paid'] },
    owner: text,
    scan: { ...text, format: 'file', 'x-file': { types: ['application/pdf'], maxBytes: 1_000 } },
  };
  const declared = await api.post('/api/v1/entity-definitions', {
    body: { code, name: 'Bill', uiSchemaJson: { type: 'object', properties } },
  });
  expect(declared.status, declared.text).toBe(201);
  bills = `/api/v1/dynamic/${code}`;
});

/** The job at a place, once it has ended. */
async function jobAt(location = '') {
  for (let turn = 0; ; turn += 1) {
    const job = await api.get(location);
    if (['DONE', 'FAILED'].includes(job.body.state) || turn === 240) return job;
    await sleep(500);
  }
}

describe('records of a deployed entity', () => {
  it('get numbers without gaps from clients at the same time', async () => {
    const made = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        api.post(bills, { body: { state: at % 2 ? 'open' : 'paid' } }),
      ),
    );

    expect(made.map(({ status }) => status)).toEqual(Array(16).fill(201));
    const year = new Date().getUTCFullYear();
    expect(made.map(({ body }) => body.number).sort()).toEqual(
      Array.from({ length: 16 }, (_, at) => `INV-${year}-${String(at + 1).padStart(4, '0')}`),
    );
  });

  it('are changed and deleted by filter, each once', async () => {
    const filter = { state: 'open', createdAt: { gte: 'now-1h' } };
    const path = `${bills}/bulk:update`;
    const body = { filter, data: { owner: 'mai' } };
    const foretold = await jobAt(
      (await api.post(path, { body: { ...body, dryRun: true } })).headers.location,
    );
    const changed = await jobAt((await api.post(path, { body })).headers.location);
    const deleted = await jobAt(
      (await api.post(`${bills}/bulk:delete`, { body: { filter: { state: 'paid' } } })).headers
        .location,
    );

    const result = { updated: 8, unchanged: 0, failed: 0 };
    expect(foretold.body, foretold.text).toMatchObject({ state: 'DONE', result });
    expect(changed.body, changed.text).toMatchObject({ state: 'DONE', result });
    expect(deleted.body, deleted.text).toMatchObject({ state: 'DONE', result: { deleted: 8 } });
    const left = await api.get(bills, { query: { owner: 'mai', version: 2 } });
    expect(left.body.totalElements).toBe(8);
  });

  it('have files that are uploaded and downloaded by links', async () => {
    const bytes = Buffer.from('%PDF-1.7 a bill');
    const announced = await api.post(`${bills}/files/uploads`, {
      body: {
        ...{ field: 'scan', fileName: 'hóa đơn.pdf', contentType: 'application/pdf' },
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    });
    expect(announced.status, announced.text).toBe(201);
    const { method, url, headers } = announced.body.upload;
    const early = await api.post(bills, { body: { scan: announced.body.id } });
    const other = await fetch(url, { method, headers, body: Buffer.from(bytes).fill(0x20) });
    const stored = await fetch(url, { method, headers, body: bytes });
    const made = await api.post(bills, { body: { scan: announced.body.id } });
    const linked = await api.get(`${bills}/${made.body.id}/files/scan`);
    const downloaded = await fetch(linked.body.url);
    const purged = await api.delete(`${bills}/${made.body.id}`, { query: { purge: 'true' } });
    const gone = await fetch(linked.body.url);

    expect(early.body).toMatchObject({ status: 400, errors: [{ code: 'FILE_NOT_UPLOADED' }] });
    expect([other.ok, stored.ok]).toEqual([false, true]);
    expect(made.status, made.text).toBe(201);
    expect(downloaded.headers.get('content-type')).toBe('application/pdf');
    expect(downloaded.headers.get('content-disposition')).toContain('attachment');
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(bytes)).toBe(true);
    expect(purged.status, purged.text).toBe(204);
    expect(gone.status).toBe(404);
  });
});
