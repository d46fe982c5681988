import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openApiRoutes } from '../../../functions/settings/platform/openapi-routes.ts';
import { ApiDescription } from '../../../functions/settings/platform/openapi-service.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';
import { loadConfig } from '../../helpers/world/svc-config.ts';
import { whole } from './whole-document.ts';

const files: Readonly<Record<string, string | Buffer>> = {
  'openapi.json': JSON.stringify(whole),
  'reference/index.html': '<p>page</p>',
  'reference/viewer.js.gz': gzipSync('view()'),
  'reference/icon.png': Buffer.from([1, 2, 3]),
};

function anApiDescription(present = files) {
  let reads = 0;
  const assets = {
    read: async (name: string) => {
      reads += 1;
      const file = present[name];
      return file === undefined ? undefined : Buffer.from(file);
    },
  };
  const deployed = { modulesOn: ['settings'], config: loadConfig() };
  return { api: new ApiDescription(assets, deployed), reads: () => reads };
}

const gzip = { 'accept-encoding': 'gzip, br' };

describe('GET /api/v1/openapi.json', () => {
  it('sends the document compressed to those who can take it', async () => {
    const { headers, body } = await anApiDescription().api.document(gzip);

    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
    });
    expect(JSON.parse(gunzipSync(body as Buffer).toString()).openapi).toBe('3.1.1');
  });

  it.each([{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0, br' }])(
    'sends it plain to others: %j',
    async (headers) => {
      const reply = await anApiDescription().api.document(headers);

      expect(reply.headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(String(reply.body)).openapi).toBe('3.1.1');
    },
  );

  it('sends nothing to whoever has it already', async () => {
    const { api } = anApiDescription();
    const { headers } = await api.document(gzip);

    const again = await api.document({ 'if-none-match': `"x", W/${headers?.etag}` });

    expect(again).toMatchObject({ status: 304, headers: { etag: headers?.etag } });
    expect(again.body).toBeUndefined();
  });

  it('makes it once', async () => {
    const { api, reads } = anApiDescription();

    await Promise.all([api.document({}), api.document(gzip)]);

    expect(reads()).toBe(1);
  });

  it('says when the function was bundled without it', async () => {
    await expect(anApiDescription({}).api.document({})).rejects.toThrow(/bundled without/);
  });
});

describe('GET /api/v1/reference', () => {
  it('sends a page that runs nothing but its own scripts', async () => {
    const { headers, body } = await anApiDescription().api.page({});

    expect(String(body)).toBe('<p>page</p>');
    expect(headers?.['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self';/,
    );
  });
});

describe('a browser that comes back from a login', () => {
  it('is shown the page, whatever else is in its address', async () => {
    const { api } = anApiDescription();
    const { call } = connect(
      () => ({ routes: openApiRoutes(api) }),
      aContext({ module: 'settings' }),
    );

    const answer = await call({
      ...{ method: 'GET', path: '/api/v1/reference?code=w1Yc0Zr8&state=x', caller: null },
    });

    expect([answer.status, answer.text]).toEqual([200, '<p>page</p>']);
  });
});

describe('GET /api/v1/reference/{file}', () => {
  it.each([
    ['viewer.js', 'text/javascript; charset=utf-8', 'view()'],
    ['icon.png', 'image/png', '\u0001\u0002\u0003'],
  ])('sends %s, to be kept for an hour', async (name, contentType, text) => {
    const { headers, body } = await anApiDescription().api.file(name, {});

    expect(headers).toMatchObject({
      'content-type': contentType,
      'cache-control': 'public, max-age=3600',
    });
    expect(String(body)).toBe(text);
  });

  it.each(['gone.js', 'openapi.json', 'index.exe'])('knows no %s', async (name) => {
    await expect(anApiDescription().api.file(name, {})).rejects.toMatchObject({
      code: 'ROUTE_NOT_FOUND',
      status: 404,
    });
  });
});
