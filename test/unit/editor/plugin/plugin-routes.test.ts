import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  PLUGIN_GUID,
  PLUGIN_PATH,
  pluginSection,
} from '../../../../functions/editor/plugin/plugin-facts.ts';
import { PLUGIN_FILES } from '../../../../functions/editor/plugin/plugin-files.ts';
import { pluginRoutes } from '../../../../functions/editor/plugin/plugin-routes.ts';
import { pluginFolder } from '../../../../functions/editor/plugin-folder.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const SERVER = 'https://docs.example.com';

function aPlugin(svc: Readonly<Record<string, object>> = {}) {
  const docs = { enabled: true, 'document-server-url': `${SERVER}/ds/`, secret: 's'.repeat(32) };
  const context = aContext({ module: 'editor', svc: { ...svc, docs: { ...docs, ...svc.docs } } });
  const module = connect(({ config }) => ({ routes: pluginRoutes(config) }), context);
  return (name: string, method = 'GET', headers = {}) =>
    module.call({ method, path: `${PLUGIN_PATH}/${name}`, caller: null, headers });
}

const directive = (policy: string | undefined, name: string): string =>
  policy?.split('; ').find((part) => part.startsWith(`${name} `)) ?? '';

describe('GET /api/v1/docs/plugins/merge-field/{proxy+}', () => {
  it('serves the files of its list, each with a checksum, to anybody', async () => {
    const get = aPlugin();

    expect(readdirSync(pluginFolder()).sort()).toEqual([...PLUGIN_FILES].sort());
    for (const name of PLUGIN_FILES) {
      const { status, headers } = await get(name);
      expect({ name, status, etag: headers.etag }).toEqual({
        ...{ name, status: 200, etag: expect.stringMatching(/^"[\w-]{22}"$/) },
      });
      const known = await get(name, 'GET', { 'if-none-match': headers.etag });
      expect(known).toMatchObject({ status: 304, text: '' });
      expect(headers['cache-control']).toBe(
        /^(config\.json|index\.html)$/.test(name) ? 'public, no-cache' : 'public, max-age=300',
      );
    }
  });

  it.each([
    '',
    '../plugin-folder.ts',
    '..%2f..%2fdeclaration.ts',
    'icons/icon-light.png',
    'Config.json',
    'config.json%00',
    'constructor',
    '__proto__',
  ])('has no file %j', async (name) => {
    expect((await aPlugin()(name)).status).toBe(404);
  });

  it('takes GET and HEAD only', async () => {
    expect(await aPlugin()('config.json', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await aPlugin()('config.json', 'POST')).status).toBe(405);
  });

  it("loads the editor's script from the configured server, whatever the request says", async () => {
    const get = aPlugin({ docs: { 'plugin-api-base-url': 'https://api.example.com/"><script>' } });

    const { text: page, headers } = await get('index.html?plugin=https://evil.example', 'GET', {
      'x-forwarded-host': 'evil.example',
      host: 'evil.example',
    });

    expect(page).toContain(`<script src="${SERVER}/ds/sdkjs-plugins/v1/plugins.js">`);
    expect(page).not.toMatch(/evil|%[A-Z_]+%|""?><script>/);
    expect(directive(headers['content-security-policy'], 'script-src')).toBe(
      `script-src 'self' 'unsafe-eval' ${SERVER}`,
    );
  });

  it('may be framed by the editing server alone, unless applications are configured', async () => {
    const alone = await aPlugin()('index.html');
    const among = await aPlugin({
      web: { 'cors-origins': ['https://app.example.com'], 'public-url': 'https://api.example.com' },
    })('index.html');
    const open = await aPlugin({ web: { 'cors-origins': ['*'] } })('index.html');

    const framers = [alone, among, open].map(({ headers }) =>
      directive(headers['content-security-policy'], 'frame-ancestors'),
    );
    expect(framers).toEqual([
      `frame-ancestors ${SERVER}`,
      `frame-ancestors ${SERVER} https://api.example.com https://app.example.com`,
      `frame-ancestors ${SERVER}`,
    ]);
    expect(alone.headers).not.toHaveProperty('x-frame-options');
  });

  it('sends requests to the API only', async () => {
    const { headers } = await aPlugin({
      docs: { 'plugin-api-base-url': 'https://fields.example.com/base' },
      web: { 'public-url': 'https://api.example.com' },
    })('index.html');

    expect(directive(headers['content-security-policy'], 'connect-src')).toBe(
      "connect-src 'self' https://api.example.com https://fields.example.com",
    );
  });
});

describe('the configuration of the plugin', () => {
  it('names the id under which the editor hands it its options, and files that exist', () => {
    const config = JSON.parse(readFileSync(join(pluginFolder(), 'config.json'), 'utf8'));
    const [variation] = config.variations;

    expect(config).toMatchObject({ guid: PLUGIN_GUID, baseUrl: '' });
    expect(variation).toMatchObject({ url: 'index.html', EditorsSupport: ['word'] });
    const named = JSON.stringify(variation).match(/icon[\w-]*\.png/g) ?? [];
    expect(named.filter((name) => !PLUGIN_FILES.includes(name))).toEqual([]);
  });

  it('reaches the editor with the facts of the document', () => {
    const facts = { token: 't', templateType: 'TYPE_1', documentId: 'd', locale: 'vi-VN' };

    const section = pluginSection({ publicBase: 'https://api.example.com', ...facts });

    expect(section).toEqual({
      autostart: [],
      pluginsData: [`https://api.example.com${PLUGIN_PATH}/config.json`],
      options: {
        [PLUGIN_GUID]: {
          ...{ apiBaseUrl: 'https://api.example.com', accessToken: 't', templateType: 'TYPE_1' },
          ...{ documentId: 'd', locale: 'vi-VN' },
        },
      },
    });
  });
});
