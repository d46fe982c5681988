import * as z from 'zod';
import { defineSection, error, warning } from '../../shared/config/section.ts';
import { flag, httpUrl, path, seconds } from '../../shared/config/values.ts';

const schema = z.strictObject({
  enabled: flag(false, 'Switches the document-editor integration on; must be explicitly true.'),
  'document-server-url': httpUrl()
    .optional()
    .describe('Address of the editing server; required when enabled.'),
  secret: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JWT secret shared with the editing server, or secretsmanager:<id>[#jsonKey]; required when enabled.',
    ),
  'token-expiration': seconds(3_600, 60, 86_400, 'Lifetime of the editor-config JWT (seconds).'),
  'callback-context-token-expiration': seconds(
    90_000,
    1,
    31_536_000,
    'Lifetime of the callback-context token (seconds); at least editor-absolute-lifetime + callback-retry-window.',
  ),
  'editor-absolute-lifetime': seconds(
    86_400,
    1,
    31_536_000,
    'Longest life of an editor session (seconds).',
  ),
  'callback-retry-window': seconds(
    3_600,
    0,
    31_536_000,
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
    .union([z.literal(''), httpUrl()])
    .default('')
    .describe("Base URL for file downloads by the editing server; empty: the request's own."),
  'plugin-api-base-url': httpUrl()
    .optional()
    .describe('Fallback API URL for the plugin to fetch business variables.'),
});

/** `svc.docs`. */
export const docsSection = defineSection({
  name: 'docs',
  schema,
  pathProperties: ['callback-path'],
  rules: [
    (docs) =>
      docs.enabled &&
      !docs.documentServerUrl &&
      error(
        'DOCS_SERVER_URL_REQUIRED',
        'svc.docs.document-server-url',
        'is required when svc.docs.enabled is true',
      ),
    (docs) =>
      docs.enabled &&
      !docs.secret &&
      error('DOCS_SECRET_REQUIRED', 'svc.docs.secret', 'is required when svc.docs.enabled is true'),
    (docs) =>
      docs.secret !== undefined &&
      !docs.secret.startsWith('secretsmanager:') &&
      Buffer.byteLength(docs.secret) < 32 &&
      warning(
        'DOCS_SECRET_SHORT',
        'svc.docs.secret',
        'is shorter than the 32 bytes that HS256 asks for',
      ),
    (docs) =>
      docs.callbackContextTokenExpiration <
        docs.editorAbsoluteLifetime + docs.callbackRetryWindow &&
      error(
        'DOCS_CALLBACK_TOKEN_TOO_SHORT',
        'svc.docs.callback-context-token-expiration',
        `must be at least editor-absolute-lifetime + callback-retry-window = ${docs.editorAbsoluteLifetime + docs.callbackRetryWindow}; it is ${docs.callbackContextTokenExpiration}`,
      ),
    (docs) =>
      docs.presignedUrlExpiration > 3_600 &&
      warning(
        'DOCS_PRESIGNED_URL_LONG',
        'svc.docs.presigned-url-expiration',
        'a link signed with role credentials ends with their session, at times sooner',
      ),
    (docs) =>
      docs.enabled &&
      !docs.callbackTokenRequired &&
      warning(
        'DOCS_CALLBACK_UNVERIFIED',
        'svc.docs.callback-token-required',
        'false lets anybody who knows a callback address save documents',
      ),
  ],
});
