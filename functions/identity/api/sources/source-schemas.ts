import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { PROVIDERS } from '../../domain/sources/source.ts';
import * as blocks from './config-schemas.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

const name = lazy(() => z.string().trim().min(1).max(64));
const remark = lazy(() => z.string().max(255));
const provider = lazy(() =>
  z.string().min(1).max(64).describe('Kind of the source: EXTSRC, a service provider of SCIM 2.0.'),
);
const code = lazy(() =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{1,62}$/,
      'must begin with a letter or digit and have 2 to 63 of a-z, 0-9, _ and -',
    ),
);
const version = lazy(() => z.int().min(1).optional().describe('The version that was read.'));

const configBlocks = lazy(() => ({
  basicConfig: blocks.basicConfigChange().nullish(),
  strategyConfig: blocks.strategyChange().nullish(),
  jobConfig: blocks.jobConfig().nullish(),
}));

export const createBody = lazy(() =>
  z.strictObject({
    name: name(),
    provider: provider(),
    code: code().optional(),
    remark: remark().nullish(),
    ...configBlocks(),
  }),
);

export const saveBody = lazy(() =>
  z.strictObject({ id: z.uuid(), ...configBlocks(), version: version() }),
);

export const updateBody = lazy(() =>
  z.strictObject({
    id: z.uuid(),
    name: name(),
    remark: remark().nullish(),
    version: version(),
    ...{ code: readOnly(), provider: readOnly(), enabled: readOnly(), configured: readOnly() },
    ...{ state: readOnly(), createTime: readOnly(), updateTime: readOnly() },
  }),
);

export const validateBody = lazy(() =>
  z.strictObject({
    id: z.uuid().optional().describe('A source whose stored secrets are used.'),
    provider: provider(),
    config: blocks.validatedConfig(),
  }),
);

export const sourceParams = lazy(() => z.strictObject({ id: z.uuid() }));

/** Lists are made in memory: they have numbers of pages and no cursors. */
export const listQuery = (web: PageLimits) => {
  const { page, size } = pageQuery(web);
  return z.strictObject({
    ...{ page, size },
    name: z.string().min(1).max(64).optional().describe('Only names that hold this text.'),
    provider: z.string().min(1).max(64).optional(),
    enabled: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
  });
};

const row = lazy(() => ({
  id: z.uuid(),
  code: code(),
  name: z.string(),
  provider: z.enum(PROVIDERS),
  remark: z.string().nullable(),
  enabled: z.boolean(),
  configured: z.boolean(),
  state: z.enum(['DISABLED', 'ENABLED']),
  version: z.int().min(1),
  createTime: instant(),
  updateTime: instant(),
}));

const sourceRow = lazy(() => z.object(row()).meta({ id: 'IdentitySourceRow' }));
export const sourcePage = lazy(() => pageSchema(sourceRow(), 'IdentitySourcePage'));

const counts = lazy(() =>
  z.object({
    ...{ created: z.int(), updated: z.int(), deleted: z.int(), disabled: z.int() },
    ...{ skipped: z.int(), failed: z.int(), unchanged: z.int() },
  }),
);

export const source = lazy(() =>
  z
    .object({
      ...row(),
      registration: z
        .object({
          status: z.enum(['NONE', 'REGISTERED', 'FAILED']),
          reason: z.string().optional(),
          at: instant().optional(),
        })
        .describe('Whether the schedule is in place.'),
      health: z.object({
        status: z.enum(['OK', 'FAILING', 'SUSPENDED']),
        consecutiveFailures: z.int().min(0),
        reason: z.string().optional(),
        retryAt: instant().optional(),
      }),
      basicConfig: blocks.basicConfigView().nullable(),
      strategyConfig: blocks.strategyView(),
      jobConfig: blocks.jobConfig(),
      schedule: z
        .object({
          expressions: z.array(z.string()),
          timezone: z.string(),
          nextRuns: z.array(instant()),
        })
        .nullable()
        .describe('The schedule that jobConfig means; null: runs are started by hand.'),
      callbackUrl: z.string().describe('Where the source sends its events.'),
      eventSecretSet: z.boolean(),
      lastSync: z
        .object({
          batch: z.string(),
          status: z.string(),
          startTime: instant(),
          endTime: instant().nullable(),
          counts: counts(),
        })
        .nullable(),
      runningBatch: z.string().nullable(),
    })
    .meta({ id: 'IdentitySource' }),
);

export const createdSource = lazy(() =>
  z
    .object({
      id: z.uuid(),
      code: code(),
      eventSecret: z.string().describe('Signs the events of the source; it is shown once.'),
    })
    .meta({ id: 'CreatedIdentitySource' }),
);

export const configView = lazy(() =>
  z
    .object({
      id: z.uuid(),
      basicConfig: blocks.basicConfigView().nullable(),
      strategyConfig: blocks.strategyView(),
      jobConfig: blocks.jobConfig(),
      version: z.int().min(1),
    })
    .meta({ id: 'IdentitySourceConfig' }),
);

export const rotatedSecret = lazy(() =>
  z
    .object({ eventSecret: z.string().describe('The former one works for 24 hours more.') })
    .meta({ id: 'RotatedEventSecret' }),
);

export const validationReport = lazy(() =>
  z
    .object({
      valid: z.boolean(),
      checks: z.array(
        z.object({
          name: z.string(),
          status: z.enum(['PASS', 'FAIL', 'SKIP']),
          latencyMs: z.number(),
          message: z.string(),
        }),
      ),
      capabilities: z.object({
        ...{ authMode: z.string().optional(), filter: z.boolean().optional() },
        ...{ maxResults: z.int().optional(), cursorPaging: z.boolean().optional() },
        ...{ sort: z.boolean().optional(), userCount: z.int().optional() },
        ...{ groupCount: z.int().optional(), nestedGroups: z.boolean().optional() },
      }),
    })
    .meta({ id: 'IdentitySourceValidation' }),
);
