import * as z from 'zod';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { ConfigOf } from '../../../shared/config/section.ts';
import { isKnown, type Reply } from '../../../shared/http/reply.ts';
import { capability, type Route, route } from '../../../shared/http/route.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { docsSection } from '../configuration.ts';
import { pluginFolder } from '../plugin-folder.ts';
import { PLUGIN_PATH } from './plugin-facts.ts';
import { PLUGIN_FILES, type PluginFile, pluginFiles } from './plugin-files.ts';

type PluginConfig = Pick<PlatformConfig & ConfigOf<typeof docsSection>, 'docs' | 'web'>;

const params = lazy(() =>
  z.strictObject({
    proxy: z
      .string()
      .describe('Name of the file.')
      .meta({ examples: [...PLUGIN_FILES] }),
  }),
);

const headers = {
  'cache-control': 'How long it may be kept.',
  etag: 'Checksum; send it back in If-None-Match.',
  'content-security-policy': 'Of the page: who may frame it, and where it may send requests.',
};

/** The routes of the merge-field plugin's files: public, like the editor that loads them. */
export function pluginRoutes({ docs, web }: PluginConfig): Route[] {
  const find = lazy(() =>
    pluginFiles(pluginFolder(), {
      pluginScript: docs.pluginScriptUrl ?? scriptOf(docs.documentServerUrl ?? ''),
      apiBaseUrl: docs.pluginApiBaseUrl ?? '',
    }),
  );
  const policy = lazy(() => policyOf({ docs, web }));
  return [
    route({
      operationId: 'getPluginFile',
      method: 'GET',
      path: `${PLUGIN_PATH}/{proxy+}`,
      summary: 'Serves a file of the merge-field plugin to the editor',
      access: capability,
      lenient: true,
      params,
      responses: {
        200: { description: 'The file', contentType: 'application/octet-stream', headers },
        304: { description: 'Unchanged', headers },
      },
      handle: async ({ params: { proxy }, headers: sent }) => {
        const file = await find()(proxy);
        if (!file)
          throw httpProblems.routeNotFound({ method: 'GET', path: `${PLUGIN_PATH}/${proxy}` });
        return reply(file, policy(), sent['if-none-match']);
      },
    }),
  ];
}

function reply(
  { bytes, contentType, etag, isEntry }: PluginFile,
  policy: string,
  ifNoneMatch: string | undefined,
): Reply {
  const common = {
    etag,
    'cache-control': isEntry ? 'public, no-cache' : 'public, max-age=300',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'content-security-policy': policy,
  };
  if (isKnown(ifNoneMatch, etag)) return { status: 304, headers: common };
  return { status: 200, body: bytes, headers: { ...common, 'content-type': contentType } };
}

/** The script by which plugins talk to their editor: it comes with the editing server. */
const scriptOf = (documentServerUrl: string): string =>
  `${documentServerUrl.replace(/\/+$/, '')}/sdkjs-plugins/v1/plugins.js`;

/**
 * The page may be framed by the editor and by the applications around it: browsers look at every frame above, so the
 * editing server alone would keep the plugin out of all applications of another origin. The editor's script evaluates
 * texts and adds styles.
 */
function policyOf({ docs, web }: PluginConfig): string {
  const server = originOf(docs.documentServerUrl);
  const own = originOf(web.publicUrl);
  const apps = web.corsOrigins.filter((origin) => origin !== '*');
  const api = originOf(docs.pluginApiBaseUrl);
  return [
    "default-src 'none'",
    source('script-src', "'self'", "'unsafe-eval'", server),
    source('style-src', "'self'", "'unsafe-inline'", server),
    source('img-src', "'self'", 'data:', server),
    source('connect-src', "'self'", own, api),
    "base-uri 'none'",
    "form-action 'none'",
    source('frame-ancestors', server, own, ...apps),
  ].join('; ');
}

const originOf = (url: string | undefined): string => (url ? new URL(url).origin : '');

const source = (directive: string, ...origins: readonly string[]): string =>
  [directive, ...new Set(origins.filter((origin) => origin !== ''))].join(' ');
