import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { isTimeZone } from '../../../../shared/primitives/zones/time-zone.ts';
import {
  AUTH_MODES,
  DAYS,
  JOB_MODES,
  MATCHINGS,
  MISSING_POLICIES,
} from '../../domain/sources/source.ts';

const address = lazy(() =>
  z
    .string()
    .max(2_000)
    .refine(isPlainAddress, 'must be an https address without user, query and fragment'),
);
const secret = lazy(() => z.string().min(1).max(1_024));
/** An answer has these; who sends it back changes nothing. */
const isSet = lazy(() => z.boolean().optional().meta({ readOnly: true }));
const domain = lazy(() =>
  z
    .string()
    .max(253)
    .regex(
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i,
      'must be a domain',
    ),
);
const word = lazy(() => z.string().min(1).max(255));
const lowered = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((text) => (typeof text === 'string' ? text.toLowerCase() : text), z.enum(values));
const raised = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((text) => (typeof text === 'string' ? text.toUpperCase() : text), z.enum(values));

const connectionFacts = lazy(() => ({
  baseUrl: address().describe('Root of the SCIM 2.0 interface of the source.'),
  adminUsername: word(),
  domainOverride: domain().nullish(),
  adminTokenTtlMinutes: z.int().min(1).max(1_440).default(30),
  incrementalEnabled: z.boolean().default(false),
  notifyTemplateCode: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must have at most 100 letters, digits, ., _ and -')
    .nullish()
    .describe('The setting notify.template.<code> has the text of mails to new users.'),
  authMode: lowered(AUTH_MODES).default('auto'),
  tokenUrl: address().nullish(),
  clientId: word().nullish(),
  eventIssuer: word().nullish().describe('Issuer of security event tokens; default: any.'),
  eventJwksUri: address().nullish().describe('Keys of security event tokens; default: the secret.'),
}));

/** Connection data as callers send them. */
export const basicConfigChange = lazy(() =>
  z.strictObject({
    ...connectionFacts(),
    adminPassword: secret().nullish().describe('Left out or null: the stored one stays.'),
    clientSecret: secret().nullish(),
    ...{ adminPasswordSet: isSet(), clientSecretSet: isSet() },
  }),
);

export const basicConfigView = lazy(() =>
  z.object({ ...connectionFacts(), adminPasswordSet: z.boolean(), clientSecretSet: z.boolean() }),
);

const strategyFacts = lazy(() => ({
  organization: z
    .strictObject({
      targetId: word().optional().describe('Department that the tree of the source hangs below.'),
    })
    .default({}),
  guard: z
    .strictObject({
      maxDeletePercent: z.int().min(0).max(100).default(20),
      maxDeleteCount: z.int().min(0).max(1_000_000).default(500),
    })
    .default({ maxDeletePercent: 20, maxDeleteCount: 500 })
    .describe('A run that would remove more waits for an approval.'),
  mapping: z
    .record(z.string().min(1).max(64), z.string().min(1).max(255))
    .refine((fields) => Object.keys(fields).length <= 100, 'must have at most 100 fields')
    .default({})
    .describe('Fields of an account with the paths of SCIM attributes that fill them.'),
  scope: z
    .strictObject({
      userFilter: z.string().min(1).max(1_000).optional().describe('SCIM filter of the users.'),
      includeGroups: z.array(word()).max(200).default([]),
      excludeGroups: z.array(word()).max(200).default([]),
    })
    .default({ includeGroups: [], excludeGroups: [] }),
  roles: z
    .record(z.string().min(1).max(255), z.array(word()).max(50))
    .default({})
    .describe('Roles of the members of a group, by its name or id.'),
  fullEveryHours: z.int().min(1).max(744).default(24),
}));

const userStrategy = lazy(() => ({
  enabled: z.boolean().default(false).describe('Whether new accounts may log in at once.'),
  emailNotify: z.boolean().default(false),
  matching: lowered(MATCHINGS).default('identifier'),
  trustedDomains: z.array(domain()).max(100).default([]),
  onMissing: raised(MISSING_POLICIES)
    .default('DISABLE')
    .describe('What becomes of an account whose person is gone at the source.'),
}));

const NO_USER_STRATEGY = {
  ...{ enabled: false, emailNotify: false, matching: 'identifier' as const },
  ...{ trustedDomains: [], onMissing: 'DISABLE' as const },
};

/** A strategy is stored in the item of its source. */
const MAX_STRATEGY_BYTES = 102_400;

/** A strategy as callers send it. */
export const strategyChange = lazy(() =>
  z
    .strictObject({
      ...strategyFacts(),
      user: z
        .strictObject({
          ...userStrategy(),
          defaultPassword: secret().nullish().describe('Left out or null: the stored one stays.'),
          defaultPasswordSet: z.boolean().optional().describe('false takes the stored one away.'),
        })
        .default(NO_USER_STRATEGY),
    })
    .refine(
      (strategy) => Buffer.byteLength(JSON.stringify(strategy)) <= MAX_STRATEGY_BYTES,
      'must have at most 100 KB as JSON',
    ),
);

export const strategyView = lazy(() =>
  z.object({
    ...strategyFacts(),
    user: z.object({ ...userStrategy(), defaultPasswordSet: z.boolean() }),
  }),
);

export const jobConfig = lazy(() =>
  z.strictObject({
    mode: lowered(JOB_MODES).optional().describe('period: by interval; timed: at fixed times.'),
    value: z
      .union([z.string().min(1).max(200), z.int().min(1).max(744)])
      .transform(String)
      .optional()
      .describe('Such as 6 (hours), 30m or PT30M; 02:30, 02:30,14:00 or a cron expression.'),
    dayOfWeek: z.array(lowered(DAYS)).min(1).max(7).optional(),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
      .optional(),
    jitterMinutes: z.int().min(0).max(1_440).optional(),
  }),
);

/** A configuration to validate: the blocks, or connection data alone. */
export const validatedConfig = lazy(() =>
  z.union([
    z.strictObject({
      basicConfig: basicConfigChange(),
      strategyConfig: strategyChange().optional(),
      jobConfig: jobConfig().optional(),
    }),
    basicConfigChange(),
  ]),
);

/** Whether a text is an http(s) address that carries no secret; the client of the module decides about plain http. */
function isPlainAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
