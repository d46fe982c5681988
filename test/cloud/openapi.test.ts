import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';

const anybody = () => createApiClient({ baseUrl: cloud.baseUrl });

describe('GET /api/v1/openapi.json', () => {
  it('describes what is deployed, to anybody', async () => {
    const api = anybody();

    const { body } = await api.get('/api/v1/openapi.json');

    const health = await api.get('/api/v1/health');
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
    expect(Object.keys(body.paths)).toContain('/api/v1/setting/save');
    expect(health.body.modules).toContain('settings');
    expect(JSON.stringify(body)).not.toMatch(/x-module|x-when|x-config/);
  });

  it('is sent once: later calls learn that nothing changed', async () => {
    const api = anybody();
    const { headers } = await api.get('/api/v1/openapi.json');

    const again = await api.get('/api/v1/openapi.json', {
      headers: { 'if-none-match': headers.etag ?? '' },
    });

    expect(again.status).toBe(304);
  });
});

describe('GET /api/v1/reference', () => {
  it('shows a page whose files are all served here', async () => {
    const api = anybody();

    const page = await api.get('/api/v1/reference');

    const files = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\/api\/v1\/reference\//);
      expect((await api.get(file)).status).toBe(200);
    }
  });

  it('has no file of any other name', async () => {
    const missing = await anybody().get('/api/v1/reference/missing.js');

    expect(missing).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });
});
