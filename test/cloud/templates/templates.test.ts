import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';

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
