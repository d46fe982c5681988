import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { isTimeZone } from '../../../../shared/primitives/zones/time-zone.ts';
import { isLocale } from '../../configuration.ts';
import { DATA_TYPES } from '../../domain/formats/data-type.ts';

const CATEGORIES = [
  'DATE_TIME',
  'USER',
  'DOCUMENT',
  'LAYOUT',
  'COMPANY',
  'OTHER',
  'CONSTANT',
] as const;

const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));
const code = lazy(() =>
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
      'must begin with a letter and have at most 100 letters, digits and _',
    )
    .describe('Code of the field, in any case.'),
);
const label = lazy(() => z.string().trim().min(1).max(255));
const value = lazy(() => z.string().max(2_000).describe('What documents show.'));
const dataType = lazy(() => z.enum(DATA_TYPES).default('STRING'));

export const codeParams = lazy(() => z.strictObject({ code: code() }));

/** Lists are filtered in memory: they have numbers of pages and no cursors. */
export const listQuery = (web: PageLimits) => {
  const { page, size } = pageQuery(web);
  return z.strictObject({
    ...{ page, size },
    category: z.enum(CATEGORIES).optional(),
    q: z.string().min(1).max(100).optional().describe('Only codes and labels that hold this text.'),
  });
};

export const createBody = lazy(() =>
  z.strictObject({ code: code(), label: label(), value: value(), dataType: dataType() }),
);

export const updateBody = lazy(() =>
  z.strictObject({
    ...{ label: label(), value: value(), dataType: dataType() },
    version: z.int().min(1).optional().describe('The version that was read, as in If-Match.'),
    ...{ code: readOnly(), category: readOnly(), example: readOnly(), defaultFormat: readOnly() },
    ...{ system: readOnly(), updatedAt: readOnly(), updatedBy: readOnly() },
  }),
);

export const resolveBody = lazy(() =>
  z.strictObject({
    codes: z.array(code()).max(600).optional().describe('Left out: all.'),
    locale: z
      .string()
      .max(100)
      .refine(isLocale, 'must be a BCP 47 language tag such as vi-VN')
      .optional()
      .describe('Left out: svc.template.merge-field-locale.'),
    zoneId: z
      .string()
      .max(100)
      .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
      .optional()
      .describe('Left out: svc.template.merge-field-zone-id.'),
  }),
);

export const resolved = lazy(() =>
  z
    .record(z.string(), z.string().nullable())
    .describe('Texts by code; null: without a value outside of a document.')
    .meta({ id: 'ResolvedBuiltins' }),
);

export const builtin = lazy(() =>
  z
    .object({
      code: code(),
      label: z.string(),
      category: z.enum(CATEGORIES),
      dataType: z.enum(DATA_TYPES),
      example: z.string(),
      defaultFormat: z.string().nullable(),
      system: z.boolean().describe('false: a constant of the tenant.'),
      value: z.string().optional(),
      version: z.int().optional(),
      updatedAt: z.iso.datetime({ precision: 3 }).optional(),
      updatedBy: z.string().optional(),
    })
    .meta({ id: 'BuiltinMergeField' }),
);
export const builtinPage = lazy(() => pageSchema(builtin(), 'BuiltinMergeFieldPage'));
