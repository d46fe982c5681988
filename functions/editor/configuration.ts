import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { type ConfigOf, defineSection } from '../../shared/config/section.ts';
import { flag, httpUrl, path, seconds, wholeNumber } from '../../shared/config/values.ts';
import { docsRules } from './configuration-rules.ts';
import { MOST_EARLIER_SECRETS } from './domain/secret-history.ts';

/** Longest life of what has an end (seconds): a year. */
const LONGEST = 31_536_000;

const serverUrl = () =>
  httpUrl().refine(isPlainAddress, 'must have no user name, password, query or fragment');

const schema = () =>
  z.strictObject({
    enabled: flag(false, 'Switches the document-editor integration on; must be explicitly true.'),
    'document-server-url': serverUrl()
      .optional()
      .describe('Address of the editing server for browsers; required when enabled.'),
    'document-server-internal-url': serverUrl()
      .optional()
      .describe(
        'Address of the editing server for calls of the platform, where it differs: commands, and downloads of saved documents.',
      ),
    ca: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Certificate authorities (PEM, or secretsmanager:<id>[#jsonKey]) that calls to the editing server trust.',
      ),
    'allowed-download-origins': z
      .preprocess(asList, z.array(serverUrl()))
      .default([])
      .describe(
        'Further origins that saved documents may be downloaded from, separated by commas.',
      ),
    secret: z
      .string()
      .min(1)
      .optional()
      .describe(
        'JWT secret shared with the editing server, or secretsmanager:<id>[#jsonKey]; required when enabled.',
      ),
    'previous-secret': z
      .preprocess(asArray, z.array(z.string().min(1)).max(MOST_EARLIER_SECRETS))
      .default([])
      .describe(
        'The secret before it was replaced, or a list of those before, so that open sessions can still save; of one in Secrets Manager the versions before are found by themselves.',
      ),
    'token-header': z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of a header')
      .default('Authorization')
      .describe('Header in which the editing server sends its token, after "Bearer ".'),
    'token-expiration': seconds(3_600, 60, 86_400, 'Lifetime of the editor-config JWT (seconds).'),
    'callback-context-token-expiration': seconds(
      90_000,
      1,
      LONGEST,
      'Lifetime of the callback-context token (seconds); at least editor-absolute-lifetime + callback-retry-window.',
    ),
    'editor-absolute-lifetime': seconds(
      86_400,
      1,
      LONGEST,
      'Longest life of an editor session (seconds).',
    ),
    'callback-retry-window': seconds(
      3_600,
      0,
      LONGEST,
      'How long the editing server repeats a callback after the editor ended (seconds).',
    ),
    'presigned-url-expiration': seconds(
      3_600,
      1,
      604_800,
      'Lifetime of a file-access URL (seconds).',
    ),
    'callback-token-required': flag(true, 'A callback needs a valid JWT.'),
    'callback-path': path().default('/api/v1/docs/callback').describe('Path of the save callback.'),
    'internal-base-url': z
      .union([z.literal(''), serverUrl()])
      .default('')
      .describe(
        "Base URL that the editing server reaches the API by, for downloads and callbacks; empty: the request's own.",
      ),
    's3-public-endpoint': serverUrl()
      .optional()
      .describe(
        'Address of S3 in links for the editing server, where it cannot reach the one of the functions.',
      ),
    'max-file-size': wholeNumber(
      104_857_600,
      1_048_576,
      1_073_741_824,
      'Largest document that is saved (bytes).',
    ),
    'max-versions': wholeNumber(
      50,
      1,
      200,
      'Versions of a document that can be opened and restored, each for 90 days.',
    ),
    'plugin-api-base-url': httpUrl()
      .optional()
      .describe('Fallback API URL for the plugin to fetch business variables.'),
    'plugin-script-url': httpUrl()
      .optional()
      .describe(
        'Base script of plugins; default: sdkjs-plugins/v1/plugins.js of the editing server.',
      ),
    'recovery-enabled': flag(
      true,
      'Fetches documents that the editing server could not deliver, every 15 minutes.',
    ),
  });

/** `svc.docs`. */
export const docsSection = defineSection({
  name: 'docs',
  schema,
  pathProperties: ['callback-path'],
  rules: docsRules,
});

export type EditorConfig = PlatformConfig & ConfigOf<typeof docsSection>;

function isPlainAddress(address: string): boolean {
  // Texts that are not addresses have a finding of their own.
  if (!URL.canParse(address)) return true;
  const { username, password, search, hash } = new URL(address);
  return username === '' && password === '' && search === '' && hash === '';
}

const asArray = (value: unknown): unknown => (typeof value === 'string' ? [value] : value);

function asList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
}
