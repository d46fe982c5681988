import * as z from 'zod';
import type { CamelCaseKeys } from './key-case.ts';
import { flag, httpUrl, milliseconds, path, seconds, textList, wholeNumber } from './values.ts';

const DAY_MS = 86_400_000;

const keyPrefix = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . or -');

const issuer = z.strictObject({
  issuer: z.string().min(1),
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  jwksUri: httpUrl.optional(),
  algorithms: z
    .array(
      z.enum([
        'RS256',
        'RS384',
        'RS512',
        'PS256',
        'PS384',
        'PS512',
        'ES256',
        'ES384',
        'ES512',
        'EdDSA',
        'Ed25519',
      ]),
    )
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  jwks: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }).optional(),
});

const dynamic = z.strictObject({
  enabled: flag(false, 'Switches the dynamic entities on; false leaves no function and no route.'),
  'api-prefix': path.default('/api/v1').describe('Path before /dynamic/{entityCode}.'),
  'permission-prefix': z
    .string()
    .regex(/^[^:\s](?:[^\s]*[^:\s])?$/, 'must not begin or end with a colon')
    .optional()
    .describe(
      'Prefix of the permission target {permission-prefix}:{apiPath}; none: the target is {apiPath}.',
    ),
  'table-prefix': z
    .string()
    .default('DYN_')
    .describe('Declared; record names are fixed and it has no effect.'),
  'permission-fail-closed': flag(
    false,
    'true refuses record calls of entities with requirePermission=true when the host has no PermissionEvaluator.',
  ),
});

const workflow = z.strictObject({
  enabled: flag(true, 'Switches the workflow module on.'),
  'bpmn-endpoints-enabled': flag(
    false,
    'Registers /api/v1/process-instance/** and /api/v1/preview/**.',
  ),
  'deployment-compensation-retry-ms': milliseconds(1_000, DAY_MS)
    .default(60_000)
    .describe('Pause between retries of the deployment compensation task (ms).'),
});

const scheduleTrigger = z.strictObject({
  'trigger-type': z
    .enum(['CRON', 'FIXED_RATE', 'FIXED_DELAY', 'RUN_ONCE'])
    .default('FIXED_RATE')
    .describe('When the relay runs.'),
  'fixed-rate': milliseconds(0, DAY_MS)
    .optional()
    .describe(
      'Rate of FIXED_RATE and delay of FIXED_DELAY, such as 5s (1 s to 1 d); none: 1 minute.',
    ),
  'cron-expression': z
    .string()
    .default('0 */10 * * * *')
    .describe('Six-field cron expression used with CRON, in UTC.'),
});

const mq = z.strictObject({
  enabled: flag(true, 'false: EventPublisher does nothing but warn.'),
  transport: z
    .enum(['spring', 'broker'])
    .default('spring')
    .describe(
      'spring: listeners in the same function, after commit; broker: outbox, event bus and queues.',
    ),
  'app-code': z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits, ., _ or -')
    .optional()
    .describe('Application code: source of events; required when the relay is enabled.'),
  'message-table': keyPrefix
    .default('message')
    .describe('Name of the outbox table (a key prefix of the one table).'),
  'message-tracking-table': keyPrefix
    .default('message_tracking')
    .describe('Name of the tracking table (a key prefix of the one table).'),
  'schema-update-enabled': flag(
    false,
    'true: checks and upgrades the layout of stored messages at start.',
  ),
  idempotent: z
    .strictObject({
      enabled: flag(true, 'Consumer idempotency check by messageId.'),
      'max-retries': wholeNumber(
        3,
        0,
        100,
        'Further attempts to process a message before it is dead.',
      ),
    })
    .prefault({}),
  relay: z
    .strictObject({
      enabled: flag(false, 'Enables the relay that sends again what was not sent.'),
      'batch-size': wholeNumber(100, 1, 1_000, 'Messages per relay batch.'),
      'max-retries': wholeNumber(3, 0, 100, 'Resends before a message is dead.'),
      'max-retry-delay': milliseconds(0, DAY_MS / 2)
        .default(1_000)
        .describe('Cap of the backoff between resends (ms).'),
      'schedule-trigger': scheduleTrigger.prefault({}),
    })
    .prefault({}),
  'broker-restful-enabled': flag(false, 'Enables POST /broker/dispatch.'),
  'broker-template-proxy-enabled': flag(
    false,
    'Routes direct sends of the broker clients through the outbox.',
  ),
  shards: wholeNumber(8, 1, 64, 'Shards of the due index of the outbox.'),
  'payload-inline-limit': wholeNumber(
    204_800,
    1_024,
    262_144,
    'Largest envelope kept inside a message (bytes); larger bodies go to the bucket.',
  ),
  'sent-retention': milliseconds(60_000, 365 * DAY_MS)
    .default(7 * DAY_MS)
    .describe('How long a sent message is kept (ms).'),
  'tracking-retention': milliseconds(60_000, 365 * DAY_MS)
    .default(14 * DAY_MS)
    .describe('How long a processed messageId is remembered (ms).'),
});

