import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';

const clientOf = async (tenant: string): Promise<ApiClient> =>
  createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: tenant, tenant, roles: ['admin'] }),
  });

describe('POST /api/v1/clock', () => {
  it('lets an announced import of one tenant expire, in another function', async () => {
    const [one, other] = [await clientOf(randomUUID()), await clientOf(randomUUID())];
    const code = `timed-${randomUUID()}`;
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    await one.post('/api/v1/entity-definitions', { body: { code, name: 'Timed', uiSchemaJson } });
    const announce = async (api: ApiClient) => {
      const body = { format: 'csv', sizeBytes: 4, sha256: '0'.repeat(64) };
      const { headers } = await api.post(`/api/v1/dynamic/${code}/import/uploads`, { body });
      return async () => (await api.get(String(headers.location))).status;
    };
    const uploads = [await announce(one), await announce(other)];

    const advanced = await one.post('/api/v1/clock', { body: { by: 'P8D' } });

    expect(advanced.status, advanced.text).toBe(200);
    expect([await uploads[0]?.(), await uploads[1]?.()]).toEqual([404, 200]);
  });
});
