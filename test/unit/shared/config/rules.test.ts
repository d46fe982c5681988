import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  ConfigError,
  defineSection,
  loadConfig as load,
  warning,
} from '../../../../shared/config/index.ts';
import { loadConfig, validateConfig } from '../../../helpers/world/svc-config.ts';

type Raw = Readonly<Record<string, unknown>>;

function issuesOf(raw: Raw, stage = 'dev') {
  try {
    return validateConfig(loadConfig(raw, { stage }), { stage });
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
}

const inlineIssuer = {
  issuer: 'https://a.example.com',
  audience: 'x',
  jwks: { keys: [{ kty: 'EC' }] },
};
const plainIssuer = { issuer: 'http://a.example.com', audience: 'x' };
const issuer = { issuer: 'https://a.example.com', audience: 'x' };
const docs = {
  'docs.enabled': true,
  'docs.document-server-url': 'https://docs.example.com',
  'docs.secret': 'secretsmanager:svc-cloud/docs',
};

describe('an error of the configuration', () => {
  it.each([
    ['MQ_APP_CODE_REQUIRED', 'svc.mq.app-code', { 'mq.relay.enabled': true }],
    [
      'MQ_TABLES_EQUAL',
      'svc.mq.message-tracking-table',
      { 'mq.message-tracking-table': 'message' },
    ],
    ['MQ_TABLE_TAKEN', 'svc.mq.message-table', { 'mq.message-table': 'setting' }],
    ['MQ_TABLE_TAKEN', 'svc.mq.message-tracking-table', { 'mq.message-tracking-table': 'IDEM' }],
    [
      'MQ_PROXY_NEEDS_BROKER',
      'svc.mq.broker-template-proxy-enabled',
      { 'mq.broker-template-proxy-enabled': true },
    ],
    [
      'MQ_RELAY_RATE_TOO_SHORT',
      'svc.mq.relay.schedule-trigger.fixed-rate',
      {
        'mq.relay.enabled': true,
        'mq.app-code': 'a',
        'mq.relay.schedule-trigger.fixed-rate': '999ms',
      },
    ],
    [
      'MQ_RELAY_CRON_INVALID',
      'svc.mq.relay.schedule-trigger.cron-expression',
      {
        'mq.relay.schedule-trigger': { 'trigger-type': 'CRON', 'cron-expression': '*/10 * * * *' },
      },
    ],
    [
      'MQ_RELAY_CRON_INVALID',
      'svc.mq.relay.schedule-trigger.cron-expression',
      {
        'mq.relay.schedule-trigger': { 'trigger-type': 'CRON', 'cron-expression': '0 99 * * * *' },
      },
    ],
    [
      'DOCS_SERVER_URL_REQUIRED',
      'svc.docs.document-server-url',
      { ...docs, 'docs.document-server-url': undefined },
    ],
    ['DOCS_SECRET_REQUIRED', 'svc.docs.secret', { ...docs, 'docs.secret': undefined }],
    ...['secret', 'VerySecretString', 'my_jwt_secret'].map(
      (secret): [string, string, Readonly<Record<string, unknown>>] => [
        ...(['DOCS_SECRET_KNOWN', 'svc.docs.secret'] as const),
        { ...docs, 'docs.secret': secret },
      ],
    ),
    [
      'DOCS_SECRET_KNOWN',
      'svc.docs.previous-secret',
      { ...docs, 'docs.previous-secret': ['of-the-year-before', 'changeme'] },
    ],
    [
      'DOCS_SECRET_SAME',
      'svc.docs.previous-secret',
      { ...docs, 'docs.previous-secret': ['another', docs['docs.secret']] },
    ],
    [
      'DOCS_SECRET_SAME',
      'svc.docs.previous-secret',
      { ...docs, 'docs.previous-secret': docs['docs.secret'] },
    ],
    [
      'DOCS_SECRET_REFERENCE',
      'svc.docs.secret',
      { ...docs, 'docs.secret': 'secretsmanager:arn:aws:secretsmanager:x:1:secret:y' },
    ],
    [
      'DOCS_FILE_OUTLIVES_CONTEXT',
      'svc.docs.presigned-url-expiration',
      { 'docs.presigned-url-expiration': 90_001 },
    ],
    ...[
      ...['/api/v1/docs/file', '/api/v1/docs/file/callback', '/api/v1/docs/plugins/x'],
      ...['/api/v1/docs', '/api/v1/docs/editor', '/api/v1/docs/config'],
    ].map((path): [string, string, Readonly<Record<string, unknown>>] => [
      ...(['DOCS_CALLBACK_PATH_TAKEN', 'svc.docs.callback-path'] as const),
      { 'docs.callback-path': path },
    ]),
    [
      'DOCS_CALLBACK_TOKEN_TOO_SHORT',
      'svc.docs.callback-context-token-expiration',
      { 'docs.callback-context-token-expiration': 89_999 },
    ],
    [
      'WEB_PAGE_SIZE',
      'svc.web.page-size-default',
      { 'web.page-size-default': 50, 'web.page-size-max': 49 },
    ],
    [
      'WEB_CORS_ORIGINS',
      'svc.web.cors-origins',
      { 'web.cors-origins': ['*', 'https://a.example.com'] },
    ],
    ['WEB_PUBLIC_URL', 'svc.web.public-url', { 'web.public-url': 'http://api.example.com' }],
    ...[
      'api.example.com',
      '/api',
      'ftp://a.example.com',
      'https://a.example.com/',
      'https://a.example.com?x',
      'https://a.example.com/#x',
      'https://u:p@a.example.com',
      'https://',
      'https://a b',
      'https:///a.example.com',
      'https://a.example.com\\b',
      'https://a.example.com/b/../c',
      'https://a.example.com/"><script>',
      'https://a.example.com\u0000',
      'https://a.example.com:443',
      'https://đơn.example',
    ].map((url): [string, string, Raw] => [
      'CONFIG_INVALID',
      'svc.web.public-url',
      { 'web.public-url': url },
    ]),
    ['SECURITY_DEV_NOT_LOCAL', 'svc.security.dev', { 'security.dev': true }],
    ['SECURITY_INLINE_KEYS', 'svc.security.issuers', { 'security.issuers': [inlineIssuer] }],
    ['SECURITY_ISSUER_NOT_HTTPS', 'svc.security.issuers', { 'security.issuers': [plainIssuer] }],
    ['SECURITY_ISSUER_TWICE', 'svc.security.issuers', { 'security.issuers': [issuer, issuer] }],
  ] satisfies [string, string, Raw][])('is %s at %s', (code, property, raw) => {
    expect(issuesOf(raw)).toContainEqual(
      expect.objectContaining({ severity: 'error', code, property }),
    );
  });

  it.each(['dev', 'prod', 'Local', ''])('is the local issuer at the stage %s', (stage) => {
    const raw = { 'security.dev': true, 'security.issuers': [inlineIssuer] };

    expect(issuesOf(raw, stage).map(({ code }) => code)).toContain('SECURITY_DEV_NOT_LOCAL');
  });

  it.each([
    ['https://api.example.com/base', 'prod'],
    ['http://127.0.0.1:3000', 'local'],
    ['', 'prod'],
  ])('is not the address %j of the stage %s', (url, stage) => {
    const codes = issuesOf({ 'web.public-url': url }, stage).map(({ property }) => property);

    expect(codes).not.toContain('svc.web.public-url');
  });

  it('names the sum that a callback token has to last for', () => {
    const [issue] = issuesOf({ 'docs.editor-absolute-lifetime': 100_000 });

    expect(issue?.message).toContain('103600');
  });
});

describe('a warning of the configuration', () => {
  it.each([
    ['SECURITY_NO_ISSUER', {}],
    ['MQ_APP_CODE_DEFAULTED', { 'mq.transport': 'broker' }],
    ['MQ_SCHEMA_UPDATE', { 'mq.schema-update-enabled': true }],
    ['MQ_RELAY_WITHOUT_BROKER', { 'mq.relay.enabled': true, 'mq.app-code': 'a' }],
    ['MQ_RELAY_RATE_DEFAULTED', { 'mq.relay.enabled': true, 'mq.app-code': 'a' }],
    [
      'MQ_PROXY_WITHOUT_RELAY',
      { 'mq.transport': 'broker', 'mq.broker-template-proxy-enabled': true },
    ],
    ['DOCS_SECRET_SHORT', { ...docs, 'docs.secret': 'short' }],
    [
      'DOCS_TOKEN_OUTLIVES_EDITOR',
      { 'docs.token-expiration': 3_601, 'docs.editor-absolute-lifetime': 3_600 },
    ],
    ['DOCS_PRESIGNED_URL_LONG', { 'docs.presigned-url-expiration': 3_601 }],
    ['DOCS_CALLBACK_UNVERIFIED', { ...docs, 'docs.callback-token-required': false }],
    ['WORKFLOW_DISABLED', { 'workflow.enabled': false, 'workflow.bpmn-endpoints-enabled': true }],
    ['DYNAMIC_TABLE_PREFIX_UNUSED', { 'dynamic.table-prefix': 'X_' }],
  ] satisfies [string, Raw][])('is %s', (code, raw) => {
    const issues = issuesOf(raw);

    expect(issues).toContainEqual(expect.objectContaining({ severity: 'warning', code }));
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('a configuration without a finding', () => {
  it.each([
    ['the defaults with an issuer', {}, 'prod'],
    [
      'an exact callback token',
      { 'docs.editor-absolute-lifetime': 80_000, 'docs.callback-retry-window': 10_000 },
      'prod',
    ],
    [
      'the relay of a broker',
      {
        'mq.transport': 'broker',
        'mq.app-code': 'a',
        'mq.relay.enabled': true,
        'mq.relay.schedule-trigger.fixed-rate': '1s',
      },
      'prod',
    ],
    [
      'a cron of six fields',
      {
        'mq.relay.schedule-trigger': {
          'trigger-type': 'CRON',
          'cron-expression': '0 0 2 * * MON-FRI',
        },
      },
      'prod',
    ],
    [
      'a cron macro',
      { 'mq.relay.schedule-trigger': { 'trigger-type': 'CRON', 'cron-expression': '@daily' } },
      'prod',
    ],
    ['any origin alone', { 'web.cors-origins': '*' }, 'prod'],
    ['documents with a secret by name', docs, 'prod'],
    [
      'inline keys at the stage local',
      { 'security.dev': true, 'security.issuers': [inlineIssuer] },
      'local',
    ],
    ['keys over http at the stage local', { 'security.issuers': [plainIssuer] }, 'local'],
    [
      'two issuers',
      { 'security.issuers': [issuer, { ...issuer, issuer: 'https://b.example.com' }] },
      'prod',
    ],
  ] satisfies [string, Raw, string][])('is %s', (_what, raw, stage) => {
    expect(issuesOf({ 'security.issuers': [issuer], ...raw }, stage)).toEqual([]);
  });
});

describe('a rule that throws', () => {
  const section = defineSection({
    name: 'notes',
    schema: z.strictObject({ limit: z.int().default(1) }),
    rules: [
      () => {
        throw new TypeError('limit is not a list');
      },
      () => warning('NOTES_FEW', 'svc.notes.limit', 'is low'),
    ],
  });

  it('is an error that names its section', () => {
    const start = () => load({}, { sections: [section] });

    expect(start).toThrow(ConfigError);
    expect(start).toThrow(
      'svc.notes: has a rule that throws: TypeError: limit is not a list (CONFIG_RULE_FAILED)',
    );
  });

  it('leaves the other rules of its section in force', () => {
    const codes = section
      .check({ limit: 1 }, { stage: 'dev', isKeyPrefixTaken: () => false })
      .map(({ code }) => code);

    expect(codes).toEqual(['CONFIG_RULE_FAILED', 'NOTES_FEW']);
  });
});