const docs = z.strictObject({
  enabled: flag(false, 'Switches the document-editor integration on; must be explicitly true.'),
  'document-server-url': httpUrl
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
  'callback-path': path.default('/api/v1/docs/callback').describe('Path of the save callback.'),
  'internal-base-url': z
    .union([z.literal(''), httpUrl])
    .default('')
    .describe("Base URL for file downloads by the editing server; empty: the request's own."),
  'plugin-api-base-url': httpUrl
    .optional()
    .describe('Fallback API URL for the plugin to fetch business variables.'),
});

const template = z.strictObject({
  enabled: flag(false, 'Switches the document templates on; must be explicitly true.'),
  'merge-field-locale': z
    .string()
    .refine(isLocale, 'must be a BCP 47 language tag such as vi-VN')
    .default('vi-VN')
    .describe('Locale for merge-field formatting.'),
  'merge-field-zone-id': z
    .string()
    .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
    .default('Asia/Ho_Chi_Minh')
    .describe('Time zone for instants in merge fields.'),
});

const idp = z.strictObject({
  enabled: flag(true, 'Switches the identity-source sync on.'),
});

const config = z.strictObject({
  'refresh-staleness-ms': milliseconds(0, 3_600_000)
    .default(10_000)
    .describe(
      'Longest time a warm environment goes without looking for refreshed settings (ms); 0: it looks at every call.',
    ),
});

const web = z.strictObject({
  'page-size-default': wholeNumber(20, 1, 200, 'Page size when a list call names none.'),
  'page-size-max': wholeNumber(200, 1, 1_000, 'Largest page size.'),
  'max-body': wholeNumber(
    1_048_576,
    1_024,
    6_000_000,
    'Largest JSON body (bytes); a route may allow more.',
  ),
  'cors-origins': textList(
    [],
    'Origins of web applications that may call the API; none: no cross-origin calls.',
  ),
  'rate-limit': wholeNumber(100, 1, 10_000, 'Steady requests per second of the API stage.'),
  'burst-limit': wholeNumber(200, 1, 10_000, 'Burst of requests of the API stage.'),
});

const security = z.strictObject({
  issuers: z
    .preprocess(jsonText, z.array(issuer))
    .default([])
    .describe(
      'Token issuers: [{issuer, audience, jwksUri?, algorithms?}]; none: no token is accepted.',
    ),
  'clock-tolerance': seconds(30, 0, 300, 'Allowed clock difference to an issuer (seconds).'),
  'roles-claim': z
    .string()
    .min(1)
    .default('roles')
    .describe('Claim with the roles; a dotted path is allowed.'),
  'groups-claim': z
    .string()
    .min(1)
    .default('groups')
    .describe('Claim with the groups of the user; a dotted path is allowed.'),
  'permissions-claim': z
    .string()
    .min(1)
    .default('permissions')
    .describe('Claim with permissions such as setting:view; words of scope count too.'),
  'tenant-claim': z.string().min(1).default('tenant').describe('Claim with the tenant.'),
  'username-claim': z
    .string()
    .min(1)
    .default('preferred_username')
    .describe('Claim with the user name.'),
  'required-typ': z
    .string()
    .min(1)
    .optional()
    .describe('Demanded typ header of a token, such as at+jwt.'),
  dev: flag(false, 'Allows issuers with inline keys; refused outside the stage local.'),
});

/**
 * Every `svc.*` property: type, default, unit and meaning. The names are the documented ones;
 * what is not listed here is an error. `loadConfig` turns it into the camel-case form the code reads.
 */
export const svcConfigSchema = z.strictObject({
  config: config.prefault({}),
  dynamic: dynamic.prefault({}),
  workflow: workflow.prefault({}),
  mq: mq.prefault({}),
  docs: docs.prefault({}),
  template: template.prefault({}),
  idp: idp.prefault({}),
  web: web.prefault({}),
  security: security.prefault({}),
});

/** The checked configuration as code reads it: `config.mq.relay.batchSize`. */
export type SvcConfig = CamelCaseKeys<z.output<typeof svcConfigSchema>>;

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function jsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
