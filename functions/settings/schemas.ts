import * as z from 'zod';
import { pageSchema } from '../../shared/http/paging.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import { MAX_DESC_LENGTH, MAX_VALUE_BYTES, SETTING_NAME } from './domain/setting.ts';

const name = lazy(() =>
  z
    .string()
    .regex(
      SETTING_NAME,
      'must begin with a letter or digit and have at most 255 letters, digits, ., _, : and -',
    )
    .describe('Name of the setting, dotted.'),
);
const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const value = lazy(() => z.string().describe('The value, or ****** when it is masked.'));
const masked = lazy(() => z.boolean().describe('Whether the value is hidden.'));
const version = lazy(() => z.int().min(1).describe('Grows by one with each change.'));

/** A system field: clients may send it back; it is ignored. */
const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

export const settingParams = lazy(() => z.strictObject({ key: name() }));

export const settingQuery = lazy(() =>
  z.strictObject({
    reveal: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .default(false)
      .describe('Shows a masked value; needs setting:reveal.'),
  }),
);

export const listFilter = lazy(() => ({
  prefix: z
    .string()
    .max(255)
    .regex(/^[A-Za-z0-9._:-]*$/, 'must contain only letters, digits, ., _, : and -')
    .optional()
    .describe('Only names that begin with this.'),
  q: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only settings with this text in name or description, whatever its case.'),
}));

/** Explain that values are texts: callers often send numbers and booleans. */
const valueRule = (issue: { readonly input?: unknown }): string =>
  issue.input === undefined
    ? 'is required'
    : 'must be text: values of settings are texts, such as "42" or "true"';

export const saveBody = lazy(() =>
  z.strictObject({
    name: name(),
    value: z
      .string({ error: valueRule })
      .refine((text) => Buffer.byteLength(text) <= MAX_VALUE_BYTES, {
        error: `must have at most ${MAX_VALUE_BYTES} bytes`,
        params: { code: 'TOO_BIG' },
      })
      .meta({
        maxLength: MAX_VALUE_BYTES,
        description: 'At most 64 KiB. ****** keeps the stored value of a masked setting.',
      }),
    desc: z.string().max(MAX_DESC_LENGTH).optional().describe('Left out: the stored one stays.'),
    secret: z
      .boolean()
      .optional()
      .describe('Whether the value is hidden; left out: as stored, else the name decides.'),
    encrypt: z
      .boolean()
      .optional()
      .describe('Whether to store the value encrypted; left out: unchanged.'),
    version: version()
      .optional()
      .describe('The version you read: the save happens only if it is still the current one.'),
    masked: readOnly(),
    encrypted: readOnly(),
    entity: readOnly(),
  }),
);

export const rollbackBody = lazy(() => z.strictObject({ version: version() }));

export const refreshBody = lazy(() =>
  z.strictObject({
    key: z
      .string()
      .regex(SETTING_NAME)
      .or(z.literal('__REFRESH_ALL__'))
      .describe('Name of a setting, or __REFRESH_ALL__ for every refresh-scoped value.'),
  }),
);

export const settingValue = lazy(() =>
  z
    .object({ name: name(), value: value(), masked: masked(), version: version() })
    .meta({ id: 'SettingValue' }),
);

export const settingDetail = lazy(() =>
  z
    .object({
      name: name(),
      value: value(),
      desc: z.string(),
      secret: z.boolean().nullable().describe('null: the name decides.'),
      masked: masked(),
      encrypted: z.boolean().describe('Whether the value is stored encrypted.'),
      version: version(),
      entity: z.object({
        id: z.string(),
        type: z.literal('setting'),
        version: version(),
        createdAt: instant(),
        createdBy: z.string(),
        updatedAt: instant(),
        updatedBy: z.string(),
      }),
    })
    .meta({ id: 'SettingDetail' }),
);

const listEntry = lazy(() =>
  z
    .object({
      name: name(),
      value: value().describe('The first 150 characters, or ****** when it is masked.'),
      truncated: z.boolean().describe('Whether there is more of the value.'),
      desc: z.string(),
      masked: masked(),
      encrypted: z.boolean(),
      version: version(),
      updatedAt: instant(),
      updatedBy: z.string(),
    })
    .meta({ id: 'SettingListEntry' }),
);

const historyEntry = lazy(() =>
  z
    .object({
      version: version(),
      change: z.enum(['CREATED', 'UPDATED', 'ROLLED_BACK', 'DELETED']),
      value: value().nullable().describe('null for a deletion.'),
      masked: masked(),
      desc: z.string(),
      encrypted: z.boolean(),
      at: instant(),
      by: z.string().describe('Who made the change: the subject of the token.'),
      issuer: z.string().nullable().describe('Issuer of that token; null when none is known.'),
      traceId: z.string(),
    })
    .meta({ id: 'SettingVersion' }),
);

export const settingPage = lazy(() => pageSchema(listEntry(), 'SettingPage'));
export const historyPage = lazy(() => pageSchema(historyEntry(), 'SettingHistoryPage'));
export const refreshAccepted = lazy(() =>
  z.object({ key: z.string(), epoch: z.int() }).meta({ id: 'RefreshAccepted' }),
);

export const health = lazy(() =>
  z
    .object({
      status: z.enum(['UP', 'DOWN']),
      version: z.string(),
      stage: z.string(),
      modules: z.array(z.string()).describe('Modules that are switched on.'),
      checks: z.record(z.string(), z.enum(['UP', 'DOWN'])),
    })
    .meta({ id: 'Health' }),
);
