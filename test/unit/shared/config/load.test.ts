import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moduleConfigEnvironment } from '../../../../lib/configuration/function-config.ts';
import { ConfigError } from '../../../../shared/config/index.ts';
import {
  describeSvcProperties as describeProperties,
  loadConfig,
  sectionsNamed,
} from '../../../helpers/world/svc-config.ts';

/** The problems of a configuration: code and property of each. */
function problemsOf(raw: unknown, stage = 'dev'): string[] {
  try {
    loadConfig(raw, { stage });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ code, property }) => `${code} ${property}`);
  }
}

const messageOf = (raw: unknown): string => {
  try {
    loadConfig(raw);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('loadConfig', () => {
  it('gives the documented defaults for nothing', () => {
    expect(loadConfig()).toMatchObject({
      config: { refreshStalenessMs: 10_000 },
      dynamic: {
        enabled: false,
        apiPrefix: '/api/v1',
        tablePrefix: 'DYN_',
        permissionFailClosed: false,
      },
      workflow: {
        enabled: true,
        bpmnEndpointsEnabled: false,
        deploymentCompensationRetryMs: 60_000,
      },
      mq: {
        enabled: true,
        transport: 'spring',
        messageTable: 'message',
        messageTrackingTable: 'message_tracking',
        schemaUpdateEnabled: false,
        idempotent: { enabled: true, maxRetries: 3 },
        relay: {
          enabled: false,
          batchSize: 100,
          maxRetries: 3,
          maxRetryDelay: 1_000,
          scheduleTrigger: { triggerType: 'FIXED_RATE', cronExpression: '0 */10 * * * *' },
        },
        brokerRestfulEnabled: false,
        brokerTemplateProxyEnabled: false,
      },
      docs: {
        enabled: false,
        tokenExpiration: 3_600,
        callbackContextTokenExpiration: 90_000,
        editorAbsoluteLifetime: 86_400,
        callbackRetryWindow: 3_600,
        presignedUrlExpiration: 3_600,
        callbackTokenRequired: true,
        callbackPath: '/api/v1/docs/callback',
        internalBaseUrl: '',
      },
      template: { enabled: false, mergeFieldLocale: 'vi-VN', mergeFieldZoneId: 'Asia/Ho_Chi_Minh' },
      web: { pageSizeDefault: 20, pageSizeMax: 200, maxBody: 1_048_576, corsOrigins: [] },
      security: { issuers: [], clockTolerance: 30, rolesClaim: 'roles', dev: false },
    });
  });

  it.each([
    ['nested', { mq: { relay: { 'batch-size': 7 } } }],
    ['dotted', { 'mq.relay.batch-size': 7 }],
    ['half dotted', { mq: { 'relay.batch-size': 7 } }],
    ['dotted beside nested', { 'mq.relay.batch-size': 7, mq: { relay: { 'max-retries': 3 } } }],
    [
      'nested beside dotted',
      { mq: { relay: { 'max-retries': 3 } }, 'mq.relay': { 'batch-size': 7 } },
    ],
    ['text', { 'mq.relay.batch-size': '7' }],
  ])('reads %s keys', (_how, raw) => {
    expect(loadConfig(raw).mq.relay.batchSize).toBe(7);
  });

  it.each([
    ['5s', 5_000],
    ['500ms', 500],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['PT5S', 5_000],
    ['PT1M30S', 90_000],
    [1_500, 1_500],
    ['1500', 1_500],
    ['0', 0],
    ['0s', 0],
  ])('reads the duration %s', (value, ms) => {
    expect(loadConfig({ 'config.refresh-staleness-ms': value }).config.refreshStalenessMs).toBe(ms);
  });

  it.each([
    ['5m', 300],
    ['PT1H', 3_600],
    ['90', 90],
    [90, 90],
  ])('reads the seconds %s', (value, seconds) => {
    expect(loadConfig({ 'docs.token-expiration': value }).docs.tokenExpiration).toBe(seconds);
  });

  it.each([
    ['true', true],
    ['false', false],
    [true, true],
  ])('reads the switch %s', (value, expected) => {
    expect(loadConfig({ 'dynamic.enabled': value }).dynamic.enabled).toBe(expected);
  });

  it.each(['yes', 1, 'TRUE', null, ''])('refuses the switch %s', (value) => {
    expect(problemsOf({ 'dynamic.enabled': value })).toEqual([
      'CONFIG_INVALID svc.dynamic.enabled',
    ]);
  });

  it.each([
    ['mq.relay.batchSize', 'svc.mq.relay.batch-size'],
    ['mq.relay.batch_size', 'svc.mq.relay.batch-size'],
    ['mq.rely.batch-size', 'svc.mq.relay.batch-size'],
    ['mq.appcode', 'svc.mq.app-code'],
    ['dynamic.api-prefx', 'svc.dynamic.api-prefix'],
    ['doc.enabled', 'svc.docs.enabled'],
  ])('refuses %s and names %s', (key, nearest) => {
    const message = messageOf({ [key]: 1 });

    expect(message).toContain('CONFIG_UNKNOWN_PROPERTY');
    expect(message).toContain(nearest);
  });

  it('lists every problem with property, value and rule, and how to set it', () => {
    const message = messageOf({
      'mq.transport': 'kafka',
      'mq.relay.batch-size': 0,
      'docs.callback-path': 'docs',
      nonsense: true,
    });

    expect(message).toContain('has 4 problem(s)');
    expect(message).toMatch(/svc\.mq\.transport: .*"kafka"/);
    expect(message).toMatch(/svc\.mq\.relay\.batch-size: must be 1 to 1000; it is 0/);
    expect(message).toMatch(/svc\.docs\.callback-path: .*"docs"/);
    expect(message).toContain('svc.nonsense');
    expect(message).toContain('cdk.json under context.svc');
  });

  it.each([null, 'svc', 7, []])('refuses %s instead of an object', (raw) => {
    expect(problemsOf(raw)).toEqual(['CONFIG_INVALID svc']);
  });

  it('is not led astray by members of every object', () => {
    expect(
      problemsOf(JSON.parse('{"__proto__": {"enabled": true}, "constructor": 1}')),
    ).not.toEqual([]);
    expect(problemsOf({ '__proto__.enabled': true })).not.toEqual([]);
    expect(({} as Record<string, unknown>).enabled).toBeUndefined();
  });

  it.each([
    ['dynamic.api-prefix', '/api/v1/'],
    ['dynamic.api-prefix', 'api'],
    ['dynamic.permission-prefix', ':entity'],
    ['dynamic.permission-prefix', 'entity:'],
    ['workflow.deployment-compensation-retry-ms', 999],
    ['mq.app-code', 'My App'],
    ['mq.app-code', ''],
    ['mq.message-table', 'a b'],
    ['mq.idempotent.max-retries', 101],
    ['mq.relay.batch-size', 1_001],
    ['mq.relay.batch-size', 1.5],
    ['mq.relay.max-retry-delay', '13h'],
    ['mq.relay.schedule-trigger.trigger-type', 'SOMETIMES'],
    ['mq.relay.schedule-trigger.fixed-rate', '2d'],
    ['docs.document-server-url', 'ftp://docs.example.com'],
    ['docs.token-expiration', 59],
    ['docs.presigned-url-expiration', 604_801],
    ['docs.internal-base-url', 'here'],
    ['template.merge-field-locale', 'not a locale'],
    ['template.merge-field-zone-id', 'Mars/Olympus'],
    ['config.refresh-staleness-ms', -1],
    ['web.max-body', 1],
    ['security.clock-tolerance', 301],
    ['security.issuers', [{ issuer: 'https://a.example.com' }]],
    [
      'security.issuers',
      [{ issuer: 'https://a.example.com', audience: 'x', algorithms: ['HS256'] }],
    ],
    [
      'security.issuers',
      [{ issuer: 'https://a.example.com', audience: 'x', algorithms: ['none'] }],
    ],
    ['security.issuers', 'https://a.example.com'],
  ])('refuses %s = %o', (property, value) => {
    const problems = problemsOf({ [property]: value });

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^CONFIG_INVALID svc\\.${RegExp.escape(property)}`));
  });

  it('does not repeat a secret in its message', () => {
    expect(messageOf({ 'docs.secret': 4711 })).not.toContain('4711');
  });

  it('reads issuers from text, as the command line gives them', () => {
    const issuers = JSON.stringify([{ issuer: 'https://a.example.com', audience: 'x' }]);

    expect(loadConfig({ 'security.issuers': issuers }).security.issuers).toEqual([
      {
        issuer: 'https://a.example.com',
        audience: 'x',
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      },
    ]);
  });
});

describe('describeProperties', () => {
  it('gives every property a meaning', () => {
    expect(describeProperties().filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it('names every property once', () => {
    const names = describeProperties().map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});

describe('moduleConfigEnvironment', () => {
  it('holds only what differs from the defaults', () => {
    const config = loadConfig({
      'mq.relay.batch-size': 7,
      'mq.transport': 'spring',
      'docs.token-expiration': 90,
    });

    expect(JSON.parse(moduleConfigEnvironment(config))).toEqual({
      mq: { relay: { 'batch-size': 7 } },
    });
    expect(JSON.parse(moduleConfigEnvironment(config, sectionsNamed('docs')))).toEqual({
      mq: { relay: { 'batch-size': 7 } },
      docs: { 'token-expiration': 90 },
    });
    expect(moduleConfigEnvironment(loadConfig())).toBe('{}');
  });

  it('gives back the same configuration, whatever was set', () => {
    const anyRaw = fc.record(
      {
        'mq.app-code': fc.constantFrom('shop', 'a.b-c_d'),
        'mq.transport': fc.constantFrom('spring', 'broker'),
        'mq.relay.batch-size': fc.integer({ min: 1, max: 1_000 }),
        'mq.relay.schedule-trigger.fixed-rate': fc.constantFrom('5s', 'PT1M', 60_000),
        'mq.idempotent.enabled': fc.boolean(),
        'dynamic.enabled': fc.boolean(),
        'dynamic.permission-prefix': fc.constantFrom('entity', 'a:b'),
        'docs.callback-retry-window': fc.integer({ min: 0, max: 3_600 }),
        'config.refresh-staleness-ms': fc.integer({ min: 0, max: 3_600_000 }),
        'web.cors-origins': fc.subarray(['https://a.example.com', 'https://b.example.com']),
        'security.issuers': fc.subarray([
          { issuer: 'https://a.example.com', audience: 'x', algorithms: ['RS256'] },
          { issuer: 'https://b.example.com', audience: ['y', 'z'] },
        ]),
        'security.roles-claim': fc.constantFrom('realm_access.roles', 'cognito:groups'),
      },
      { requiredKeys: [] },
    );
    const sections = sectionsNamed('dynamic', 'docs', 'template', 'workflow', 'idp');

    void fc.assert(
      fc.property(anyRaw, (raw) => {
        const config = loadConfig(raw);
        const text = moduleConfigEnvironment(config, sections);
        expect(loadConfig(JSON.parse(text))).toEqual(config);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what does not fit the environment of a function', () => {
    const issuers = Array.from({ length: 40 }, (_, i) => ({
      issuer: `https://issuer-${i}.example.com/with/a/long/path`,
      audience: 'x',
    }));

    expect(() => moduleConfigEnvironment(loadConfig({ security: { issuers } }))).toThrow(
      'CONFIG_TOO_LARGE',
    );
  });
});
